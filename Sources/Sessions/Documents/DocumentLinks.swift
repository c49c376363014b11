import Files
import Glibc

/// Links in a session manager's folder to the open document, if that is in another folder.
package struct DocumentLinks: Sendable {
  private let folder: String

  /// - Parameter folder: an absolute path.
  package init(folder: String) { self.folder = folder }

  /// Links the open document, and removes the link to the previous one. A file or link that someone else has made at that path
  /// stays.
  /// - Parameters:
  ///   - old: the document that was linked last; nil if there was none.
  ///   - new: the document that is open; nil if there is none.
  /// - Thread: any but audio
  package func update(from old: String?, to new: String?) {
    if let old, old != new, let link = link(to: old), target(of: link) == old { unlink(link) }
    if let new, let link = link(to: new) { _ = symlink(new, link) }
  }

  /// The path of the link to a document; nil if it needs none.
  private func link(to document: String) -> String? {
    guard document.hasPrefix("/"), !document.hasPrefix(folder + "/"),
      let name = document.split(separator: "/").last
    else { return nil }
    return "\(folder)/\(name)"
  }

  /// The target of a link; nil for anything else.
  private func target(of link: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(link, &target, target.count)
    return length < 0
      ? nil : String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
