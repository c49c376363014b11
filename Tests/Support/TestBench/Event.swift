import Glibc

/// Wakes one waiting thread from any other thread, including a JACK callback. Posts without a waiting thread merge into one.
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

  /// Never blocks: if the pipe is full, the waiting thread wakes anyway.
  public func post() {
    var byte: UInt8 = 1
    _ = write(writing, &byte, 1)
  }

  /// Waits for a post since the last wait; returns `false` at the deadline.
  @discardableResult
  public func wait(until deadline: Deadline) -> Bool {
    var descriptor = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, deadline.milliseconds) > 0 else { return false }
    var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    while read(reading, &bytes, 32) == 32 {}
    return true
  }

  /// Waits until `condition` returns a value; checks it after every post.
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
