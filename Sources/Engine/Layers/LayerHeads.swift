import MusicTime
import Realtime

/// The next pulse of each layer of the section that plays.
///
/// It reads the playhead and never moves it. Each pulse has a number in its section, so a change of the tempo keeps the next
/// pulse, and neither loses nor repeats one; after a jump the next pulse is found from the position.
struct LayerHeads: ~Copyable {
  /// The part of the music whose layers play.
  private struct Place: BitwiseCopyable {
    /// In the score.
    let index: Int
    let section: Score.Section
    let lap: Lap
    /// On the timeline; `never` if it has none.
    var end: FrameTime

    var endFrame: TimelineFrame { @_noLocks get { end < .never ? end.nearestFrame : .never } }
  }

  private struct Head: BitwiseCopyable {
    /// The number of its next pulse, counted from the section's start.
    var pulse = 0
    /// The pulses before the section's start, in 2⁻⁶⁴ pulses.
    var phase: Int128 = 0
    var rhythm: SectionLayer.Rhythm?
    /// The frame of its next pulse; never if it has none in the section.
    var frame = TimelineFrame.never
  }

  /// Everything that the frames of pulses depend on.
  private struct Basis: BitwiseCopyable {
    let score: UnsafePointer<Score>
    let origin: FrameTime
    let section: Int
    let pace: Double
    let moves: Int

    @_noLocks
    init(_ playhead: borrowing Playhead) {
      score = playhead.score
      origin = playhead.lap.origin
      section = playhead.cursor.sectionIndex
      pace = playhead.cursor.pace
      moves = playhead.moves
    }

    @_noLocks
    func equals(_ other: Basis) -> Bool {
      score == other.score && origin == other.origin && section == other.section && pace == other.pace
        && moves == other.moves
    }
  }

  private var heads = InlineArray<8, Head>(repeating: Head())
  private var place: Place?
  private var basis: Basis?
  /// The frame of the next pulse or of the next section; `never` if there is neither.
  private(set) var nextFrame = TimelineFrame.never
  private let pin = Pin()

  @_noLocks
  init() {}

  /// Whether it follows a playhead.
  /// - Thread: audio
  var isActive: Bool { @_noLocks get { basis != nil } }

  // MARK: Following the playhead

  /// Begins no pulses until the music plays again.
  /// - Thread: audio
  @_noLocks
  mutating func deactivate() { (place, basis, nextFrame) = (nil, nil, .never) }

  /// Follows changes of the playhead. Pulses due before a frame have begun.
  /// - Thread: audio
  @_noLocks
  mutating func follow(_ playhead: borrowing Playhead, at frame: TimelineFrame) {
    let new = Basis(playhead)
    if let basis, basis.equals(new) { return }
    change(to: new, playhead, at: frame)
  }

  // Not inline, so that moments without a change (almost all) do not set up its stack frame.
  @_noLocks
  @inline(never)
  private mutating func change(to new: Basis, _ playhead: borrowing Playhead, at frame: TimelineFrame) {
    let old = basis
    basis = new
    let start = max(FrameTime(roundingTo: frame), playhead.movedTo)
    guard let old, old.moves == new.moves, let place else { return enter(playhead, at: start) }
    let here = LayerHeads.place(playhead, at: FrameTime(frame: frame))
    if here.index == place.index, here.lap.elapsed.bars == place.lap.elapsed.bars {
      return keepOn(in: here, at: frame, start)
    }
    // The playhead is at the next onset, which may be in another section already. The old score may be gone.
    guard old.score == new.score else { return enter(playhead, at: start) }
    if new.pace > 0 {
      self.place!.end = here.lap.origin + here.section.start
      settle()
    } else if place.endFrame > frame {
      enter(playhead, at: start)
    }
  }

  /// Continues in the next section if the current one has ended.
  /// - Returns: whether there is another section.
  /// - Thread: audio
  @_noLocks
  mutating func enterNextSection(_ playhead: borrowing Playhead, at frame: TimelineFrame) -> Bool {
    guard let old = place, old.endFrame <= frame else { return false }
    let next = LayerHeads.place(playhead, at: old.end)
    guard next.index != old.index || next.lap.elapsed.bars != old.lap.elapsed.bars else {
      return playOn(in: next)
    }
    // The caller enters sections until one ends later, so each must end later than the one before.
    guard next.end > old.end else {
      place!.end = .never
      settle()
      return false
    }
    let before = heads
    place = next
    // A repetition may begin within a section, and each round sounds like the previous one.
    let isRound = next.lap.origin == old.lap.origin ? false : playhead.round != nil
    guard !isRound, old.end == next.lap.origin + next.section.start else {
      for index in 0..<next.section.layers.count { seek(index, from: old.end) }
      settle()
      return true
    }
    for index in 0..<next.section.layers.count {
      let layer = next.section.layers[index]
      var phase = next.section.phase(index)
      if layer.rhythm.isEndless, let last = old.section.layer(layer.rhythm.index),
        old.section.layers[last].rhythm.isEndless
      {
        phase = old.section.phase(after: old.section.layers[last], from: before[last].phase)
      }
      heads[index] = Head(pulse: layer.firstPulse(phase: phase), phase: phase, rhythm: layer.rhythm)
      place(index)
    }
    settle()
    return true
  }

  /// Continues in the same section if its bars no longer repeat; if the music has ended, no more pulses begin.
  /// - Returns: whether the section continues.
  @_noLocks
  private mutating func playOn(in here: Place) -> Bool {
    let goesOn = here.end > place!.end
    place!.end = goesOn ? here.end : .never
    if goesOn { for index in 0..<here.section.layers.count { place(index) } }
    settle()
    return goesOn
  }

