import Engine
import MusicTime
import Testing

/// What the suites of the pre-roll share: music at 133.7 beats a minute, and a grid on which all beats must lie.
protocol PreRollSuite {}

extension PreRollSuite {
  static var spacing: Double { 60 * 48_000 / 133.7 }
  static var pattern: Pattern { Pattern(thousandths: 133_700) }

  func policy(bars: Int = 0, seconds: Double = 0) -> PreRollPolicy {
    var policy = PreRollPolicy()
    (policy.bars, policy.seconds) = (bars, seconds)
    return policy
  }

  func led(
    bars: Int = 2, latency: Int = 0, at frame: UInt32 = 0, period: Int = 256
  ) throws -> HeldTransport {
    let rig = Rig(try Score.make(Self.pattern, role: .lead, preRoll: policy(bars: bars)))
    rig.latencies.out = latency
    var transport = HeldTransport(rig, frame: frame)
    transport.period = period
    return transport
  }

  /// The transport's frames at which beats are heard, extrapolated to the time before it rolls.
  func heard(_ transport: HeldTransport, _ latency: Int, from frame: UInt32) throws -> [Double] {
    let begin = try #require(transport.begin)
    return transport.rig.beats.map { Double($0.frame - begin + Int64(latency)) + Double(frame) }
  }

  func expectGrid(_ frames: [Double], spacing: Double = Self.spacing, within tolerance: Double = 0.5) {
    for (index, frame) in frames.enumerated() {
      let beat = (frame / spacing).rounded()
      #expect(abs(frame - beat * spacing) <= tolerance + 1e-6)
      if index > 0 { #expect(beat == (frames[index - 1] / spacing).rounded() + 1) }
    }
  }

  /// The number of a beat, which grows by one in bars of four.
  func number(_ beat: Event.Beat) -> Int { 4 * beat.bar + beat.beat }

  /// Whether beats in bars of four follow each other without a gap, and never two on one frame.
  func isComplete(_ beats: [Event.Beat]) -> Bool {
    zip(beats, beats.dropFirst()).allSatisfy { number($1) == number($0) + 1 && $1.frame > $0.frame }
  }
}
