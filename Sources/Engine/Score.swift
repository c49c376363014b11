import MusicTime

/// All that the engine needs to know what plays when: sections, sounds, gains, and when the change takes effect.
///
/// A score is made on the control side, handed over by pointer, and never changes. The engine hands each one back when
/// it is spent; `free` releases it.
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

  /// In order, at least one. Owned by the score.
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
  public let role: TransportRole
  public let quantise: Quantise
  /// The clock frame at which the score takes effect, whatever `quantise` says; nil for as soon as that allows.
  public let effective: Int64?

  /// - Parameters:
  ///   - plans: the sections in order.
  ///   - sampleRate: frames a second.
  ///   - clips: kept alive by the caller, as those of the plans, until `Channels.oldestClips` has passed `generation`.
  ///   - generation: grows by one with each new set of clips.
  ///   - loop: the section at which it goes on after the last; nil where it ends.
  ///   - piece: the same for all scores of the same sections, whatever their tempo.
  ///   - timing: the same, and not 0, for those of the same piece in which everything falls on the same frames.
  /// - Returns: a score that the caller owns, until it has published it.
  /// - Thread: control
  public static func make(
    _ plans: [Plan], sampleRate: Int, clips: ClipSet, generation: Int, gains: Gains = Gains(),
    role: TransportRole = .free, quantise: Quantise = .now, effective: Int64? = nil, loop: Int? = nil,
    piece: Int = 0, timing: Int = 0
  ) -> UnsafePointer<Score> {
    precondition(!plans.isEmpty)
    let sections = UnsafeMutableBufferPointer<Section>.allocate(capacity: plans.count)
    var builder = SectionBuilder(plans, sampleRate: sampleRate)
    for (index, plan) in plans.enumerated() {
      let sounding = SoundingClips(plan.clips ?? clips)
      let isLast = index == plans.count - 1 && loop == nil
      sections.initializeElement(at: index, to: builder.section(plan, clips: sounding, isLast: isLast))
    }
    let score = UnsafeMutablePointer<Score>.allocate(capacity: 1)
    score.initialize(
      to: Score(
        sections: UnsafeBufferPointer(sections), sampleRate: sampleRate, generation: generation, loop: loop,
        piece: piece, timing: timing, gains: gains, role: role, quantise: quantise, effective: effective))
    return UnsafePointer(score)
  }

  /// Releases a score that no engine has any more.
  /// - Thread: control
  public static func free(_ score: UnsafePointer<Score>) {
    for section in score.pointee.sections { section.deallocate() }
    score.pointee.sections.deallocate()
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

  /// The frames at which the sections begin, seen from the score's start.
  /// - Thread: any
  public var startFrames: [Int64] { sections.map(\.start.nearestFrame) }

  /// The frame at which the score ends, seen from its start; nil where it goes on for ever.
  /// - Thread: any
  public var endFrame: Int64? {
    let last = sections[sections.count - 1]
    guard loop == nil, let end = last.end else { return nil }
    return FrameTime(raw: last.start.raw + end.time.raw).nearestFrame
  }

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