  /// Finds the pulses from an instant on.
  @_noLocks
  private mutating func enter(_ playhead: borrowing Playhead, at instant: FrameTime) {
    let here = LayerHeads.place(playhead, at: instant)
    place = here
    for index in 0..<here.section.layers.count { seek(index, from: instant) }
    settle()
  }

  /// Keeps the next pulses after a change of the time or the score.
  @_noLocks
  private mutating func keepOn(in here: Place, at frame: TimelineFrame, _ start: FrameTime) {
    place = here
    for index in 0..<here.section.layers.count {
      let rhythm = here.section.layers[index].rhythm
      guard let old = heads[index].rhythm, old.equals(rhythm) else {
        seek(index, from: start)
        continue
      }
      place(index)
      if isFar(index, from: frame) { seek(index, from: start) }
    }
    settle()
  }

  /// Whether a leader has moved so far that the next pulse is not the expected one.
  @_noLocks
  private func isFar(_ index: Int, from frame: TimelineFrame) -> Bool {
    let next = time(index, heads[index].pulse)
    let after = time(index, heads[index].pulse + 1)
    let interval = after - next
    let ahead = next - FrameTime(frame: frame)
    return ahead < -interval || ahead - interval > interval
  }

  /// The part of the music at an instant. While a leader keeps the tempo, the playhead determines it.
  @_noLocks
  private static func place(_ playhead: borrowing Playhead, at instant: FrameTime) -> Place {
    let segment = playhead.segment(at: instant)
    return Place(index: segment.index, section: segment.section, lap: segment.lap, end: segment.end)
  }

  // MARK: Pulses

  /// A pulse that begins.
  struct Pulse: BitwiseCopyable {
    let layer: SectionLayer
    let tone: SectionLayer.Tone
    /// Its number, from 0 (see `SectionLayer.number(of:)`).
    let number: Int
    let section: Score.Section
    let sectionIndex: Int
    /// The bar of the section and the beat, from 1.
    let bar: Int
    let beat: Int
    /// The displayed number of the bar.
    let shownBar: Int
  }

  /// Takes a pulse that is due at a frame.
  /// - Parameter spacing: the least number of frames to the layer's next pulse.
  /// - Thread: audio
  @_noLocks
  mutating func take(dueAt frame: TimelineFrame, spacing: Int64) -> Pulse? {
    guard let place else { return nil }
    for index in 0..<place.section.layers.count where heads[index].frame <= frame {
      let (layer, pulse) = (place.section.layers[index], heads[index].pulse)
      let (bar, beat) = layer.beat(at: layer.place(of: pulse, phase: heads[index].phase))
      heads[index].pulse += 1
      self.place(index)
      if heads[index].frame < frame + spacing { skip(index, to: FrameTime(frame: frame + spacing)) }
      settle()
      let number = layer.number(of: pulse)
      return Pulse(
        layer: layer, tone: layer.tones[number % layer.tones.count], number: number, section: place.section,
        sectionIndex: place.index,
        bar: bar, beat: beat,
        shownBar: place.section.firstBar + bar - 1 - place.section.hiddenBars + place.lap.elapsed.shownBars)
    }
    return nil
  }

  /// The time of a pulse on the timeline.
  @_noLocks
  private func time(_ index: Int, _ pulse: Int) -> FrameTime {
    let (layer, section) = (place!.section.layers[index], place!.section)
    let place = layer.place(of: pulse, phase: heads[index].phase)
    return self.place!.lap.origin + section.time(ofPlace: place, layer)
  }

  /// Computes the frame of a layer's next pulse.
  @_noLocks
  private mutating func place(_ index: Int) {
    let time = time(index, heads[index].pulse)
    heads[index].frame = time < place!.end ? time.nearestFrame : .never
  }

  /// Finds a layer's next pulse from an instant on.
  @_noLocks
  private mutating func seek(_ index: Int, from instant: FrameTime) {
    let (section, lap) = (place!.section, place!.lap)
    let rhythm = section.layers[index].rhythm
    heads[index] = Head(phase: section.phase(index), rhythm: rhythm)
    if rhythm.isEndless { heads[index].phase += lapPhase(rhythm.index, lap) }
    skip(index, to: instant)
  }

  /// Skips a layer's pulses before an instant.
  @_noLocks
  private mutating func skip(_ index: Int, to instant: FrameTime) {
    let (section, lap) = (place!.section, place!.lap)
    heads[index].pulse = section.pulse(
      of: section.layers[index], from: instant - lap.origin, phase: heads[index].phase)
    place(index)
  }

  /// The phase that a layer that never restarts has gained in the previous laps, in 2⁻⁶⁴ pulses.
  @_noLocks
  private func lapPhase(_ number: Int, _ lap: Lap) -> Int128 {
    let bars = lap.elapsed.bars - lap.elapsed.roundBars
    guard let basis, basis.score.pointee.loop != nil, bars > 0 else { return 0 }
    let score = basis.score.pointee
    return Int128(bars / max(1, score.loopBars)) * score.lapPhase(ofLayer: number)
  }

  /// Computes the next frame at which something happens.
  @_noLocks
  private mutating func settle() {
    guard let place else { return }
    nextFrame = place.endFrame
    for index in 0..<place.section.layers.count { nextFrame = min(nextFrame, heads[index].frame) }
  }
}
