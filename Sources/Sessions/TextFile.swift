import Foundation

/// A text file that was read whole: UTF-8, no larger than `sizeLimit`.
struct TextFile {
  /// The largest file that is read, in bytes.
  static let sizeLimit = 16_000_000

  let path: String
  let text: String
  /// What tells a file from every other one, however it is called.
  let identity: Identity

  struct Identity: Hashable {
    let device: UInt
    let inode: UInt
  }

  /// Why there is no text.
  enum Refusal: Error {
    /// It is missing, can't be read, is no regular file, or too large.
    case file(what: String, allowed: String)
    /// It is no UTF-8.
    case content(Fault)
  }

  /// - Throws: `Fault` at the first line for a file that can't be read, and where it is no text.
  init(path: String) throws(Fault) {
    do throws(Refusal) { try self.init(reading: path) } catch {
      switch error {
      case .file(let what, let allowed):
        throw Fault(file: path, line: 1, column: 1, what: what, allowed: allowed)
      case .content(let fault): throw fault
      }
    }
  }

  init(reading path: String) throws(Refusal) {
    func refuse(_ what: String, allowed: String) -> Refusal { .file(what: what, allowed: allowed) }
    guard !path.utf8.contains(0), !path.isEmpty else {
      throw refuse("path", allowed: "a path without NUL bytes")
    }
    // Not blocking: to open a pipe would otherwise wait for somebody to write into it.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw refuse("file: \(String(cString: strerror(errno)))", allowed: "a file that can be read")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw refuse("no regular file", allowed: "a text file, no folder, pipe or device")
    }
    identity = Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
    let bytes = TextFile.bytes(descriptor)
    guard let bytes else {
      throw refuse("file: \(String(cString: strerror(errno)))", allowed: "a file that can be read")
    }
    guard bytes.count <= TextFile.sizeLimit else {
      throw refuse(
        "file of more than \(TextFile.sizeLimit) bytes", allowed: "at most \(TextFile.sizeLimit) bytes")
    }
    self.path = path
    do throws(Fault) { text = try TextFile.text(bytes, path: path) } catch { throw .content(error) }
  }

  /// All bytes, or one more than the limit; nil where reading fails.
  private static func bytes(_ descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 18)
    while bytes.count <= sizeLimit {
      let count = read(descriptor, &block, block.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += block[..<count]
    }
    return bytes
  }

  /// The text without a byte order mark.
  /// - Throws: `Fault` at the first byte that is no UTF-8, or is NUL.
  static func text(_ bytes: [UInt8], path: String) throws(Fault) -> String {
    let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    func refuse(_ index: Int, _ what: String, allowed: String) -> Fault {
      let before = body[..<index]
      let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? before.startIndex
      let line = before.count { $0 == 0x0A } + 1
      let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
      return Fault(file: path, line: line, column: column, what: what, allowed: allowed)
    }
    if let index = body.firstIndex(of: 0) {
      throw refuse(index, "NUL byte", allowed: "text")
    }
    if let text = String(validating: body, as: UTF8.self) { return text }
    let index = firstInvalid(body)
    let hex = String(body[index], radix: 16, uppercase: true)
    throw refuse(index, "byte 0x\(hex.count < 2 ? "0" : "")\(hex)", allowed: "UTF-8 text")
  }

  /// Where the first sequence that is no UTF-8 begins.
  private static func firstInvalid(_ bytes: ArraySlice<UInt8>) -> Int {
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var index = bytes.startIndex
    while true {
      switch decoder.parseScalar(from: &iterator) {
      case .valid(let scalar): index += scalar.count
      case .error, .emptyInput: return min(index, bytes.endIndex - 1)
      }
    }
  }
}
