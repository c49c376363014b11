import Engine
import MusicTime

/// The storm monitor's model of the music: floating-point beats on a line. It shares no code with the playhead.
struct Timekeeper {
  struct Onset {
    let place: Double
    let beat: Int
    let role: ClickRole
    let strength: Float
  }

  /// A score: its onsets in beats from the bar's start, the lengths of a bar and a beat, and the beats in a whole note.
  struct Layout {
    let onsets: [Onset]
    let beatsPerBar: Double
    let framesPerBeat: Double
    let beatsPerWhole: Double
    let meter: String

    /// `accents` has one letter for each beat of the bar.
    init(_ pattern: Pattern, accents: String, sampleRate: Int) {
      let reference = Reference(pattern, sampleRate: sampleRate)
      let letters = Array(accents)
      onsets = reference.onsets.map { onset in
        let place = Double(onset.place) / Double(Reference.beatParts)
        guard !onset.isBeat else {
          let letter = letters[onset.beat - 1]
          return Onset(
            place: place, beat: onset.beat, role: letter == "X" ? .accent : .beat,
            strength: ["X": 1, "x": 1, "o": 0.5, ".": 0][letter]!)
        }
        let part = onset.place % Reference.beatParts
        let loudest = pattern.subdivisions.filter { parts, _ in
          (1..<parts).contains { Layout.place(of: $0, in: parts, swing: pattern.swing) == part }
        }
        return Onset(place: place, beat: onset.beat, role: .subdivision, strength: loudest.values.max()!)
      }
      beatsPerBar =
        Double(pattern.meter.count * pattern.unit.denominator)
        / Double(pattern.meter.unit * pattern.unit.numerator)
      framesPerBeat = Double(60_000 * sampleRate) / Double(pattern.thousandths)
      beatsPerWhole = Double(pattern.unit.denominator) / Double(pattern.unit.numerator)
      meter = "\(pattern.meter.count)/\(pattern.meter.unit)"
    }

    private static func place(of part: Int, in parts: Int, swing: Int) -> Int128 {
      let (k, n, whole) = (Int128(part), Int128(parts), Reference.beatParts)
      guard [2, 4, 8].contains(parts), part % 2 == 1 else { return k * whole / n }
      return (k - 1) * whole / n + 2 * whole / n * Reference.split(swing) / 12_000
    }

    /// The beats of another layout at the same place of a bar, if the meter is the same.
    func place(_ beats: Double, in other: Layout) -> Double {
      meter == other.meter ? beats * other.beatsPerWhole / beatsPerWhole : beats
    }

    /// A place, with beats past the bar's end in the next bars.
    func normalised(bar: Int, beats: Double) -> (bar: Int, beats: Double) {
      let bars = (beats / beatsPerBar + 1e-12).rounded(.down)
      return (bar + Int(bars), max(beats - bars * beatsPerBar, 0))
    }

    func keepsTime(of other: Layout) -> Bool {
      abs(framesPerBeat - other.framesPerBeat) < 1e-9 && abs(beatsPerBar - other.beatsPerBar) < 1e-12
    }
  }

  private(set) var layout: Layout
  /// Beat `anchorBeats` of bar `anchorBar` is at `anchorTime`.
  private var anchorTime = 0.0
  private var anchorBar = 1
  private var anchorBeats = 0.0
  /// The next onset.
  private(set) var bar = 1
  private var index = 0

  init(_ layout: Layout) { self.layout = layout }

  var next: Onset { layout.onsets[index] }
  var nextTime: Double { time(bar: bar, next.place) }

  private func time(bar: Int, _ place: Double) -> Double {
    let beats = Double(bar - anchorBar) * layout.beatsPerBar + place - anchorBeats
    return anchorTime + beats * layout.framesPerBeat
  }

  mutating func advance() {
    index += 1
    if index == layout.onsets.count { (bar, index) = (bar + 1, 0) }
  }

  /// The frame of the next beat or bar line.
  func line(_ quantise: Quantise) -> ClockFrame {
    var copy = self
    while copy.index > 0, quantise == .bar || copy.next.role == .subdivision { copy.advance() }
    return ClockFrame(Int64((copy.nextTime + 0.5).rounded(.down)))
  }

  mutating func locate(bar: Int, beats: Double, at time: Double) {
    anchorTime = time
    (anchorBar, anchorBeats) = layout.normalised(bar: bar, beats: beats)
    seek(from: time)
  }

  /// Continues with another layout, at a frame or at the next onset, which is a line: at the same beat, or at the same place in a bar
  /// of the same meter.
  mutating func change(to other: Layout, at frame: ClockFrame, onLine: Bool) {
    let instant = onLine ? nextTime : min(Double(frame.number), nextTime)
    if other.keepsTime(of: layout) {
      layout = other
      return seek(from: Double(frame.number) - 0.5)
    }
    if onLine {
      // The line's place is known; computed from its time it might be a rounding error too early.
      return enter(other, bar: bar, beats: next.place, at: instant)
    }
    let beats = anchorBeats + (instant - anchorTime) / layout.framesPerBeat
    let place = layout.normalised(bar: anchorBar, beats: beats)
    enter(other, bar: place.bar, beats: place.beats, at: instant)
  }

  /// - Parameter beats: of the layout before.
  private mutating func enter(_ other: Layout, bar: Int, beats: Double, at time: Double) {
    let place = layout.place(beats, in: other)
    layout = other
    locate(bar: bar, beats: place, at: time)
  }

  private mutating func seek(from time: Double) {
    let beats = anchorBeats + (time - anchorTime) / layout.framesPerBeat
    bar = max(anchorBar + Int((beats / layout.beatsPerBar).rounded(.down)) - 1, 1)
    index = 0
    while nextTime < time - 1e-4 { advance() }
  }
}
