import MusicTime

/// All that the engine needs to know what plays when: sections, sounds, gains, and when the change takes effect.
///
/// A score is made on the control side, handed over by pointer, and never changes. The engine hands each one back when
/// it is spent; `free` releases it.
public struct Score: BitwiseCopyable {
  /// A timing buffer and the bars for which it plays.
  public struct Section: BitwiseCopyable {
    var buffer: TimingBuffer
    /// The number of its first bar; the score's first bar is 1.
    let firstBar: Int
    /// When its first bar begins, seen from the start of the score.
    let start: FrameTime
    /// How many bars it has; nil where it goes on for ever.
    let bars: Int?
    /// Ticks of the JACK transport from the start of the score to its first bar.
    let startTick: Double

    /// Ticks from the start of the score to a bar.
    /// - Thread: any, audio
    @_noLocks
    func ticks(before bar: Int) -> Double {
      startTick + Double((bar - firstBar) * buffer.meterCount * BarBeatTick.ticksPerBeat)
    }

    /// When a step begins, seen from the start of the score.
    /// - Thread: any, audio
    @_noLocks
    func time(bar: Int, step: Int) -> FrameTime {
      FrameTime(raw: start.raw + buffer.grid.time(bar: bar - firstBar + 1, step: step).raw)
    }

    /// - Thread: any, audio
    @_noLocks
    func time(of position: Position) -> FrameTime {
      let inSection = Position(bar: position.bar - firstBar + 1, beats: position.beats)
      return FrameTime(raw: start.raw + buffer.grid.time(of: inSection).raw)
    }

    /// - Thread: any, audio
    @_noLocks
    func position(at time: FrameTime) -> Position {
      let inSection = buffer.grid.position(at: FrameTime(raw: time.raw - start.raw))
      return Position(bar: inSection.bar + firstBar - 1, beats: inSection.beats)
    }
  }

  /// What a score is made from.
  public struct Plan: Sendable {
    public var layout: BarLayout
    public var tempo: Tempo
    /// nil for ever; only the last plan of a score may say so.
    public var bars: Int?

    public init(layout: BarLayout, tempo: Tempo, bars: Int? = nil) {
      self.layout = layout
      self.tempo = tempo
      self.bars = bars
    }
  }

  /// In order, at least one. Owned by the score.
  let sections: UnsafeBufferPointer<Section>
  /// Frames a second.
  let sampleRate: Int
  let clips: SoundingClips
  public let gains: Gains
  public let role: TransportRole
  public let quantise: Quantise
  /// The clock frame at which the score takes effect, whatever `quantise` says; nil for as soon as that allows.
  public let effective: Int64?

  /// - Parameters:
  ///   - plans: the sections in order; all but the last with a number of bars.
  ///   - sampleRate: frames a second.
  ///   - clips: kept alive by the caller until `Channels.oldestClips` has passed `generation`.
  ///   - generation: grows by one with each new clip set.
  /// - Returns: a score that the caller owns, until it has published it.
  /// - Thread: control
  public static func make(
    _ plans: [Plan], sampleRate: Int, clips: ClipSet, generation: Int, gains: Gains = Gains(),
    role: TransportRole = .free, quantise: Quantise = .now, effective: Int64? = nil
  ) -> UnsafePointer<Score> {
    precondition(!plans.isEmpty && plans.dropLast().allSatisfy { $0.bars != nil })
    let sections = UnsafeMutableBufferPointer<Section>.allocate(capacity: plans.count)
    var (bar, start, tick) = (1, FrameTime(frame: 0), 0.0)
    for (index, plan) in plans.enumerated() {
      let buffer = TimingBuffer(plan.layout, tempo: plan.tempo, sampleRate: sampleRate)
      sections.initializeElement(
        at: index, to: Section(buffer: buffer, firstBar: bar, start: start, bars: plan.bars, startTick: tick))
      let bars = plan.bars ?? 0
      tick = sections[index].ticks(before: bar + bars)
      bar += bars
      start.raw += buffer.grid.time(bar: bars + 1, step: 0).raw
    }
    let score = UnsafeMutablePointer<Score>.allocate(capacity: 1)
    score.initialize(
      to: Score(
        sections: UnsafeBufferPointer(sections), sampleRate: sampleRate,
        clips: SoundingClips(clips, generation: generation),
        gains: gains, role: role, quantise: quantise, effective: effective))
    return UnsafePointer(score)
  }

  /// Releases a score that no engine has any more.
  /// - Thread: control
  public static func free(_ score: UnsafePointer<Score>) {
    for section in score.pointee.sections { section.buffer.deallocate() }
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

  /// The frame at which the score ends, seen from its start; nil where it goes on for ever.
  /// - Thread: any
  public var endFrame: Int64? {
    let last = sections[sections.count - 1]
    return last.bars.map { last.time(bar: last.firstBar + $0, step: 0).nearestFrame }
  }

  /// The frame of a position, seen from the start of the score.
  /// - Thread: any
  public func frame(of position: Position) -> Int64 {
    sections[sectionIndex(ofBar: position.bar)].time(of: position).nearestFrame
  }
}
