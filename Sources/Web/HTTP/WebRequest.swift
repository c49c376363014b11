/// A request, as far as the answer depends on it.
struct WebRequest: Sendable {
  var method: String
  /// With what follows a question mark.
  var target: String
  var accept: String = ""
  /// Whether it asks for another protocol than HTTP.
  var isUpgrade = false

  var path: String { String(target.prefix { $0 != "?" }) }

  /// What follows the question mark; nil without one.
  var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// What it asks for.
  enum Wish: Equatable {
    case reply(WebReply)
    /// A description of a node, or of one attribute of it.
    case node(path: String, attribute: String?)
  }

  var wish: Wish {
    guard method == "GET" || method == "HEAD" else { return .reply(.failure(405)) }
    guard !isUpgrade else { return .reply(.failure(400)) }
    // A browser asks for HTML; OSCQuery's root has the same address.
    let isPage = path == "/" && query == nil && accept.contains("text/html")
    if let file = PageFile.at(isPage ? "/index.html" : path) {
      return .reply(WebReply(status: 200, type: file.type, body: file.bytes))
    }
    guard path.hasPrefix("/") else { return .reply(.failure(400)) }
    let attribute = query?.isEmpty == true ? nil : query
    return .node(path: path, attribute: attribute)
  }
}
