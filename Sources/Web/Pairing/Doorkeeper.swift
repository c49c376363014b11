import Synchronization

/// Decides who on another machine may come in: who has a key, or types the PIN.
///
/// - Thread: web. It reads a small file.
package final class Doorkeeper: Sendable {
  private struct State {
    /// Wrong PINs since this one was made, and whether it was used.
    var pin: (pin: RemotePIN, faults: Int, isUsed: Bool)?
  }

  /// How many wrong PINs end a PIN.
  static let tries = 5

  private let file: KeyFile
  private let state = Mutex(State())

  package init(_ file: KeyFile) { self.file = file }

  /// The key that a secret stands for; nil if it is none.
  /// - Parameters:
  ///   - secret: a token or a PIN.
  ///   - now: in seconds since 1970.
  func key(for secret: String, now: Int64) -> RemoteKey? {
    let content = file.read()
    if !RemotePIN.isPIN(secret) { return content.keys.first { Doorkeeper.isSame($0.token, secret) } }
    guard let pin = content.pin, now < pin.end else { return nil }
    let fits = state.withLock { state in
      var (faults, isUsed) = (0, false)
      if let known = state.pin, known.pin == pin { (faults, isUsed) = (known.faults, known.isUsed) }
      guard faults < Doorkeeper.tries, !isUsed else { return false }
      let fits = Doorkeeper.isSame(pin.digits, secret)
      state.pin = (pin, faults + (fits ? 0 : 1), fits)
      return fits
    }
    return fits ? content.keys.first { $0.token == pin.token } : nil
  }

  /// Whether a key has not been revoked.
  func knows(_ key: RemoteKey) -> Bool { file.read().keys.contains(key) }

  /// Compares in a time that does not depend on how much is equal.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | $1.0 ^ $1.1 } == 0
  }
}
