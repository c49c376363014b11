import MusicTime
import Realtime

extension Score {
  /// The compiled sections of a score. Scores that differ only in other values share them.
  package final class Sections {
    /// In order, at least one.
    let all: UnsafeBufferPointer<Section>
    /// The onsets of all bars; each distinct bar once.
    private let bars: [UnsafeBufferPointer<TimingBuffer.Onset>]
    /// The layers of all sections; each distinct list once.
    private let layers: [UnsafeBufferPointer<SectionLayer>]
    /// Frames per second.
    package let sampleRate: Int
    /// The section at which the music continues after the last; nil if it ends.
    let loop: Int?

    /// - Parameters:
    ///   - plans: the sections in order; at least one.
    ///   - sampleRate: frames per second.
    ///   - clips: the caller keeps these and all others alive until `Channels.oldestClips` has passed the generation of every
    ///     score with these sections.
    ///   - sounds: the clips of sections and layers with a sound of their own, by its name.
    ///   - cues: the cues by the index of their section.
    ///   - loop: the section at which the music continues after the last; nil if it ends.
    ///   - isOnTransport: whether a transport moves through the sections, which reaches only 2³² frames.
    /// - Thread: control
    package init(
      _ plans: [SectionPlan], sampleRate: Int, clips: ClipSet, sounds: [String: ClipSet] = [:],
      cues: [Int: Clip] = [:], loop: Int? = nil, isOnTransport: Bool = false
    ) {
      precondition(!plans.isEmpty)
      let sections = UnsafeMutableBufferPointer<Section>.allocate(capacity: plans.count)
      mapInLargePages(UnsafeRawBufferPointer(sections))
      let pages = PagesAhead(UnsafeRawBufferPointer(sections))
      var builder = SectionBuilder(
        plans, sampleRate: sampleRate,
        openLength: isOnTransport
          ? Sections.openLength(plans, sampleRate: sampleRate) : SectionBuilder.openLength)
      let (own, standard) = (sounds.mapValues(\.sounding), clips.sounding)
      // Neighbouring sections mostly have the same sound.
      var last: (name: String, clips: SoundingClips)?
      func sounding(_ name: String) -> SoundingClips {
        if let last, last.name == name { return last.clips }
        let clips = own[name] ?? standard
        last = (name, clips)
        return clips
      }
      // Read the plans in place, because copying a plan is slow.
      plans.withUnsafeBufferPointer { plans in
        for index in plans.indices {
          sections.initializeElement(
            at: index,
            to: builder.section(
              plans[index],
              clips: { layer in layer.flatMap { own[$0] } ?? sounding(plans[index].sound) },
              cue: cues[index]?.samples, isLast: index == plans.count - 1 && loop == nil))
        }
      }
      pages.finish()
      all = UnsafeBufferPointer(sections)
      bars = builder.onsets
      layers = builder.layers.all
      self.sampleRate = sampleRate
      self.loop = loop
    }

    /// The nominal length of open sections on a transport, in frames: an hour, but all together at most half of what a transport
    /// reaches before each is rounded up to whole bars, so that a locate reaches the sections after them.
    private static func openLength(_ plans: [SectionPlan], sampleRate: Int) -> Int64 {
      var count: Int64 = 1
      for index in plans.indices where plans[index].isOpen { count += 1 }
      return min(3_600 * Int64(sampleRate), (1 << 31) / count)
    }

    deinit {
      for section in all { section.deallocate() }
      for bar in bars { bar.deallocate() }
      for list in layers {
        for layer in list { layer.deallocate() }
        list.deallocate()
      }
      all.deallocate()
    }

    /// Allocated memory in bytes.
    package var bytes: Int {
      let onsets = bars.reduce(0) { $0 + $1.count }
      let layers = layers.reduce(0) { $1.reduce($0) { $0 + $1.bytes } }
      return onsets * MemoryLayout<TimingBuffer.Onset>.stride + all.count * MemoryLayout<Section>.stride
        + layers
    }

    /// Whether any section has layers.
    var hasLayers: Bool { !layers.isEmpty }

    /// The frames at which the sections begin, relative to the score's start.
    package var startFrames: [Int64] { all.map(\.start.nearestFrames) }

    /// The frame at which a bar begins, relative to the music's start; the section's end for the bar after its last.
    /// - Parameters:
    ///   - bar: of the section, from 1.
    ///   - section: from 0.
    package func startFrame(ofBar bar: Int, inSection section: Int) -> Int64 {
      all[section].line(before: bar).time.nearestFrames
    }

    /// Number of bars of a section, from 0; nil if it is open.
    package func bars(ofSection section: Int) -> Int? {
      all[section].isOpen ? nil : all[section].end?.bars
    }

    /// The frame of the music's end, relative to its start; nil if it has no end.
    package var endFrame: Int64? { loop == nil ? lastFrame : nil }

    /// The frame of the last section's end, relative to the music's start; nil if it has no end.
    package var lastFrame: Int64? {
      let last = all[all.count - 1]
      return last.end.map { (last.start + $0.time).nearestFrames }
    }

    /// The frame of the last beat, relative to the music's start; nil if the music has no end.
    package var lastBeatFrame: Int64? {
      guard loop == nil, let last = all.last, !last.isOpen, let end = last.end else { return nil }
      let bar = last.firstBar + end.bars - 1
      let beat = last.buffer.onsets.last { $0.isBeat && !last.isOver(bar: bar, step: $0.step) }
      return last.time(bar: bar, step: beat?.step ?? 0).nearestFrames
    }

    /// Bars of the count-in, before bar 1.
    package var countInBars: Int { all[0].hiddenBars }
  }
}
