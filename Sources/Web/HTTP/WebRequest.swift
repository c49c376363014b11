/// The parts of a request on which the answer depends.
struct WebRequest: Sendable {
  var method: String
  /// The path with the query.
  var target: String
  var accept: String = ""
  /// Whether it requests another protocol than HTTP.
  var isUpgrade = false

  var path: String { String(target.prefix { $0 != "?" }) }

  /// The part after the question mark; nil if there is none.
  var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// What it requests.
  enum Resource: Equatable {
    /// A fixed answer.
    case reply(WebReply)
    /// A description of a node, or of one attribute of it.
    case node(path: String, attribute: String?)
  }

  var resource: Resource {
    guard method == "GET" || method == "HEAD" else { return .reply(.failure(405)) }
    guard !isUpgrade else { return .reply(.failure(400)) }
    // The page and OSCQuery's root have the same address. Only browsers accept HTML.
    let isPage = path == "/" && query == nil && accept.contains("text/html")
    if let file = PageFile.at(isPage ? "/index.html" : path) {
      return .reply(WebReply(status: 200, type: file.type, body: file.bytes))
    }
    guard path.hasPrefix("/") else { return .reply(.failure(400)) }
    let attribute = query?.isEmpty == true ? nil : query
    return .node(path: path, attribute: attribute)
  }
}
