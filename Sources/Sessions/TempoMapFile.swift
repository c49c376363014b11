import Control
import Engine
import Foundation
import MusicTime

/// A standard MIDI file of a song's tempos, meters and section names, so that a DAW has the same bars at the same times.
///
/// Tempos are whole microseconds a quarter. Each is chosen from the exact time of the point where it ends, so that what
/// is rounded off isn't added up: every beat of a ramp or list is within a few microseconds of its time, and within the long
/// stretches of a constant tempo each is within half a microsecond a quarter, 0.13 ms at most.
///
/// A meter whose note is no power of two (4/3, 7/12) is written with the nearest note that is (4/4, 7/16): it has as many
/// notes, and its tempo is scaled so that every bar and beat falls at its exact time.
public struct TempoMapFile: Sendable {
  /// Ticks a quarter.
  public let resolution: Int
  private var events: [MIDITrack.Event] = []
  private var end = 0

  /// The longest quarter that a file can say, in microseconds: its field has three bytes.
  private static let quarters = 1...0xFF_FFFF
  /// The longest stretch between two points that are placed exactly, in quarters.
  private static let stretch = 256.0
  /// The notes that sequencers know, down to a 64th.
  private static let notes = [1, 2, 4, 8, 16, 32, 64]

  private var tick = 0.0
  /// The exact time and the one that the events written so far give, in microseconds.
  private var exact = 0.0
  private var written = 0.0
  private var quarter: Int?
  private var signature: [UInt8]?

  /// A song that goes round for ever is written once through.
  /// - Parameter resolution: 480 or 960 ticks a quarter are common; 24…32767.
  /// - Throws: `InvalidValue` for a section without an end, and for a tempo below 3.6 quarters a minute.
  public init(_ song: SongPlan, resolution: Int = 960) throws(InvalidValue) {
    guard 24...0x7FFF ~= resolution else {
      throw InvalidValue("resolution", "\(resolution)", allowed: "24…32767 ticks a quarter")
    }
    self.resolution = resolution
    add(0x03, Array(song.title.utf8))
    for (index, plan) in song.plans.enumerated() {
      let isNew = index == 0 || song.plans[index - 1].source != plan.source || song.plans[index - 1].isCountIn
      if isNew, !plan.name.isEmpty { add(0x06, Array(plan.name.utf8)) }
      try add(plan)
    }
    end = Int(tick.rounded())
  }

  /// The file: one track of format 0.
  public var bytes: [UInt8] { MIDITrack(events: events, end: end).file(resolution: resolution) }

  private mutating func add(_ plan: SectionPlan) throws(InvalidValue) {
    guard let clock = BeatClock(plan) else {
      throw InvalidValue("section", quoted(plan.name), allowed: "of a length in bars, beats or time")
    }
    let meter = plan.layout.meter
    let note = TempoMapFile.nearestNote(meter.unit)
    add(signature: meter.count, note)
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
      // A last bar that is cut short has a signature of its own, where there is one.
      if at < lastBar - 1e-9, lastBar < next { next = lastBar }
      if abs(at - lastBar) < 1e-9 { shorten((clock.beats - at) * beat) }
      try advance(
        tick: begin.tick + next * beat * Double(resolution),
        exact: begin.exact + clock.seconds(at: next) * 1e6)
      at = next
    }
  }

  /// Writes the tempo that leads from the last point to the next one.
  private mutating func advance(tick next: Double, exact time: Double) throws(InvalidValue) {
    let ticks = next.rounded() - tick.rounded()
    defer {
      tick = next
      exact = time
    }
    // Too short for a tick of its own: the next stretch takes it in.
    guard ticks > 0 else { return }
    let wanted = ((time - written) * Double(resolution) / ticks).rounded()
    guard let quarter = Int(exactly: wanted), TempoMapFile.quarters ~= quarter else {
      throw InvalidValue(
        "tempo", "of \(wanted / 1e6) s a quarter", allowed: "at most 16.7 s a quarter in a MIDI file")
    }
    // A gap between two events has 28 bits.
    if quarter != self.quarter || Int(tick) - (events.last?.tick ?? 0) > 1 << 27 {
      add(0x51, [UInt8(quarter >> 16 & 0xFF), UInt8(quarter >> 8 & 0xFF), UInt8(quarter & 0xFF)])
    }
    self.quarter = quarter
    written += Double(quarter) * ticks / Double(resolution)
  }

  /// The power of two that is nearest to a note in the ratio of their lengths.
  private static func nearestNote(_ unit: Int) -> Int {
    notes.min { abs(log2(Double($0) / Double(unit))) < abs(log2(Double($1) / Double(unit))) }!
  }

  private mutating func shorten(_ quarters: Double) {
    for note in TempoMapFile.notes {
      let count = quarters / 4 * Double(note)
      guard abs(count - count.rounded()) < 1e-6, 1...255 ~= count.rounded() else { continue }
      // Quarters read better than halves where both say the same.
      if note < 4, count * 4 / Double(note) <= 255 { continue }
      return add(signature: Int(count.rounded()), note)
    }
  }

  private mutating func add(signature count: Int, _ note: Int) {
    let data = [UInt8(count), UInt8(note.trailingZeroBitCount), 24, 8]
    if data != signature { add(0x58, data) }
    signature = data
  }

  private mutating func add(_ type: UInt8, _ data: [UInt8]) {
    events.append(MIDITrack.Event(tick: Int(tick.rounded()), type: type, data: data))
  }
}
