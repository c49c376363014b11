import Foundation
import MusicTime

/// The folder from which strangers may name sessions: those who send a path over the network.
public struct SessionFolder: Sendable, Hashable {
  public let path: String

  public init(path: String) { self.path = path }

  /// The path of a file that a relative name stands for, symbolic links followed.
  ///
  /// - Throws: `InvalidValue` for a name that is absolute, has `..` in it, doesn't exist, or leaves the folder by a link.
  public func resolve(_ name: String) throws(InvalidValue) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.isEmpty, name.utf8.count <= 4_096, !name.utf8.contains(0), !name.hasPrefix("/"),
      !parts.contains("..")
    else { throw refusal(name, "a file in the session folder, without a leading / and without ..") }
    guard let root = SessionFolder.real(path) else {
      throw refusal(name, "in the session folder, which is missing")
    }
    guard let file = SessionFolder.real(root + "/" + name) else { throw refusal(name, "a file that exists") }
    guard contains(file, root: root) else { throw refusal(name, "inside the session folder") }
    return file
  }

  /// The path of a klick map. klick's users write whole paths: those into the folder are as good as names in it.
  ///
  /// - Throws: as `resolve`, and `InvalidValue` for a whole path that does not begin with the folder's.
  public func resolveMap(_ file: String) throws(InvalidValue) -> String {
    guard file.hasPrefix("/") else { return try resolve(file) }
    let roots = [path, SessionFolder.real(path) ?? path].map(SessionFolder.prefix)
    guard let root = roots.first(where: file.hasPrefix) else {
      throw InvalidValue("map", quoted(file), allowed: "in the session folder \(path)")
    }
    return try resolve(String(file.dropFirst(root.count)))
  }

  /// Whether a path, symbolic links followed, lies in the folder.
  func contains(_ path: String) -> Bool {
    guard let root = SessionFolder.real(self.path), let file = SessionFolder.real(path) else { return false }
    return contains(file, root: root)
  }

  private func contains(_ file: String, root: String) -> Bool {
    file.hasPrefix(SessionFolder.prefix(root))
  }

  private static func prefix(_ root: String) -> String { root == "/" ? "/" : root + "/" }

  private func refusal(_ name: String, _ allowed: String) -> InvalidValue {
    InvalidValue("session", quoted(name), allowed: allowed)
  }

  private static func real(_ path: String) -> String? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    return String(cString: pointer)
  }
}
