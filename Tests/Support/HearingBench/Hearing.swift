import Listening
import MusicTime
import TestNumbers
import TimeCheck

/// The accuracy of a detector on a take.
public struct HearingFigure: Equatable, Sendable {
  public let missed: Int
  public let extra: Int
  public let f: Double
  /// The errors of the measured mean lateness and spread, in milliseconds.
  public let mean: Double
  public let spread: Double
}

/// Runs detectors on takes with known strokes.
public enum Hearing {
  /// The detectors that are compared.
  public enum Detector: String, CaseIterable, Sendable {
    /// Tactus's detectors for microphones and triggers, each followed by its gate.
    case mic, trigger
    /// aubio's onset detection with Tactus's parameters: high-frequency content, 512 samples in steps of 64.
    case aubio
  }

  /// Whether a detector for microphones is available: it needs libaubio.
  public static var hearsMicrophones: Bool {
    #if Listening
      MicDetector(sampleRate: RenderedTake.sampleRate) != nil
    #else
      false
    #endif
  }

  /// Whether the case can be played here: recorded drums must be installed.
  public static func isPossible(_ one: HearingCase) -> Bool { !one.isRecorded || DrumKit.isInstalled }

  /// - Parameter count: strokes.
  public static func measure(_ one: HearingCase, by detector: Detector, count: Int) -> HearingFigure {
    let performance = one.make(count)
    let found = receive(performance.take.samples, detector, bleed: performance.bleed)
    let heard = detector == .aubio ? found.map(\.frame.number) : gated(found, performance, detector)
    return figure(heard, performance, offset: offset(detector))
  }

  /// The accuracy of onsets that another program has found, in seconds.
  public static func measure(_ one: HearingCase, found seconds: [Double], count: Int) -> HearingFigure {
    figure(seconds.map { Int64(($0 * 48_000).rounded()) }, one.make(count), offset: 0)
  }

  /// The take's samples, for other programs.
  public static func samples(_ one: HearingCase, count: Int) -> [Float] { one.make(count).take.samples }

  /// A take with its strokes and clicks.
  public struct Played: Sendable {
    public let samples: [Float]
    /// The frames of its strokes, and of the clicks for which they are meant.
    public let strokes: [Int]
    public let clicks: [Int]
  }

  /// - Parameter count: strokes.
  public static func play(_ one: HearingCase, count: Int) -> Played {
    let performance = one.make(count)
    return Played(
      samples: performance.take.samples, strokes: performance.take.truth, clicks: performance.grid)
  }

  // MARK: Hearing

  private static func receive(_ samples: [Float], _ detector: Detector, bleed: Float) -> [DetectedHit] {
    func run(_ detector: some HitDetector) -> [DetectedHit] {
      var detector = detector
      detector.bleed = bleed
      return stride(from: 0, to: samples.count, by: 256).flatMap { start in
        detector.receive(
          Array(samples[start..<min(start + 256, samples.count)]), at: ClockFrame(Int64(start)))
      }
    }
    switch detector {
    case .trigger: return run(TriggerDetector(sampleRate: RenderedTake.sampleRate))
    case .mic, .aubio:
      #if Listening
        guard let mic = MicDetector(sampleRate: RenderedTake.sampleRate, isRefined: detector == .mic) else {
          return []
        }
        return run(mic)
      #else
        return []
      #endif
    }
  }

  private static func gated(
    _ found: [DetectedHit], _ performance: HearingCase.Performance, _ detector: Detector
  ) -> [Int64] {
    var gate = HitGate(sampleRate: RenderedTake.sampleRate)
    return found.filter { hit in
      let clicks = performance.clicks.map { ClockFrame(Int64($0)) }.filter { abs($0 - hit.frame) < 24_000 }
      return gate.admits(
        Hit(frame: hit.frame, source: .input(0), strength: hit.strength), clicks: clicks,
        bleed: performance.bleed, isTrigger: detector == .trigger)
    }.map(\.frame.number)
  }

  /// The offset that a calibration with eight clicks subtracts from each stroke, in frames.
  private static func offset(_ detector: Detector) -> Double {
    var take = RenderedTake(seconds: 6)
    var run = ClickCalibration(of: .input(0), sampleRate: RenderedTake.sampleRate)
    for number in 0..<ClickCalibration.clicks {
      take.add(HearingCase.click, at: 24_000 + number * 24_000, gain: 0.5)
      run.note(click: ClockFrame(Int64(24_000 + number * 24_000)))
    }
    for hit in receive(take.samples, detector, bleed: 0) {
      run.note(Hit(frame: hit.frame, source: .input(0), strength: hit.strength))
    }
    guard case .success(let measured) = run.result() else { return 0 }
    return measured.offset * 48
  }

  private static func figure(
    _ heard: [Int64], _ performance: HearingCase.Performance, offset: Double
  ) -> HearingFigure {
    let truth = performance.take.truth
    let nearest = zip(truth, truth.dropFirst()).map { $1 - $0 }.min() ?? 4_800
    // Half the distance to the next stroke, 5 to 25 ms.
    let window = Int64(min(1_200, max(nearest / 2, 240)))
    let pairs = Score.pairs(heard, truth, window: window)
    let score = Score(heard, truth, window: window)
    func moments(_ late: [Double]) -> (mean: Double, spread: Double) {
      let mean = late.reduce(0, +) / Double(max(late.count, 1))
      let sum = late.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return (mean, (sum / Double(max(late.count - 1, 1))).squareRoot())
    }
    let played = moments(zip(truth, performance.grid).map { Double($0 - $1) })
    let reported = moments(pairs.map { Double($0.heard) - offset - Double(performance.grid[$0.index]) })
    return HearingFigure(
      missed: score.missed, extra: score.extra, f: score.f, mean: (reported.mean - played.mean) / 48,
      spread: (reported.spread - played.spread) / 48)
  }
}
