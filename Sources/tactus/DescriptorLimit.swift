import Glibc

/// The limit of open files and sockets of this process.
enum DescriptorLimit {
  /// The number that a run needs: up to 30 for itself (JACK, OSC, the settings, speech) and one for each other JACK client.
  static let least = 64
  /// The limit to request, if allowed.
  private static let wanted = 1_024

  /// Raises the soft limit if it is low.
  /// - Throws: `CommandError` if the limit stays below `least`: without descriptors libjack crashes or hangs, and jackd with it.
  static func check() throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    if limit.rlim_cur < wanted {
      limit.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
      _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    guard limit.rlim_cur >= least else {
      throw CommandError(
        "the limit of open files (ulimit -n) is \(limit.rlim_cur): must be at least \(least); ulimit -n \(wanted) raises it",
        code: .unavailable)
    }
  }
}
