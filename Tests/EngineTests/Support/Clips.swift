import Engine
import MusicTime
import TestNumbers

/// Never freed, because scores do not retain their clips.
private let oneSample = Clip([1])

extension ClipSet {
  /// Clips of one sample each, for tests that look at events alone.
  static var shortest: ClipSet { ClipSet(repeating: oneSample) }

  /// Clips with samples that differ between all roles and sets.
  static func coded(_ seed: UInt64, lengths: ClosedRange<Int>) -> ClipSet {
    var numbers = Generator(seed: seed)
    func clip() -> Clip {
      Clip((0..<numbers.number(lengths)).map { _ in Float(numbers.number(-8_000...8_000)) / 8_192 })
    }
    return ClipSet(accent: clip(), beat: clip(), subdivision: clip(), cue: clip())
  }
}

extension Score {
  static func make(
    _ pattern: Pattern, sampleRate: Int = 48_000, clips: ClipSet = .shortest, generation: Int = 1,
    gains: Gains = Gains(), notes: NoteOutput = NoteOutput(), clock: MIDIClockOutput = MIDIClockOutput(),
    pulses: PulseOutput = PulseOutput(), timecode: TimecodeOutput = TimecodeOutput(), role: SyncMode = .free,
    quantise: Quantise = .now,
    clockIn: MIDIClockPolicy = MIDIClockPolicy(),
    latency: LatencyPolicy = LatencyPolicy(), preRoll: PreRollPolicy = PreRollPolicy()
  ) throws -> UnsafePointer<Score> {
    make(
      [try pattern.plan()], sampleRate: sampleRate, clips: clips, generation: generation, gains: gains,
      notes: notes, clock: clock, pulses: pulses, timecode: timecode, role: role, quantise: quantise,
      clockIn: clockIn, latency: latency, preRoll: preRoll)
  }

  static func make(
    _ plans: [SectionPlan], sampleRate: Int = 48_000, clips: ClipSet = .shortest, cues: [Int: Clip] = [:],
    generation: Int = 1,
    gains: Gains = Gains(), notes: NoteOutput = NoteOutput(), clock: MIDIClockOutput = MIDIClockOutput(),
    pulses: PulseOutput = PulseOutput(), timecode: TimecodeOutput = TimecodeOutput(), role: SyncMode = .free,
    quantise: Quantise = .now,
    clockIn: MIDIClockPolicy = MIDIClockPolicy(),
    latency: LatencyPolicy = LatencyPolicy(), preRoll: PreRollPolicy = PreRollPolicy(),
    transportBeat: TransportBeat = .meter, loop: Int? = nil, piece: Int = 0, timing: Int = 0
  ) -> UnsafePointer<Score> {
    make(
      Sections(plans, sampleRate: sampleRate, clips: clips, cues: cues, loop: loop), generation: generation,
      gains: gains, notes: notes, clock: clock, pulses: pulses, timecode: timecode, role: role,
      quantise: quantise,
      clockIn: clockIn,
      latency: latency, preRoll: preRoll, transportBeat: transportBeat, piece: piece, timing: timing)
  }
}
