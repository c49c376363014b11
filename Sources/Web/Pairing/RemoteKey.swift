import Validation

/// A key with which remotes on other machines may connect.
package struct RemoteKey: Hashable, Sendable {
  /// The user's name for it: 1 to 32 ASCII letters, digits, - or _.
  package let name: String
  /// 128 random bits, as 22 characters that are safe in a URL.
  package let token: String
  /// Whether its remotes may change everything, or only read.
  package let mayWrite: Bool

  /// Makes a key with a new token.
  /// - Throws: `InvalidValue` for another name.
  package init(name: String, mayWrite: Bool) throws(InvalidValue) {
    guard 1...32 ~= name.utf8.count, name.utf8.allSatisfy(RemoteKey.isPlain) else {
      throw InvalidValue("name", quoted(name), allowed: "1 to 32 letters, digits, - or _")
    }
    self.init(name: name, token: RemoteKey.newToken(), mayWrite: mayWrite)
  }

  init(name: String, token: String, mayWrite: Bool) {
    (self.name, self.token, self.mayWrite) = (name, token, mayWrite)
  }

  static func isPlain(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// 22 characters of 6 bits each, from the system's random generator.
  private static func newToken() -> String {
    var generator = SystemRandomNumberGenerator()
    var bits = UInt128(generator.next()) << 64 | UInt128(generator.next())
    return String(
      (0..<22).map { _ in
        defer { bits >>= 6 }
        return letters[Int(bits & 63)]
      })
  }
}

/// Six digits that replace a key once, for `lifetime` seconds, for users who can't scan its QR code.
package struct RemotePIN: Hashable, Sendable {
  /// Six ASCII digits.
  package let digits: String
  /// The token of its key.
  package let token: String
  /// When it expires, in seconds since 1970.
  package let end: Int64

  /// For how many seconds a PIN is valid.
  package static let lifetime: Int64 = 600

  /// Makes a random PIN.
  /// - Parameter now: seconds since 1970.
  package init(for key: RemoteKey, now: Int64) {
    let number = Int.random(in: 0..<1_000_000)
    let text = String(number)
    self.init(
      digits: String(repeating: "0", count: 6 - text.count) + text, token: key.token,
      end: now + RemotePIN.lifetime)
  }

  init(digits: String, token: String, end: Int64) {
    (self.digits, self.token, self.end) = (digits, token, end)
  }

  /// Whether a secret has the form of a PIN.
  static func isPIN(_ text: String) -> Bool {
    text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
