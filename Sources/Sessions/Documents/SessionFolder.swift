import Glibc
import Validation

/// The folder whose documents network clients may open. Only files with a document's extension that are not hidden are
/// admitted.
package struct SessionFolder: Sendable, Hashable {
  /// The folder's path. It need not exist.
  package let path: String

  /// The extensions of documents.
  private static let suffixes = [".yaml", ".yml", ".klick", ".map", ".txt"]

  package init(path: String) { self.path = path }

  /// Resolves a relative name, with symbolic links, to the path of a document.
  ///
  /// - Throws: `InvalidValue` if the name is absolute, contains `..`, doesn't exist, leaves the folder through a link, is
  ///   hidden (a component begins with a dot), or has no document extension.
  package func resolve(_ name: String) throws(InvalidValue) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.isEmpty, name.utf8.count <= 4_096, !name.utf8.contains(0), !name.hasPrefix("/"),
      !parts.contains("..")
    else { throw refusal(name, "a file in the session folder, without a leading / and without ..") }
    guard let root = SessionFolder.real(path) else {
      throw InvalidValue(sentence: "there is no session folder: make \(shownPath), and put documents there")
    }
    // One sentence for all, so that it doesn't reveal whether a hidden file exists.
    guard SessionFolder.isDocument(name), let file = SessionFolder.real(root + "/" + name),
      admits(file, root: root)
    else {
      throw InvalidValue(
        sentence:
          "there is no document \(quoted(name)) in \(shownPath): tactus list and /tactus/sessions show its documents"
      )
    }
    return file
  }

  /// Resolves the name of a document, or an absolute path inside the folder: klick's users send paths, and apps send back the
  /// path that they have received.
  ///
  /// - Throws: as `resolve`, and `InvalidValue` for an absolute path outside the folder.
  package func resolvePath(_ file: String) throws(InvalidValue) -> String {
    try resolve(relativeName(file))
  }

  /// The name of a document that is named in the folder, or whole by either of the folder's paths.
  /// - Throws: `InvalidValue` for an absolute path outside the folder.
  func relativeName(_ file: String) throws(InvalidValue) -> String {
    guard file.hasPrefix("/") else { return file }
    let roots = [path, SessionFolder.real(path) ?? path].map(SessionFolder.prefix)
    guard let root = roots.first(where: file.hasPrefix) else {
      throw refusal(file, "a file in the session folder")
    }
    return String(file.dropFirst(root.count))
  }

  /// Whether a path, with symbolic links resolved, leads to a document in the folder.
  package func admits(_ path: String) -> Bool {
    guard let root = SessionFolder.real(self.path), let file = SessionFolder.real(path) else { return false }
    return admits(file, root: root)
  }

  private func admits(_ file: String, root: String) -> Bool {
    let prefix = SessionFolder.prefix(root)
    return file.hasPrefix(prefix) && SessionFolder.isDocument(String(file.dropFirst(prefix.count)))
  }

  /// Whether a path relative to the folder has the extension of a document and no hidden component. The file need not exist.
  package static func isDocument(_ path: String) -> Bool {
    let lowercased = path.lowercased()
    return suffixes.contains(where: lowercased.hasSuffix)
      && !path.split(separator: "/").contains { $0.hasPrefix(".") && $0 != "." }
  }

  private var shownPath: String { printable(path, limit: 300) }

  private static func prefix(_ root: String) -> String { root == "/" ? "/" : root + "/" }

  private func refusal(_ name: String, _ allowed: String) -> InvalidValue {
    InvalidValue("session", quoted(name), allowed: allowed)
  }

  static func real(_ path: String) -> String? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    return String(cString: pointer)
  }
}
