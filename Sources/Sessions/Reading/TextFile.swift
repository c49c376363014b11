import Files
import Glibc

/// A text file, read completely: UTF-8, of limited size. All text files that others may have written are read with this type.
struct TextFile {
  /// The largest document, in bytes.
  static let sizeLimit = 16_000_000

  let path: String
  let text: String
  /// Whether the file begins with a byte order mark, which `text` does not contain.
  let hasByteOrderMark: Bool
  /// Identifies the file independently of its path.
  let identity: FileIdentity

  /// Why the file could not be read.
  enum ReadError: Error {
    /// It is missing or can't be read; contains the system's error number.
    case system(Int32)
    /// The path is invalid, or the file is not a regular file or too large.
    case file(what: String, allowed: String)
    /// Not UTF-8.
    case content(Fault)

    /// The problem and what would be accepted; nil for `content`, whose fault contains both.
    var ofFile: (what: String, allowed: String)? {
      switch self {
      case .system(ENOENT): ("no such file", "one that exists")
      case .system(let code): ("file: \(String(cString: strerror(code)))", "a file that can be read")
      case .file(let what, let allowed): (what, allowed)
      case .content: nil
      }
    }
  }

  /// - Throws: `Fault`: at line 1 if the file can't be read, otherwise at the first byte that is not text.
  init(path: String) throws(Fault) {
    do throws(ReadError) { try self.init(reading: path) } catch {
      if case .content(let fault) = error { throw fault }
      throw Fault(
        file: path, line: 1, column: 1, what: error.ofFile?.what ?? "", allowed: error.ofFile?.allowed ?? "")
    }
  }

  /// - Parameter limit: the maximum size in bytes.
  init(reading path: String, limit: Int = sizeLimit) throws(ReadError) {
    let (bytes, identity) = try TextFile.bytes(of: path, limit: limit)
    self.path = path
    self.identity = identity
    hasByteOrderMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    do throws(Fault) { text = try TextFile.text(bytes, path: path) } catch { throw .content(error) }
  }

  /// The content of a regular file.
  static func bytes(
    of path: String, limit: Int
  ) throws(ReadError) -> (bytes: [UInt8], identity: FileIdentity) {
    guard !path.utf8.contains(0), !path.isEmpty else {
      throw .file(what: "path", allowed: "a path without NUL bytes")
    }
    // Without O_NONBLOCK, opening a named pipe waits for a writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .system(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .file(what: "no regular file", allowed: "a text file, no folder, pipe or device")
    }
    guard let bytes = readAll(descriptor, limit: limit, expecting: Int(status.st_size)) else {
      throw .system(errno)
    }
    guard bytes.count <= limit else {
      throw .file(what: "file of more than \(limit) bytes", allowed: "at most \(limit) bytes")
    }
    return (bytes, FileIdentity(status))
  }

  /// The text without a byte order mark.
  /// - Throws: `Fault` at the first byte that is NUL or not UTF-8.
  static func text(_ bytes: [UInt8], path: String) throws(Fault) -> String {
    let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    func refuse(_ index: Int, _ what: String, allowed: String) -> Fault {
      let before = body[..<index]
      let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? before.startIndex
      let line = before.count { $0 == 0x0A } + 1
      let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
      return Fault(file: path, line: line, column: column, what: what, allowed: allowed)
    }
    if let index = body.withUnsafeBytes({ $0.place(of: 0) }).map({ body.startIndex + $0 }) {
      throw refuse(index, "NUL byte", allowed: "text")
    }
    if let text = String(validating: body, as: UTF8.self) { return text }
    let index = firstInvalid(body)
    let hex = String(body[index], radix: 16, uppercase: true)
    throw refuse(index, "byte 0x\(hex.count < 2 ? "0" : "")\(hex)", allowed: "UTF-8 text")
  }

  /// The index of the first invalid UTF-8 sequence.
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

extension UnsafeRawBufferPointer {
  /// The index of the first byte of a value; nil if there is none.
  func place(of byte: UInt8) -> Int? {
    guard let base = baseAddress, let found = memchr(base, Int32(byte), count) else { return nil }
    return UnsafeRawPointer(found) - base
  }
}
