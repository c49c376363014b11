import MIDI
import MusicTime

/// Ready-made bindings for hardware with its factory settings, on any channel.
package enum MIDIMap: String, CaseIterable, Sendable {
  /// A keyboard's double pedal: the right one (controller 64) and the left one (67).
  case footswitch
  /// Korg nanoKONTROL2 in its CC mode (SET and CYCLE held while it is plugged in).
  case nanoKONTROL2 = "nanokontrol2"
  /// Akai LPD8, preset 1: pads as notes or program changes.
  case lpd8

  package var bindings: [MIDIBinding] {
    rows.map { row in
      // A test parses all rows.
      try! MIDIBinding(
        MIDISource(text: row.control), MIDIAction(MIDITarget(text: row.target), gesture: row.gesture))
    }
  }

  private typealias Row = (control: String, target: String, gesture: Gesture)

  private var rows: [Row] {
    switch self {
    case .footswitch: MIDIMap.footswitchRows
    case .nanoKONTROL2: MIDIMap.nanoRows.map { ($0.0, $0.1, .press) }
    case .lpd8: MIDIMap.lpd8Rows.map { ($0.0, $0.1, .press) }
    }
  }

  /// The right pedal acts at once. The left one waits for a hold; its tap keeps the time of the press.
  private static let footswitchRows: [Row] = [
    ("cc 64", "toggle", .press), ("cc 67", "tap", .press), ("cc 67", "next", .hold),
  ]

  private static let nanoRows = [
    // The transport's buttons, and those of tracks and markers.
    ("cc 41", "start"), ("cc 42", "stop"), ("cc 43", "previous"), ("cc 44", "next"), ("cc 45", "tap"),
    ("cc 46", "hold"), ("cc 58", "song/previous"), ("cc 59", "song/next"), ("cc 60", "mute"),
    ("cc 61", "tempo/nudge -1"), ("cc 62", "tempo/nudge 1"),
    // Faders.
    ("cc 0", "volume"), ("cc 1", "volume/accent"), ("cc 2", "volume/beat"), ("cc 3", "volume/subdivision"),
    ("cc 4", "volume/cue"), ("cc 5", "subdivision/2"), ("cc 6", "subdivision/3"), ("cc 7", "subdivision/4"),
    // The first two knobs.
    ("cc 16", "tempo"), ("cc 17", "swing"),
    // The S buttons.
    ("cc 32", "sound sine"), ("cc 33", "sound square"), ("cc 34", "sound woodblock"),
    ("cc 35", "sound clave"),
    ("cc 36", "sound tambourine"), ("cc 37", "sound hi-hat"), ("cc 38", "sound cowbell"),
    ("cc 39", "sound beep"),
  ]

  private static let lpd8Rows = [
    // Pads, the lower row first.
    ("note 36", "toggle"), ("note 37", "tap"), ("note 38", "previous"), ("note 39", "next"),
    ("note 40", "mute"), ("note 41", "tempo/nudge -1"), ("note 42", "tempo/nudge 1"), ("note 43", "hold"),
    ("program", "song"),
    // Knobs.
    ("cc 1", "tempo"), ("cc 2", "volume"), ("cc 3", "volume/accent"), ("cc 4", "volume/beat"),
    ("cc 5", "volume/subdivision"), ("cc 6", "volume/cue"), ("cc 7", "swing"), ("cc 8", "subdivision/2"),
  ]
}
