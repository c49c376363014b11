import Validation

/// A key that lets remotes on other machines in.
package struct RemoteKey: Hashable, Sendable {
  /// The user's name for it.
  package let name: String
  /// 128 random bits, as text for an address.
  package let token: String
  /// Whether its remotes may change anything, or only look.
  package let mayWrite: Bool

  /// Makes a key with a new token.
  /// - Throws: `InvalidValue` for a name that the file could not hold.
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

  /// 22 letters of 6 bits each, from the system's generator.
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

/// Six digits that can be typed once in place of a key, for some minutes.
package struct RemotePIN: Hashable, Sendable {
  package let digits: String
  /// The key that it stands for.
  package let token: String
  /// When it ends, in seconds since 1970.
  package let end: Int64

  /// Seconds for which it lasts.
  package static let lifetime: Int64 = 600

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
