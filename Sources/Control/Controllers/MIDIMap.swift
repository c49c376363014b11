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
  /// Behringer FCB1010: the pedals of bank 0 as program changes 0 to 9, expression pedals as controllers 27 and 7.
  case fcb1010
  /// Akai MPK mini mk3 or mini Plus: knobs as controllers 70 to 77, pads as notes from 36 on channel 10.
  case mpkMini = "mpk-mini"
  /// Novation Launchkey: pots as controllers 21 to 28, transport buttons 115 and 116, pads as notes from 36 on channel 10.
  case launchkey
  /// Arturia BeatStep: pads as notes from 36, encoders as controllers with positions, the large one as 7.
  case beatStep = "beatstep"
  /// M-Vave Chocolate: its four switches as program changes 0 to 3.
  case chocolate

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
    case .fcb1010: MIDIMap.fcbRows.map { ($0.0, $0.1, .press) }
    case .mpkMini: MIDIMap.mpkRows.map { ($0.0, $0.1, .press) }
    case .launchkey: MIDIMap.launchkeyRows.map { ($0.0, $0.1, .press) }
    case .beatStep: MIDIMap.beatStepRows.map { ($0.0, $0.1, .press) }
    case .chocolate: MIDIMap.chocolateRows.map { ($0.0, $0.1, .press) }
    }
  }

  /// The right pedal acts at once. The left one waits for a hold; its tap has the time of the press.
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

  // The rows below are from manufacturers' documents and users. They have not been tested on the devices.

  private static let fcbRows = [
    // Pedals 1 to 5, the lower row, and 6 to 10.
    ("program 0", "previous"), ("program 1", "go"), ("program 2", "next"), ("program 3", "hold"),
    ("program 4", "tap"), ("program 5", "song/previous"), ("program 6", "tempo/nudge -1"),
    ("program 7", "tempo/nudge 1"), ("program 8", "mute"), ("program 9", "song/next"),
    // The expression pedals A and B.
    ("cc 27", "volume/cue"), ("cc 7", "volume"),
  ]

  private static let mpkRows = [
    // Pads of bank A, the lower row first.
    ("note 36 channel 10", "toggle"), ("note 37 channel 10", "tap"), ("note 38 channel 10", "previous"),
    ("note 39 channel 10", "next"), ("note 40 channel 10", "mute"),
    ("note 41 channel 10", "tempo/nudge -1"), ("note 42 channel 10", "tempo/nudge 1"),
    ("note 43 channel 10", "hold"),
    // Knobs.
    ("cc 70", "tempo"), ("cc 71", "volume"), ("cc 72", "volume/accent"), ("cc 73", "volume/beat"),
    ("cc 74", "volume/subdivision"), ("cc 75", "volume/cue"), ("cc 76", "swing"), ("cc 77", "subdivision/2"),
    // The transport buttons of the mini Plus.
    ("cc 117", "stop"), ("cc 118", "toggle"),
  ]

  private static let launchkeyRows = [
    // Pots.
    ("cc 21", "tempo"), ("cc 22", "volume"), ("cc 23", "volume/accent"), ("cc 24", "volume/beat"),
    ("cc 25", "volume/subdivision"), ("cc 26", "volume/cue"), ("cc 27", "swing"), ("cc 28", "subdivision/2"),
    // Play and stop.
    ("cc 115", "toggle"), ("cc 116", "stop"),
    // Pads in drum mode: the left four of the lower and of the upper row.
    ("note 36 channel 10", "tap"), ("note 37 channel 10", "previous"), ("note 38 channel 10", "next"),
    ("note 39 channel 10", "hold"), ("note 40 channel 10", "mute"), ("note 41 channel 10", "tempo/nudge -1"),
    ("note 42 channel 10", "tempo/nudge 1"), ("note 43 channel 10", "gap"),
  ]

  private static let beatStepRows = [
    // Pads, the lower row first.
    ("note 36", "toggle"), ("note 37", "tap"), ("note 38", "previous"), ("note 39", "next"),
    ("note 40", "song/previous"), ("note 41", "song/next"), ("note 42", "hold"), ("note 43", "mute"),
    ("note 44", "tempo/nudge -1"), ("note 45", "tempo/nudge 1"), ("note 46", "gap"), ("note 47", "restart"),
    ("note 48", "preset/previous"), ("note 49", "preset/next"), ("note 50", "stop/bar"), ("note 51", "fade"),
    // The large encoder, and the upper row of the small ones.
    ("cc 7", "volume"), ("cc 10", "tempo"), ("cc 74", "swing"), ("cc 71", "volume/accent"),
    ("cc 76", "volume/beat"), ("cc 77", "volume/subdivision"), ("cc 93", "volume/cue"),
    ("cc 73", "subdivision/2"), ("cc 75", "subdivision/3"),
  ]

  private static let chocolateRows = [
    ("program 0", "previous"), ("program 1", "go"), ("program 2", "next"), ("program 3", "tap"),
  ]
}
