import MusicTime

/// A second-order delay-locked loop over the times of clock pulses: it predicts each pulse, and corrects its phase and
/// period by a fraction of the prediction error (Fons Adriaensen, "Using a DLL to filter time", 2005).
///
/// The fractions start with the values of a least-squares fit through all pulses so far, which converges fastest, and
/// narrow from pulse to pulse down to b = √2·ω and c = ω². A lasting error widens them again.
struct PulseLoop: BitwiseCopyable {
  /// The narrowest ω in radians per pulse: a memory of ten quarter notes.
  private static let bandwidth = 0.004
  private static let squareRootOfTwo = 1.414_213_562_373_095
  /// The weight of the estimate after the errors have shown that it is wrong.
  private static let reopened = 8.0
  /// The weight of a least-squares fit through five pulses.
  private static let rowWeight = 5.0

  /// The latest pulse's time with the jitter removed, in frames of the clock.
  private(set) var tick = 0.0
  /// Frames per pulse.
  private(set) var period: Double
  /// The number of pulses that phase and period are estimated from; 0 before the first.
  private(set) var weight = 0.0

  private var jitter = PulseJitter()
  private var row = PulseRow()
  /// Ticks recently counted for missing pulses, and the pulses since.
  private var assumed: Int64 = 0
  private var pulsesSinceAssumed = 0

  private var framesPerSecond: Double
  /// The periods of the fastest and the slowest accepted clock, in frames.
  private var fastest: Double { framesPerSecond * 60 / (24 * 999) }
  private var slowest: Double { framesPerSecond * 60 / 24 }

  /// - Parameters:
  ///   - sampleRate: frames per second.
  ///   - beatsPerMinute: the tempo assumed until the second pulse.
  @_noLocks
  init(sampleRate: Int, beatsPerMinute: Double) {
    framesPerSecond = Double(sampleRate)
    period = framesPerSecond * 60 / (24 * beatsPerMinute)
  }

  /// Changes the sample rate from a clock frame on.
  @_noLocks
  mutating func setSampleRate(_ sampleRate: Int, from frame: ClockFrame) {
    let ratio = Double(sampleRate) / framesPerSecond
    framesPerSecond = Double(sampleRate)
    tick = Double(frame.number) + (tick - Double(frame.number)) * ratio
    period *= ratio
    jitter.scale(by: ratio)
    row.scale(by: ratio, around: Double(frame.number))
  }

  /// Whether the standard error of `tick` is less than a number of frames.
  @_noLocks
  func isSure(to frames: Double) -> Bool {
    4 * jitter.deviation * jitter.deviation < frames * frames * weight
  }

  /// Whether no pulse has come yet, or none for half a second or four pulses, whichever is longer.
  @_noLocks
  func isLost(at frame: ClockFrame) -> Bool {
    // After the first pulse the time of the second is unknown.
    let patience = weight < 2 ? 2 * slowest : max(framesPerSecond / 2, 4 * period)
    return weight == 0 || Double(frame.number) - row.last > patience
  }

  /// Handles a pulse.
  /// - Returns: the number of ticks to count: 1; more if pulses were missing; 0 for a surplus pulse; negative if pulses
  ///   were counted as missing and the clock turns out to be slower.
  @_noLocks
  mutating func take(_ frame: ClockFrame) -> Int64 {
    let time = Double(frame.number)
    guard !isLost(at: frame) else { return begin(at: frame) }
    let passed = ticks(until: time)
    row.append(time)
    if weight >= 2, row.judge(period: period, deviation: jitter.ceiling, passed: passed) {
      return passed + changeTempo()
    }
    tick += Double(passed) * period
    let stray = time - tick
    let correction = weigh(stray, passed)
    // While the tempo may have changed, don't let these pulses affect the old estimate.
    if !row.isDoubtful { move(by: stray - Double(correction) * period) }
    return passed + correction
  }

  /// Starts the music at the latest pulse. Assumptions about earlier pulses no longer matter, even if they turn out to be
  /// wrong.
  @_noLocks
  mutating func start(at frame: ClockFrame) {
    row.clear()
    assumed = 0
    align(to: frame)
  }

  /// Restarts the phase at a pulse that is out of place: a clock may restart its pulses when it starts.
  @_noLocks
  private mutating func align(to frame: ClockFrame) {
    let stray = Double(frame.number) - tick
    let tolerance = 4 * jitter.deviation + 2
    guard stray > tolerance || stray < -tolerance else { return }
    tick = Double(frame.number)
    reopen()
  }

  /// Handles the first pulse, or the first after the clock was lost. The count continues without a gap.
  @_noLocks
  private mutating func begin(at frame: ClockFrame) -> Int64 {
    row.begin(at: Double(frame.number))
    assumed = 0
    guard weight > 0 else {
      (tick, weight) = (Double(frame.number), 1)
      return 1
    }
    let passed = nearest((Double(frame.number) - tick) / period)
    tick += Double(passed) * period
    align(to: frame)
    return passed
  }

  /// The number of ticks from the last pulse to this one. A number other than 1 must be clear from the pulse's time and from
  /// the previous interval, or a tempo change would count as missing pulses.
  @_noLocks
  private func ticks(until time: Double) -> Int64 {
    let interval = time - row.last
    // The jitter must be small enough that each time is nearest to the right tick.
    guard interval > 1.5 * period || interval < 0.4 * period, 2.5 * jitter.ceiling < period / 2,
      isSure(to: period / 16)
    else { return 1 }
    let stray = time - tick - period
    let missing = nearest(stray / period)
    let rest = stray - Double(missing) * period
    let tolerance = 4 * jitter.deviation + 1
    guard rest < tolerance, rest > -tolerance else { return 1 }
    // A pulse can be surplus only if a late pulse was counted as a later one.
    return max(1 + missing, assumed > 0 ? 0 : 1)
  }

  /// Continues with the tempo of a complete row of pulses.
  /// - Returns: the correction to the tick count.
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

  /// Updates the jitter estimate from a prediction error, and widens the loop if the error is more than jitter.
  /// - Returns: the correction to the tick count.
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
    // If a time is near a tick only by chance, the new tempo rather than drop-outs made pulses seem missing.
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

/// The nearest integer (ties away from zero) to a small number. (The callback can't call `rounded`.)
@_noLocks
private func nearest(_ number: Double) -> Int64 { Int64(number < 0 ? number - 0.5 : number + 0.5) }
