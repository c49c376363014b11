/// A second-order delay-locked loop over the times of clock pulses: it foresees each pulse, and moves its phase and
/// period by a share of what the pulse strays from that (Fons Adriaensen, "Using a DLL to filter time", 2005).
///
/// The shares begin as those of a least-squares line through all pulses so far, which finds phase and period soonest,
/// and narrow from pulse to pulse down to b = √2·ω and c = ω². A lasting stray opens them again.
struct PulseLoop: BitwiseCopyable {
  /// ω where the loop is narrowest, in radians a pulse: its memory is ten quarter notes long.
  private static let bandwidth = 0.004
  private static let squareRootOfTwo = 1.414_213_562_373_095
  /// The weight of what is known where the strays say that it is no longer right.
  private static let reopened = 8.0
  /// The weight of a line through five pulses.
  private static let rowWeight = 5.0

  /// The latest pulse's time without its jitter, in frames.
  private(set) var tick = 0.0
  /// Frames from pulse to pulse.
  private(set) var period: Double
  /// The pulses that phase and period rest on; 0 where there has been none.
  private(set) var weight = 0.0

  private var jitter = PulseJitter()
  private var row = PulseRow()
  /// Ticks that were lately counted beyond the pulses, and the pulses since.
  private var assumed: Int64 = 0
  private var pulsesSinceAssumed = 0

  private let framesPerSecond: Double
  /// The fastest and the slowest clock's period in frames.
  private let fastest: Double
  private let slowest: Double

  /// - Parameters:
  ///   - sampleRate: frames a second.
  ///   - beatsPerMinute: what is taken for the tempo until the second pulse.
  @_noLocks
  init(sampleRate: Int, beatsPerMinute: Double) {
    framesPerSecond = Double(sampleRate)
    fastest = framesPerSecond * 60 / (24 * 999)
    slowest = framesPerSecond * 60 / 24
    period = framesPerSecond * 60 / (24 * beatsPerMinute)
  }

  /// Whether the standard error of `tick` is less than a number of frames.
  @_noLocks
  func isSure(to frames: Double) -> Bool {
    4 * jitter.deviation * jitter.deviation < frames * frames * weight
  }

  /// Whether no pulse has come, or none for half a second and four pulses.
  @_noLocks
  func isLost(at frame: Int64) -> Bool {
    // After the first pulse nobody knows when the second should come.
    let patience = weight < 2 ? 2 * slowest : max(framesPerSecond / 2, 4 * period)
    return weight == 0 || Double(frame) - row.last > patience
  }

  /// Takes a pulse.
  /// - Returns: by how many ticks the count moves on: 1, more where pulses were missing, 0 where there was one too many;
  ///   less than 0 where pulses seemed to be missing and the clock turns out to be slower.
  @_noLocks
  mutating func take(_ frame: Int64) -> Int64 {
    let time = Double(frame)
    guard !isLost(at: frame) else { return begin(at: frame) }
    let passed = ticks(until: time)
    row.append(time)
    if weight >= 2, row.judge(period: period, deviation: jitter.ceiling, passed: passed) {
      return passed + changeTempo()
    }
    tick += Double(passed) * period
    let stray = time - tick
    let correction = weigh(stray, passed)
    // What may be another tempo must not bend this one.
    if !row.isDoubtful { move(by: stray - Double(correction) * period) }
    return passed + correction
  }

  /// Lets a pulse that is out of place set the phase: a clock may begin its pulses anew where it starts.
  @_noLocks
  mutating func align(to frame: Int64) {
    let stray = Double(frame) - tick
    let tolerance = 4 * jitter.deviation + 2
    guard stray > tolerance || stray < -tolerance else { return }
    tick = Double(frame)
    reopen()
  }

  /// The first pulse, or the first after the clock was lost; the count goes on as if it had been there.
  @_noLocks
  private mutating func begin(at frame: Int64) -> Int64 {
    row.begin(at: Double(frame))
    assumed = 0
    guard weight > 0 else {
      (tick, weight) = (Double(frame), 1)
      return 1
    }
    let passed = nearest((Double(frame) - tick) / period)
    tick += Double(passed) * period
    align(to: frame)
    return passed
  }

  /// How many ticks a pulse is after the last one. Another number than 1 must be told by its place and by the interval
  /// before it, or a change of tempo would pass for pulses that are missing.
  @_noLocks
  private func ticks(until time: Double) -> Int64 {
    let interval = time - row.last
    // So narrow must the jitter be that a time lies next to the right one of the ticks.
    guard interval > 1.5 * period || interval < 0.4 * period, 2.5 * jitter.ceiling < period / 2,
      isSure(to: period / 16)
    else { return 1 }
    let stray = time - tick - period
    let missing = nearest(stray / period)
    let rest = stray - Double(missing) * period
    let tolerance = 4 * jitter.deviation + 1
    guard rest < tolerance, rest > -tolerance else { return 1 }
    // A pulse can be one too many only where another, which was late, was taken for a later one.
    return max(1 + missing, assumed > 0 ? 0 : 1)
  }

  /// Goes on with the tempo of a row of pulses.
  /// - Returns: what the count was wrong by.
  @_noLocks
  private mutating func changeTempo() -> Int64 {
    setPeriod(row.line.period)
    (tick, weight) = (row.line.tick, PulseLoop.rowWeight)
    let lack = row.lack
    row.clear()
    jitter.forgetBias()
    assumed = 0
    return lack
  }

  /// Learns from what a pulse strays, and opens the loop where that is more than jitter.
  /// - Returns: what the count was wrong by.
  @_noLocks
  private mutating func weigh(_ stray: Double, _ passed: Int64) -> Int64 {
    if passed != 1 { (assumed, pulsesSinceAssumed) = (assumed + passed - 1, 0) }
    pulsesSinceAssumed += 1
    if pulsesSinceAssumed > 16 { assumed = 0 }
    guard weight >= 2 else { return 0 }
    jitter.note(stray, foreseenFrom: weight)
    guard jitter.isBiased else { return 0 }
    reopen()
    defer { assumed = 0 }
    // Where a tick lies next to a time by chance, the new tempo rather than drop-outs made it seem missing.
    let correction = 4 * jitter.deviation > period / 6 ? -assumed : 0
    tick += Double(correction) * period
    return correction
  }

  @_noLocks
  private mutating func move(by stray: Double) {
    weight = min(weight + 1, 1_000_000)
    let (n, omega) = (weight, PulseLoop.bandwidth)
    tick += max(2 * (2 * n - 1) / (n * (n + 1)), PulseLoop.squareRootOfTwo * omega) * stray
    setPeriod(period + max(6 / (n * (n + 1)), omega * omega) * stray)
  }

  @_noLocks
  private mutating func reopen() {
    weight = min(weight, PulseLoop.reopened)
    jitter.forgetBias()
  }

  @_noLocks
  private mutating func setPeriod(_ frames: Double) { period = min(max(frames, fastest), slowest) }
}

/// The nearest whole number (ties away from zero) to one that is not large. (`rounded` is closed to the callback.)
@_noLocks
private func nearest(_ number: Double) -> Int64 { Int64(number < 0 ? number - 0.5 : number + 0.5) }
