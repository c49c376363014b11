import Glibc

/// Wakes one waiting thread from any other, a JACK callback included. Posts that nobody waits for merge.
public final class Event: Sendable {
  private let reading: Int32
  private let writing: Int32

  public init() {
    (reading, writing) = makePipe()
    for end in [reading, writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Never blocks: a full pipe already wakes the waiter.
  public func post() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// Waits for a post since the last wait; `false` when the deadline passed without one.
  @discardableResult
  public func wait(until deadline: Deadline) -> Bool {
    var descriptor = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, deadline.milliseconds) > 0 else { return false }
    var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    while read(reading, &bytes, 32) == 32 {}
    return true
  }

  /// Waits until `condition` yields a value, looking again after every post.
  public func wait<Value>(until deadline: Deadline, for condition: () throws -> Value?) rethrows -> Value? {
    while true {
      if let value = try condition() { return value }
      if deadline.hasPassed { return nil }
      wait(until: deadline)
    }
  }
}

/// A pipe that no child inherits: its reading and its writing end.
func makePipe() -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  precondition(pipe(&ends) == 0, "no file descriptors left")
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}
