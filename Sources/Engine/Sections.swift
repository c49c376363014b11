import MusicTime

extension Score {
  /// The sections of a score, compiled. Scores that differ in nothing that falls into them share them.
  public final class Sections {
    /// In order, at least one.
    let all: UnsafeBufferPointer<Section>
    /// The onsets of the sections' bars, each once.
    private let bars: [UnsafeBufferPointer<TimingBuffer.Onset>]
    /// Frames a second.
    public let sampleRate: Int
    /// The section at which the music goes on when it has come to its end; nil where that is the end.
    let loop: Int?

    /// - Parameters:
    ///   - plans: the sections in order; at least one.
    ///   - sampleRate: frames a second.
    ///   - clips: kept alive by the caller, as those of the plans, until `Channels.oldestClips` has passed the generation of
    ///     every score with these sections.
    ///   - loop: the section at which it goes on after the last.
    /// - Thread: control
    public init(_ plans: [Plan], sampleRate: Int, clips: ClipSet, loop: Int? = nil) {
      precondition(!plans.isEmpty)
      let sections = UnsafeMutableBufferPointer<Section>.allocate(capacity: plans.count)
      var builder = SectionBuilder(plans, sampleRate: sampleRate)
      for (index, plan) in plans.enumerated() {
        let sounding = (plan.clips ?? clips).map(\.samples)
        let isLast = index == plans.count - 1 && loop == nil
        sections.initializeElement(at: index, to: builder.section(plan, clips: sounding, isLast: isLast))
      }
      all = UnsafeBufferPointer(sections)
      bars = Array(builder.bars.values)
      self.sampleRate = sampleRate
      self.loop = loop
    }

    deinit {
      for section in all { section.deallocate() }
      for bar in bars { bar.deallocate() }
      all.deallocate()
    }

    /// The frames at which the sections begin, seen from the score's start.
    public var startFrames: [Int64] { all.map(\.start.nearestFrame) }

    /// The frame at which the music ends, seen from its start; nil where it goes on for ever.
    public var endFrame: Int64? { loop == nil ? lastFrame : nil }

    /// The frame at which the last section ends, seen from the music's start; nil where it has no end.
    public var lastFrame: Int64? {
      let last = all[all.count - 1]
      return last.end.map { FrameTime(raw: last.start.raw + $0.time.raw).nearestFrame }
    }

    /// Bars that count in, before bar 1.
    public var countInBars: Int { all[0].hiddenBars }
  }
}
