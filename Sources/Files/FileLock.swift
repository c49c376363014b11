import Glibc

/// Excludes other programs and threads from a file (`flock`), until it is released or the program ends, however it ends.
///
/// The lock is on an empty file beside it, whose name ends in `.lock` and which stays: `WholeFile` replaces the file itself, so a
/// lock on that would exclude nobody.
package final class FileLock: Sendable {
  package enum Failure: Error {
    /// Another program, or another object of this one, holds the lock.
    case held
    /// There can be no lock, for example in a folder that can't be written.
    case impossible(WriteError)
  }

  /// The time between two attempts, in microseconds.
  private static let interval: UInt32 = 2_000

  private let descriptor: Int32

  /// Takes the lock of a file, without waiting for it.
  /// - Parameter path: the file, which need not exist; its folder must. Symbolic links are followed.
  /// - Thread: any but audio
  package init(on path: String) throws(Failure) {
    let file: String
    do throws(WriteError) { file = try followingLinks(path) } catch { throw .impossible(error) }
    // A file that is open for writing would keep its disk from being made read-only. On NFS
    // only a file that is open for writing can be locked.
    for access in [O_RDONLY, O_RDWR] {
      let opened = open(file + ".lock", access | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
      guard opened >= 0 else { throw .impossible(WriteError(path: path, errno)) }
      if flock(opened, LOCK_EX | LOCK_NB) == 0 {
        descriptor = opened
        return
      }
      let code = errno
      close(opened)
      if code == EAGAIN || code == EINTR { throw .held }
      if code != EBADF { throw .impossible(WriteError(path: path, code)) }
    }
    throw .impossible(WriteError(path: path, EBADF))
  }

  deinit { close(descriptor) }

  /// Runs a body while nobody else holds the lock of a file.
  /// - Parameter patience: how long to wait for another holder; there is at least one attempt.
  /// - Throws: `WriteError` if the lock was not free in that time, or can't be made; the errors of the body.
  /// - Thread: any but audio. The body must not take the same lock.
  @discardableResult
  package static func holding<T>(
    _ path: String, within patience: Duration, _ body: () throws -> T
  ) throws -> T {
    let lock = try taking(path, within: patience)
    return try withExtendedLifetime(lock) { try body() }
  }

  private static func taking(_ path: String, within patience: Duration) throws(WriteError) -> FileLock {
    let deadline = ContinuousClock.now + patience
    while true {
      do throws(Failure) { return try FileLock(on: path) } catch {
        if case .impossible(let reason) = error { throw reason }
        guard ContinuousClock.now < deadline else {
          throw WriteError(path: path, reason: "another program is changing it: try again")
        }
        usleep(interval)
      }
    }
  }
}
