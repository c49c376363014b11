import Files
import Glibc

/// Notices a JACK server that starts while Tactus plays on a private one, and lists the servers that run.
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

  /// The names of the servers that run.
  /// - Parameters:
  ///   - table: the text of `/proc/net/unix`.
  ///   - user: the servers' user ID. Servers of other users can't be joined.
  ///   - exists: whether there is a file. The table may also contain servers of other containers.
  static func servers(user: UInt32, in table: String, exists: (String) -> Bool) -> Set<String> {
    // Flags and path, such as `00010000` and `/dev/shm/jack_default_1000_0`. The file alone proves nothing: a server may have
    // left it behind.
    let (listening, beginning, end) = (0x10000, "jack_", "_\(user)_0")
    var servers: Set<String> = []
    for line in table.split(separator: "\n") where line.hasSuffix(end) {
      let fields = line.split(separator: " ", maxSplits: 7)
      guard fields.count == 8, let flags = Int(fields[3], radix: 16), flags & listening != 0,
        let file = fields[7].split(separator: "/").last, file.hasPrefix(beginning), exists(String(fields[7]))
      else { continue }
      servers.insert(String(file.dropFirst(beginning.count).dropLast(end.count)))
    }
    return servers
  }

  /// The names of the servers of this user that run now.
  static func servers() -> Set<String> {
    let table = String(decoding: content(of: "/proc/net/unix") ?? [], as: UTF8.self)
    return servers(user: geteuid(), in: table, exists: fileExists)
  }
}
