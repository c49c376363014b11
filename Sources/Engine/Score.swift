import MusicTime

/// All that the engine needs to know what plays when: sections, sounds, gains, and on which line it takes over.
///
/// A score is made on the control side, handed over by pointer in a programme, and never changes.
public struct Score: BitwiseCopyable {
  /// What one section of a score is made from.
  public struct Plan: Sendable {
    public var layout: BarLayout
    public var tempo: TempoCurve
    public var length: SectionLength
    public var silence = SilencePlan.never
    /// Volumes of the section's own, under the player's.
    public var gains = Gains()
    /// The section's own clips; nil for the score's. Kept alive by the caller as those are.
    public var clips: ClipSet?
    /// What is heard on the cue port at its start.
    public var cue: Clip?
    /// Whether its bars come before bar 1.
    public var isCountIn = false

    public init(layout: BarLayout, tempo: TempoCurve, length: SectionLength) {
      self.layout = layout
      self.tempo = tempo
      self.length = length
    }

    /// - Parameter bars: nil for ever.
    public init(layout: BarLayout, tempo: Tempo, bars: Int? = nil) {
      self.init(layout: layout, tempo: .constant(tempo), length: bars.map { .bars($0) } ?? .open)
    }
  }

  /// In order, at least one.
  let sections: UnsafeBufferPointer<Section>
  /// Frames a second.
  public let sampleRate: Int
  /// The generation of the clips, of all sections alike.
  let generation: Int
  /// The section at which the score goes on when it has come to its end; nil where that is the end.
  let loop: Int?
  /// Which piece of music it is. Another score of the same one goes on at the same place of the same section; at the same
  /// `timing` it need not even be looked for.
  let piece: Int
  let timing: Int
  public let gains: Gains
  public let notes: NoteOutput
  public let clock: ClockOutput
  public let role: TransportRole
  public let quantise: Quantise
  let clockIn: ClockPolicy
  /// Keeps `sections` alive: a plain reference, since the process callback copies scores and must not count references.
  private let owner: Unmanaged<Sections>

  /// - Parameters:
  ///   - sections: what plays; shared with other scores of the same.
  ///   - generation: that of the clips; grows by one with each new set of them.
  ///   - piece: the same for all scores of the same sections, whatever their tempo.
  ///   - timing: the same, and not 0, for those of the same piece in which everything falls on the same frames.
  /// - Returns: a score that the caller owns, until it is part of a programme.
  /// - Thread: control
  public static func make(
    _ sections: Sections, generation: Int, gains: Gains = Gains(), notes: NoteOutput = NoteOutput(),
    clock: ClockOutput = ClockOutput(), role: TransportRole = .free, quantise: Quantise = .now,
    clockIn: ClockPolicy = ClockPolicy(),
    piece: Int = 0, timing: Int = 0
  ) -> UnsafePointer<Score> {
    let score = UnsafeMutablePointer<Score>.allocate(capacity: 1)
    score.initialize(
      to: Score(
        sections: sections.all, sampleRate: sections.sampleRate, generation: generation,
        loop: sections.loop, piece: piece, timing: timing, gains: gains, notes: notes,
        clock: clock, role: role, quantise: quantise, clockIn: clockIn,
        owner: Unmanaged.passRetained(sections)))
    return UnsafePointer(score)
  }

  /// Releases a score that no engine has any more.
  /// - Thread: control
  public static func free(_ score: UnsafePointer<Score>) {
    score.pointee.owner.release()
    score.deallocate()
  }

  /// Frames that a volume takes to reach a new value.
  /// - Thread: any, audio
  var rampLength: Int64 { @_noLocks get { Int64(Double(sampleRate) * GainRamp.duration) } }

  /// The index of the section in which a time lies; the first for times before the score.
  /// - Thread: any, audio
  @_noLocks
  func sectionIndex(at time: FrameTime) -> Int {
    var (low, high) = (1, sections.count)
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].start.raw <= time.raw { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// The index of the section in which a bar lies; the first for bars before the score.
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
  var length: FrameTime {
    @_noLocks get {
      let last = sections[sections.count - 1]
      guard let end = last.end else { return FrameTime(raw: .max) }
      return FrameTime(raw: last.start.raw + end.time.raw)
    }
  }

  /// The length of the part that is played again and again.
  /// - Thread: any, audio
  var loopLength: FrameTime {
    @_noLocks get { FrameTime(raw: length.raw - sections[loop ?? 0].start.raw) }
  }

  /// Bars in that part.
  /// - Thread: any, audio
  var loopBars: Int {
    @_noLocks get { (sections[sections.count - 1].nextBar ?? 0) - sections[loop ?? 0].firstBar }
  }

  /// Ticks of the JACK transport in that part.
  /// - Thread: any, audio
  var loopTicks: Double {
    @_noLocks get {
      let last = sections[sections.count - 1]
      return last.ticks(before: last.nextBar ?? 0) - sections[loop ?? 0].startTick
    }
  }

  /// The bar of the score that plays as a bar with this number, where a loop goes round, and how many bars its laps had
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

  /// Bars that count in, before bar 1.
  /// - Thread: any, audio
  public var countInBars: Int { @_noLocks get { sections[0].hiddenBars } }

  /// The frame at which the score ends, seen from its start; nil where it goes on for ever.
  /// - Thread: control
  public var endFrame: Int64? { owner.takeUnretainedValue().endFrame }

  /// The frame of a position, seen from the start of the score.
  /// - Thread: any
  public func frame(of position: Position) -> Int64 {
    sections[sectionIndex(ofBar: position.bar)].time(of: position).nearestFrame
  }

  /// The position at a frame, seen from the start of the score. The inverse of `frame(of:)`.
  /// - Thread: any
  public func position(ofFrame frame: Int64) -> Position {
    let time = FrameTime(frame: frame)
    return sections[sectionIndex(at: time)].position(at: time)
  }
}
