import MusicTime

/// Everything that determines what plays at which frame: sections, sounds, gains, time source and quantisation.
///
/// The conductor makes a score and hands it over by pointer in an update. It is immutable.
package struct Score: BitwiseCopyable {
  /// In order, at least one.
  let sections: UnsafeBufferPointer<Section>
  /// Frames per second.
  package let sampleRate: Int
  /// The generation of the clips of all sections.
  let generation: Int
  /// The section at which the music continues after the last; nil if it ends.
  let loop: Int?
  let hasLayers: Bool
  /// Identifies the piece of music. When another score of the same piece takes over, it continues at the same position of the
  /// same section. If `timing` is the same too, all frames are the same and no position is computed.
  let piece: Int
  let timing: Int
  /// The user's volumes.
  package let gains: Gains
  /// Frames in which the mix fades out; 0 if it does not.
  let fade: Int64
  /// The notes to send on the port `notes`.
  package let notes: NoteOutput
  /// The MIDI clock to send on the port `clock`.
  package let clock: MIDIClockOutput
  /// The pulses to send on the ports `pulse`, `run` and `reset`.
  package let pulses: PulseOutput
  /// The timecode to send on the ports `timecode` and `ltc`.
  package let timecode: TimecodeOutput
  /// The time source.
  package let role: SyncMode
  /// When the score may take over from the previous one.
  package let quantise: Quantise
  let clockIn: MIDIClockPolicy
  let latency: LatencyPolicy
  let preRoll: PreRollPolicy
  let transportBeat: TransportBeat
  /// Keeps `sections` alive. Unmanaged, since the process callback copies scores and must not count references.
  private let owner: Unmanaged<Sections>

  /// - Parameters:
  ///   - sections: the music; may be shared with other scores.
  ///   - generation: the generation of the clips; it grows by one with each new set.
  ///   - piece: the same for all scores of the same sections, at any tempo.
  ///   - timing: equal and not 0 for scores of the same piece in which everything falls on the same frames.
  ///   - fade: seconds in which the mix fades out to silence; nil if it does not. Volumes still apply meanwhile.
  /// - Returns: a score that the caller owns until it becomes part of an update.
  /// - Thread: control
  package static func make(
    _ sections: Sections, generation: Int, gains: Gains = Gains(), notes: NoteOutput = NoteOutput(),
    clock: MIDIClockOutput = MIDIClockOutput(), pulses: PulseOutput = PulseOutput(),
    timecode: TimecodeOutput = TimecodeOutput(), role: SyncMode = .free,
    quantise: Quantise = .now,
    clockIn: MIDIClockPolicy = MIDIClockPolicy(), latency: LatencyPolicy = LatencyPolicy(),
    preRoll: PreRollPolicy = PreRollPolicy(), transportBeat: TransportBeat = .meter, piece: Int = 0,
    timing: Int = 0, fade: Double? = nil
  ) -> UnsafePointer<Score> {
    let score = UnsafeMutablePointer<Score>.allocate(capacity: 1)
    score.initialize(
      to: Score(
        sections: sections.all, sampleRate: sections.sampleRate, generation: generation,
        loop: sections.loop, hasLayers: sections.hasLayers, piece: piece, timing: timing, gains: gains,
        fade: fade.map { max(1, Int64($0 * Double(sections.sampleRate))) } ?? 0, notes: notes,
        clock: clock, pulses: pulses, timecode: timecode, role: role, quantise: quantise, clockIn: clockIn,
        latency: latency, preRoll: preRoll, transportBeat: transportBeat,
        owner: Unmanaged.passRetained(sections)))
    return UnsafePointer(score)
  }

  /// Frees a score that no engine uses any more.
  /// - Thread: control
  package static func free(_ score: UnsafePointer<Score>) {
    score.pointee.owner.release()
    score.deallocate()
  }

  /// Frames of a volume change.
  /// - Thread: any, audio
  var rampLength: Int64 { @_noLocks get { Int64(Double(sampleRate) * GainRamp.duration) } }

  /// The frames at which the sections begin, relative to the score's start.
  /// - Thread: control
  package var startFrames: [Int64] { sections.map(\.start.nearestFrames) }

  /// - Thread: any, audio
  @_noLocks
  @inline(__always)
  func frames(milliseconds: Double) -> Int64 {
    if milliseconds == 0 { return 0 }
    let frames = milliseconds * Double(sampleRate) / 1_000
    return Int64(frames < 0 ? frames - 0.5 : frames + 0.5)
  }

  /// The index of the section at a time; the first section for times before the score.
  /// - Thread: any, audio
  @_noLocks
  func sectionIndex(at time: FrameDuration) -> Int {
    var (low, high) = (1, sections.count)
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].start <= time { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// The index of the section that contains a bar; the first section for bars before the score.
  /// - Thread: any, audio
  @_noLocks
  func sectionIndex(ofBar bar: Int) -> Int {
    var (low, high) = (1, sections.count)
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].firstBar <= bar { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// From the score's start to its end.
  /// - Thread: any, audio
  var length: FrameDuration {
    @_noLocks get {
      let last = sections[sections.count - 1]
      guard let end = last.end else { return .endless }
      return last.start + end.time
    }
  }

  /// The length of the looped part.
  /// - Thread: any, audio
  var loopLength: FrameDuration {
    @_noLocks get { length - sections[loop ?? 0].start }
  }

  /// Bars in the looped part.
  /// - Thread: any, audio
  var loopBars: Int {
    @_noLocks get { (sections[sections.count - 1].nextBar ?? 0) - sections[loop ?? 0].firstBar }
  }

  /// The bars in the looped part that are not shown: an open section counts as one bar.
  /// - Thread: any, audio
  var loopHiddenBars: Int {
    @_noLocks get {
      let last = sections[sections.count - 1]
      let ownHidden = last.isOpen ? max(last.end?.bars ?? 1, 1) - 1 : 0
      return last.hiddenBars + ownHidden - sections[loop ?? 0].hiddenBars
    }
  }

  /// The number of bars in whole laps that are not shown.
  /// - Thread: any, audio
  @_noLocks
  func hiddenBars(inLapBars bars: Int) -> Int { bars == 0 ? 0 : bars / loopBars * loopHiddenBars }

  /// Ticks of the JACK transport in the looped part.
  /// - Thread: any, audio
  var loopTicks: Double {
    @_noLocks get {
      let last = sections[sections.count - 1]
      return last.ticks(before: last.nextBar ?? 0) - sections[loop ?? 0].startTick
    }
  }

  /// The bar of the score that plays as the bar with this number when the music loops, and the number of bars in the laps
  /// before.
  /// - Thread: any, audio
  @_noLocks
  func unrolled(_ bar: Int) -> (bar: Int, lapBars: Int) {
    guard loop != nil, let next = sections[sections.count - 1].nextBar, bar >= next, loopBars > 0 else {
      return (bar, 0)
    }
    let lapBars = (bar - next) / loopBars * loopBars + loopBars
    return (bar - lapBars, lapBars)
  }

  /// Bars of the count-in, before bar 1.
  /// - Thread: any, audio
  package var countInBars: Int { @_noLocks get { sections[0].hiddenBars } }

  /// The frame of the score's end, relative to its start; nil if it has no end.
  /// - Thread: control
  package var endFrame: Int64? { owner.takeUnretainedValue().endFrame }

  /// The frame of a position, relative to the score's start.
  /// - Thread: any
  package func frame(of position: Position) -> Int64 {
    sections[sectionIndex(ofBar: position.bar)].time(of: position).nearestFrames
  }

  /// The position at a frame relative to the score's start. The inverse of `frame(of:)`.
  /// - Thread: any
  package func position(ofFrame frame: Int64) -> Position {
    let time = FrameDuration(wholeFrames: frame)
    return sections[sectionIndex(at: time)].position(at: time)
  }
}
