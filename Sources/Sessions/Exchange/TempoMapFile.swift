import Control
import Engine
import Glibc
import MusicTime
import Validation

/// A standard MIDI file of a song's tempos, meters and section names, which gives a DAW the same bars at the same times.
///
/// Tempos are whole microseconds per quarter. Each is computed from the exact time of the point where it ends, so that
/// rounding errors don't accumulate: every beat of a ramp or list is within a few microseconds of its time, and within a
/// long stretch of constant tempo the error is at most half a microsecond per quarter, 0.13 ms in total.
///
/// A meter whose unit is not a power of two (4/3, 7/12) is written with the nearest one that is (4/4, 7/16). The number of
/// notes stays, and the tempo is scaled so that every bar and beat falls at its exact time.
package struct TempoMapFile: Sendable {
  /// Ticks per quarter.
  package let resolution: Int
  private var events: [MIDITrack.Event] = []
  private var end = 0

  /// The name of the marker at a count-in.
  static let countIn = "Count-in"

  /// The range of quarters in microseconds: the field has three bytes.
  private static let quarters = 1...0xFF_FFFF
  /// The longest stretch between two exactly placed points, in quarters.
  private static let stretch = 256.0
  /// The notes that sequencers support, down to a 64th.
  private static let notes = [1, 2, 4, 8, 16, 32, 64]

  private var tick = 0.0
  /// The exact time of the last point, and its time according to the events written so far, in microseconds.
  private var exact = 0.0
  private var written = 0.0
  private var quarter: Int?
  private var signature: [UInt8]?
  private var pointsLeft = SessionLimits.mapTempos

  /// A song that loops for ever is written once.
  /// - Parameter resolution: ticks per quarter, 24…32767; 480 and 960 are common.
  /// - Throws: `InvalidValue` for a section without an end, for a tempo below 3.6 quarters per minute, and for too many tempos.
  package init(_ song: SongPlan, resolution: Int = 960) throws(InvalidValue) {
    guard 24...0x7FFF ~= resolution else {
      throw InvalidValue("resolution", "\(resolution)", allowed: "24…32767 ticks a quarter")
    }
    self.resolution = resolution
    add(0x03, Array(song.title.utf8))
    for (index, plan) in song.plans.enumerated() {
      if song.beginsPart(index), !plan.name.isEmpty { add(0x06, Array(plan.name.utf8)) }
      try add(plan)
    }
    end = Int(tick.rounded())
  }

  /// The file: one track of format 0.
  package var bytes: [UInt8] { MIDITrack(events: events, end: end).file(resolution: resolution) }

  private mutating func add(_ plan: SectionPlan) throws(InvalidValue) {
    guard let clock = plan.clock else {
      throw InvalidValue("section", quoted(plan.name), allowed: "of a length in bars, beats or time")
    }
    let meter = plan.layout.meter
    let note = TempoMapFile.nearestNote(meter.unit)
    // MIDI clocks, 24 a quarter.
    let click = meter.unit == note ? plan.layout.beatUnit.length * Rational(96) : Rational(24)
    add(
      signature: meter.count, note,
      click: click.denominator == 1 && click.numerator <= 255 ? click.numerator : 24)
    // Quarters of the file in one beat.
    let beat = plan.layout.beatUnit.length.approximation * 4 * Double(meter.unit) / Double(note)
    let begin = (tick: tick, exact: exact)
    let step: Double
    switch plan.tempo {
    case .constant: step = max(1, (TempoMapFile.stretch / beat).rounded(.down))
    case .ramp, .beats: step = 1
    }
    let bar = plan.layout.beatsInBar.approximation
    let lastBar = (clock.beats / bar + 1e-9).rounded(.down) * bar
    var at = 0.0
    while at < clock.beats - 1e-9 {
      var next = min(at + step, clock.beats)
      // A last bar that is cut short gets its own time signature, if one exists for its length.
      if at < lastBar - 1e-9, lastBar < next { next = lastBar }
      if abs(at - lastBar) < 1e-9 { shorten((clock.beats - at) * beat) }
      try advance(
        tick: begin.tick + next * beat * Double(resolution),
        exact: begin.exact + clock.seconds(at: next) * 1e6)
      at = next
    }
  }

  /// Writes the tempo from the last point to the next.
  private mutating func advance(tick next: Double, exact time: Double) throws(InvalidValue) {
    pointsLeft -= 1
    guard pointsLeft >= 0 else {
      let limit = SessionLimits.mapTempos
      throw InvalidValue(
        "sections", "with more than \(limit) tempos", allowed: "at most \(limit) in a MIDI file")
    }
    let ticks = next.rounded() - tick.rounded()
    defer {
      tick = next
      exact = time
    }
    // Too short for one tick: the next stretch includes it.
    guard ticks > 0 else { return }
    let wanted = ((time - written) * Double(resolution) / ticks).rounded()
    guard let quarter = Int(exactly: wanted), TempoMapFile.quarters ~= quarter else {
      throw InvalidValue(
        "tempo", "of \(wanted / 1e6) s a quarter", allowed: "at most 16.7 s a quarter in a MIDI file")
    }
    // A delta time has 28 bits.
    if quarter != self.quarter || Int(tick) - (events.last?.tick ?? 0) > 1 << 27 {
      add(0x51, [UInt8(quarter >> 16 & 0xFF), UInt8(quarter >> 8 & 0xFF), UInt8(quarter & 0xFF)])
    }
    self.quarter = quarter
    written += Double(quarter) * ticks / Double(resolution)
  }

  /// The power of two nearest to a note, by the ratio of their lengths.
  private static func nearestNote(_ unit: Int) -> Int {
    notes.min { abs(log2(Double($0) / Double(unit))) < abs(log2(Double($1) / Double(unit))) }!
  }

  private mutating func shorten(_ quarters: Double) {
    for note in TempoMapFile.notes {
      let count = quarters / 4 * Double(note)
      guard abs(count - count.rounded()) < 1e-6, 1...255 ~= count.rounded() else { continue }
      // Prefer quarters to halves if both express the same bar.
      if note < 4, count * 4 / Double(note) <= 255 { continue }
      return add(signature: Int(count.rounded()), note, click: min(96 / note, 96))
    }
  }

  /// - Parameter click: the beat in MIDI clocks.
  private mutating func add(signature count: Int, _ note: Int, click: Int) {
    let data = [UInt8(count), UInt8(note.trailingZeroBitCount), UInt8(click), 8]
    if data != signature { add(0x58, data) }
    signature = data
  }

  private mutating func add(_ type: UInt8, _ data: [UInt8]) {
    events.append(MIDITrack.Event(tick: Int(tick.rounded()), type: type, data: data))
  }
}
