import Synchronization

/// Authenticates clients on other machines by a key or the PIN.
///
/// - Thread: web. It reads a small file, and writes it when a PIN was used.
package final class Authenticator: Sendable {
  private struct State {
    /// The last PIN that was tried, the number of wrong attempts, and whether it was used.
    var pin: (pin: RemotePIN, faults: Int, isUsed: Bool)?
  }

  /// How many wrong attempts invalidate a PIN.
  static let tries = 5

  /// How long the web thread waits for a program that changes the file.
  private static let patience = Duration.milliseconds(20)

  private let file: KeyFile
  private let state = Mutex(State())

  /// - Parameter file: read at each call.
  package init(_ file: KeyFile) { self.file = file }

  /// The key for a secret; nil if the secret is not valid.
  /// - Parameters:
  ///   - secret: a token or a PIN. A correct PIN is used up.
  ///   - now: seconds since 1970.
  func key(for secret: String, now: Int64) -> RemoteKey? {
    let content = file.read()
    if !RemotePIN.isPIN(secret) { return content.keys.first { Authenticator.isSame($0.token, secret) } }
    guard let pin = content.pin, now < pin.end else { return nil }
    let fits = state.withLock { state in
      var (faults, isUsed) = (0, false)
      if let known = state.pin, known.pin == pin { (faults, isUsed) = (known.faults, known.isUsed) }
      guard faults < Authenticator.tries, !isUsed else { return false }
      let fits = Authenticator.isSame(pin.digits, secret)
      state.pin = (pin, faults + (fits ? 0 : 1), fits)
      return fits
    }
    if fits || isSpent { forget(pin) }
    return fits ? content.keys.first { $0.token == pin.token } : nil
  }

  /// Whether the present PIN can no longer be tried.
  private var isSpent: Bool {
    state.withLock { $0.pin.map { $0.isUsed || $0.faults >= Authenticator.tries } ?? false }
  }

  /// Removes a PIN from the file, so that it is not valid again after a restart. If that fails, it stays invalid in this run, and
  /// the next attempt with a PIN tries again.
  private func forget(_ pin: RemotePIN) {
    try? file.change(within: Authenticator.patience) { content in
      guard content.pin == pin else { return }
      content.pin = nil
    }
  }

  /// Whether a key has not been revoked.
  func knows(_ key: RemoteKey) -> Bool { file.read().keys.contains(key) }

  /// Compares in constant time, so that the time does not reveal how many characters are equal.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
