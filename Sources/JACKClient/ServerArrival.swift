/// Notices a JACK server that starts while Tactus plays on a private one.
///
/// Reads the kernel's table of sockets. Asking libjack would need a second client in this process, which libjack does not
/// support.
struct ServerArrival {
  /// Milliseconds between two looks.
  private static let interval = 2_000

  private var next = 0
  private var hasCome = false

  /// - Parameters:
  ///   - now: milliseconds of a monotonic clock.
  ///   - isListening: whether the server runs.
  /// - Returns: true once, as soon as the server runs.
  mutating func isNoticed(now: Int, isListening: () -> Bool) -> Bool {
    guard !hasCome, now >= next else { return false }
    next = now + ServerArrival.interval
    hasCome = isListening()
    return hasCome
  }

  /// The socket on which a server listens; nil if it does not run.
  /// - Parameters:
  ///   - table: the text of `/proc/net/unix`.
  ///   - user: the server's user ID. Servers of other users can't be joined.
  static func socket(ofServer name: String, user: UInt32, in table: String) -> String? {
    // Flags and path, such as `00010000` and `/dev/shm/jack_default_1000_0`. The file alone proves nothing: a server may have
    // left it behind.
    let (listening, end) = (0x10000, "/jack_\(name)_\(user)_0")
    for line in table.split(separator: "\n") where line.hasSuffix(end) {
      let fields = line.split(separator: " ", maxSplits: 7)
      guard fields.count == 8, let flags = Int(fields[3], radix: 16), flags & listening != 0 else { continue }
      return String(fields[7])
    }
    return nil
  }
}
