import MIDI
import TestNumbers

/// A machine that sends a MIDI clock, with jitter and gaps.
struct ClockSender {
  private var numbers: Generator
  /// Nanoseconds between pulses; 0 while it is stopped.
  private var pulse = 0.0
  private var jitter = 0.0
  /// The number of the next pulse, and its exact time.
  private var count = 0
  private var next = 0.0
  private var start = 0.0
  private var silentUntil: UInt64 = 0
  private var waiting: [MIDIMessage] = []
  private(set) var isRunning = false
  /// Whether receivers can know which pulse is on a quarter.
  private var isPlaceKnown = false
  /// Since when it has sent without gaps or changes.
  private(set) var steadySince = UInt64.max

  init(seed: UInt64) { numbers = Generator(seed: seed) }

  mutating func start(thousandths: Int, jitter: Int, at time: UInt64) {
    pulse = 60e12 / Double(thousandths) / 24
    self.jitter = Double(jitter) * 1_000
    start = Double(time) + 50_000_000
    (count, next, isRunning, steadySince) = (0, start, true, time)
    isPlaceKnown = true
    // The position is unknown after a start whose first pulses are missing.
    silentUntil = 0
    waiting = [.start]
  }

  /// Nanoseconds of a whole note.
  var wholeTime: UInt64 { UInt64(96 * pulse) }

  mutating func stop() {
    if isRunning { waiting.append(.stop) }
    (isRunning, steadySince) = (false, .max)
  }

  mutating func dropOut(from time: UInt64, until end: UInt64) {
    silentUntil = end
    guard isRunning else { return }
    steadySince = end
    // Pulses contain no position: a receiver that does not know the tempo well, or has lost the clock, can't count missing
    // ones.
    if Double(time) < start + 4e9 || Double(end - time) > max(0.5e9, 4 * pulse) { isPlaceKnown = false }
  }

  /// Nanoseconds from the machine's nearest quarter, or from its nearest pulse if the position can't be known.
  func distance(at time: UInt64) -> Double {
    let length = isPlaceKnown ? 24 * pulse : pulse
    let count = (Double(time) - start) / length
    return abs(count - count.rounded()) * length
  }

  /// Skips the pulses before a period that were lost in missed cycles or without a client. A receiver can't count them. The
  /// first pulse waits for a receiver.
  private mutating func passOver(until time: UInt64) {
    // Times of cycles are whole nanoseconds.
    guard isRunning, next + 1_000 < Double(time) else { return }
    steadySince = max(steadySince, time)
    guard count > 0 else {
      (start, next) = (Double(time), Double(time))
      return
    }
    isPlaceKnown = false
    count += Int(((Double(time) - next) / pulse).rounded(.up))
    next = start + Double(count) * pulse
  }

  /// Sends the messages that are due in a period.
  mutating func send(_ period: Range<UInt64>, rate: Int, into port: SimulatedPort) {
    passOver(until: period.lowerBound)
    var last = 0
    func offset(_ time: Double) -> Int {
      let frames = (time - Double(period.lowerBound)) * Double(rate) / 1e9
      return max(last, min(Int(frames), Int(Double(period.count) * Double(rate) / 1e9) - 1))
    }
    if !isRunning {
      for message in waiting { port.send(message, at: 0) }
      waiting = []
      return
    }
    while next < Double(period.upperBound) {
      let stray = jitter > 0 ? Double(numbers.number(-1_000...1_000)) / 1_000 * jitter : 0
      last = max(0, offset(next + stray))
      if next >= Double(silentUntil) {
        for message in waiting { port.send(message, at: last) }
        waiting = []
        port.send(.clock, at: last)
      }
      count += 1
      next = start + Double(count) * pulse
    }
  }
}
