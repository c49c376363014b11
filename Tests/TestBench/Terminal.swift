import Glibc

/// A terminal for a program under test: somebody types on it and sees how it is set.
public final class Terminal: Sendable {
  private let master: Int32
  let slave: Int32

  public init() throws {
    // What `posix_openpt`, `unlockpt` and `ptsname` do, which Swift doesn't import.
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (number, unlocked): (Int32, Int32) = (0, 0)
    guard master >= 0, ioctl(master, Terminal.setLock, &unlocked) == 0,
      ioctl(master, Terminal.getNumber, &number) == 0
    else { throw BenchError("no terminal: \(String(cString: strerror(errno)))") }
    // Kept open, so that the terminal outlives the program and can be looked at.
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw BenchError("no terminal: \(String(cString: strerror(errno)))") }
  }

  /// `TIOCSPTLCK` and `TIOCGPTN`, macros of <asm-generic/ioctls.h>.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  deinit {
    close(master)
    close(slave)
  }

  /// Types keys.
  public func type(_ keys: String) { _ = write(master, keys, keys.utf8.count) }

  /// Whether keys come one by one and unseen.
  public var isRaw: Bool {
    var modes = termios()
    tcgetattr(master, &modes)
    return modes.c_lflag & tcflag_t(ICANON | ECHO) == 0
  }

  /// A descriptor of its own from which what the program shows is read.
  var output: Int32 { dup(master) }
}
