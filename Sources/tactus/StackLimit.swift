import Glibc

/// The limit of this process's stack size.
enum StackLimit {
  /// The smallest stack, in bytes. In tests the program crashed at its start with half of this.
  private static let least = 64 << 10

  /// Ends the program with a message if the limit is below `least`. The stack is then too small to throw an error through the
  /// parser of options.
  static func check() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0, limit.rlim_cur < least else {
      return
    }
    StandardError.put(
      "Error: the stack limit (ulimit -s) is \(limit.rlim_cur >> 10) KiB: must be at least \(least >> 10)\n"
    )
    exit(CommandError.Code.unavailable.rawValue)
  }
}
