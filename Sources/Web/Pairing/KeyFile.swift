import Files
import Glibc

/// Why the file of keys was not read.
package struct KeyFileError: Error, CustomStringConvertible {
  let path: String
  let reason: String

  package var description: String { "the keys in \(path) can't be read: \(reason)" }
}

/// The file of keys, which only its user may read. `tactus remote` and the panel write it; the server reads it when a client
/// pairs, and removes a PIN that was used.
package struct KeyFile: Sendable {
  /// The path of the file; it need not exist.
  package let path: String

  /// The content of the file.
  package struct Content: Hashable, Sendable {
    /// In the order in which they were made.
    package var keys: [RemoteKey] = []
    /// The PIN that was made last; nil if there is none or it was used up.
    package var pin: RemotePIN?
  }

  package init(path: String) { self.path = path }

  /// The user's own file.
  package static var own: KeyFile { KeyFile(path: UserFolder.state.path + "/tactus/remote-keys") }

  private static let head = "# Anyone who has this file can control Tactus. Written by tactus remote.\n"
  /// The largest file that is read, in bytes.
  private static let limit = 65_536

  /// The keys; empty if there is no file, or if other users can read it, because they may know the keys.
  package func read() -> Content { (try? readForChange()) ?? Content() }

  /// Reads the keys, changes them and writes them back, while no other program and no other thread can. Without that, one of two
  /// changes at the same time would be lost: a new key, or worse, a revocation.
  /// - Parameters:
  ///   - patience: how long to wait for others who change the file.
  ///   - body: changes the content. If it throws, or changes nothing, nothing is written.
  /// - Returns: the body's result.
  /// - Throws: `KeyFileError` if the file can't be read, is not safe, or contains lines that writing it back would lose;
  ///   `WriteError`; the errors of the body. The file is then unchanged.
  @discardableResult
  package func change<T>(
    within patience: Duration = .seconds(5), _ body: (inout Content) throws -> T
  ) throws -> T {
    try PrivateFolder.makeFolder(of: path)
    return try FileLock.holding(path, within: patience) {
      let before = try readForChange()
      var content = before
      let result = try body(&content)
      if content != before { try write(content) }
      return result
    }
  }

  /// The keys; empty if there is no file.
  /// - Throws: `KeyFileError`, as `change`.
  func readForChange() throws(KeyFileError) -> Content {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return Content() }
      throw KeyFileError(path: path, reason: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
    else {
      throw KeyFileError(path: path, reason: "it must be a regular file that belongs to you")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw KeyFileError(path: path, reason: "others can read it: delete it and make new keys")
    }
    guard status.st_size <= KeyFile.limit, let bytes = readAll(descriptor, limit: KeyFile.limit) else {
      throw KeyFileError(path: path, reason: "it is too large")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let content = KeyFile.content(text)
    let lines = text.split(separator: "\n").count { !$0.hasPrefix("#") }
    guard lines == content.keys.count + (content.pin == nil ? 0 : 1) else {
      throw KeyFileError(path: path, reason: "it contains lines that are not keys")
    }
    return content
  }

  /// Replaces the file, and creates its folder. Only `change` keeps what others write at the same time.
  /// - Throws: `WriteError`; the file is then unchanged.
  func write(_ content: Content) throws(WriteError) {
    var text = KeyFile.head
    for key in content.keys {
      text += "key \(key.name) \(key.mayWrite ? "control" : "viewer") \(key.token)\n"
    }
    if let pin = content.pin { text += "pin \(pin.digits) \(pin.token) \(pin.end)\n" }
    try PrivateFolder.makeFolder(of: path)
    try WholeFile.write(text.utf8, to: path, mode: 0o600)
  }

  /// Parses a file. Skips invalid lines.
  static func content(_ text: String) -> Content {
    var content = Content()
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 4 else { continue }
      switch (words[0], words[2]) {
      case ("key", "control"), ("key", "viewer"):
        guard words[3].utf8.count == 22 else { continue }
        content.keys.append(RemoteKey(name: words[1], token: words[3], mayWrite: words[2] == "control"))
      case ("pin", _):
        guard RemotePIN.isPIN(words[1]), let end = Int64(words[3]) else { continue }
        content.pin = RemotePIN(digits: words[1], token: words[2], end: end)
      default: continue
      }
    }
    return content
  }
}
