import Glibc

/// Resolves symbolic links. The file itself need not exist.
///
/// - Throws: `WriteError` if a link leads into a missing folder, or the links form a circle.
/// - Thread: any but audio
package func followingLinks(_ path: String) throws(WriteError) -> String {
  if let real = realpath(path, nil) {
    defer { free(real) }
    return String(cString: real)
  }
  // `realpath` requires the file to exist. If it doesn't, follow a dangling link to the path where it would be created.
  var destination = path
  for _ in 0..<40 {
    guard let target = linkTarget(of: destination) else {
      let folder = prefix(of: destination)
      if destination != path, access(folder.isEmpty ? "." : folder, F_OK) != 0 {
        throw WriteError(
          path: path,
          reason:
            "it is a link to \(destination), whose folder does not exist: create it, or remove the link")
      }
      return destination
    }
    destination = target.hasPrefix("/") ? target : prefix(of: destination) + target
  }
  throw WriteError(path: path, ELOOP)
}

/// The target of a symbolic link; nil for anything else.
private func linkTarget(of path: String) -> String? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = readlink(path, &buffer, buffer.count)
  return count < 0 ? nil : String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The path up to and including the last slash; empty for the current folder.
private func prefix(of path: String) -> String {
  path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
}
