import Files
import Glibc

/// The links in a session manager's folder to open documents that lie elsewhere.
package struct DocumentLinks: Sendable {
  private let folder: String

  /// - Parameter folder: an absolute path.
  package init(folder: String) { self.folder = folder }

  /// Links a document, and removes the link to the one before. A file or link that somebody else has made there stays.
  /// - Parameters:
  ///   - old: the document that was linked last; nil if there was none.
  ///   - new: the document that is open; nil if there is none.
  package func update(from old: String?, to new: String?) {
    if let old, old != new, let link = link(to: old), target(of: link) == old { unlink(link) }
    if let new, let link = link(to: new) { _ = symlink(new, link) }
  }

  /// The path of a document's link; nil if it needs none.
  private func link(to document: String) -> String? {
    guard document.hasPrefix("/"), !document.hasPrefix(folder + "/"),
      let name = document.split(separator: "/").last
    else { return nil }
    return "\(folder)/\(name)"
  }

  /// What a link points to; nil if it is none.
  private func target(of link: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(link, &target, target.count)
    return length < 0
      ? nil : String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
