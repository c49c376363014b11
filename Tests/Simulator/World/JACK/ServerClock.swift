/// When the cycles of a simulated server begin, in simulated nanoseconds, in the server's frames, and in frames of the program's
/// clock.
struct ServerClock {
  /// Frames per second.
  let rate: Int
  /// The start from which cycles are counted, and the number of frames since.
  private var origin: (time: UInt64, frames: Int64)
  /// The server's frame time at the current cycle's start, and the instant of that start.
  private(set) var cycleStart: (frame: UInt32, time: UInt64)
  /// The frame time of the next cycle.
  private var nextFrame: UInt32
  /// A frame of the program's clock and the time at which it is rendered; nil before a client's first cycle.
  private var anchor: (frame: Int64, time: UInt64)?

  /// The clock of a server that starts now.
  init(rate: Int, at now: UInt64) {
    self.rate = rate
    (origin, cycleStart, nextFrame) = ((now, 0), (0, now), 0)
  }

  /// The clock after a change of the rate or the period at the next cycle. The program's clock keeps its anchor.
  init(rate: Int, at now: UInt64, after old: ServerClock) {
    self.rate = rate
    origin = (now, 0)
    (cycleStart, nextFrame, anchor) = (old.cycleStart, old.nextFrame, old.anchor)
  }

  /// When the next cycle begins.
  var nextCycle: UInt64 { origin.time + nanoseconds(origin.frames) }

  func nanoseconds(_ frames: Int64) -> UInt64 {
    let (seconds, rest) = frames.quotientAndRemainder(dividingBy: Int64(rate))
    return UInt64(seconds) * 1_000_000_000 + UInt64(rest) * 1_000_000_000 / UInt64(rate)
  }

  /// Begins a cycle.
  /// - Parameter clock: the cycle's frame on the program's clock.
  mutating func beginCycle(_ clock: Int64, at now: UInt64) {
    anchor = (clock, now)
    cycleStart = (nextFrame, now)
  }

  /// Ends a cycle, or one that is missed.
  mutating func pass(frames: Int64) {
    origin.frames += frames
    nextFrame &+= UInt32(frames)
  }

  /// The program has no client whose clock could be related to the server's.
  mutating func forgetClient() { anchor = nil }

  /// The server's frame at a time; it also advances while cycles are missed.
  /// - Parameter drift: frames to subtract.
  func frame(at now: UInt64, drift: Int64) -> UInt32 {
    cycleStart.frame &+ UInt32(truncatingIfNeeded: ahead(at: now) - Int128(drift))
  }

  /// When the server's frame at a time began.
  func frameInstant(at now: UInt64) -> UInt64 {
    cycleStart.time &+ UInt64((ahead(at: now) * 1_000_000_000 + Int128(rate) - 1) / Int128(rate))
  }

  private func ahead(at now: UInt64) -> Int128 {
    Int128(Int64(bitPattern: now &- cycleStart.time)) * Int128(rate) / 1_000_000_000
  }

  /// When a frame of the program's clock is rendered.
  func time(of clockFrame: Int64) -> UInt64? {
    anchor.map { anchor in
      let ahead = clockFrame - anchor.frame
      let nanoseconds = nanoseconds(abs(ahead))
      return ahead < 0 ? anchor.time &- nanoseconds : anchor.time &+ nanoseconds
    }
  }

  /// The frame of the program's clock that is nearest to an instant.
  func frame(renderedAt time: UInt64) -> Int64? {
    anchor.map { anchor in
      let ahead = Int128(Int64(bitPattern: time &- anchor.time)) * Int128(rate)
      return anchor.frame + Int64((ahead + (ahead < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000)
    }
  }
}
