import Control
import Engine
import MIDI
import MusicTime
import TestNumbers

extension Generator {
  /// A setting of any kind, which may not fit the others.
  package mutating func setting() -> Setting {
    let volume = try! Volume(Double.random(in: 0...1, using: &self))
    let beats = Int.random(in: 1...12, using: &self)
    switch Int.random(in: 0..<17, using: &self) {
    case 0: return .tempo(Tempo(clamping: .random(in: 1_000...999_999, using: &self)))
    case 1: return .meter(try! Meter(beats, [1, 2, 3, 4, 8, 16, 99].randomElement(using: &self)!))
    case 2:
      let unit = [nil, (1, 4), (3, 8), (7, 16), (1, 99), (1, 8)].randomElement(using: &self)!
      return .beatUnit(unit.map { try! BeatUnit($0.0, $0.1) })
    case 3: return .subdivision(Subdivision.all.randomElement(using: &self)!, volume)
    case 4:
      let letters = String((0..<beats).map { _ in "Xxo.".randomElement(using: &self)! })
      return .accents(Bool.random(using: &self) ? nil : try! AccentPattern(text: letters))
    case 5: return .groups(Bool.random(using: &self) ? nil : try! Groups(text: "1+\(beats)"))
    case 6: return .swing(try! Swing(Double.random(in: 0...1, using: &self)))
    case 7: return .volume(Fader.allCases.randomElement(using: &self)!, volume)
    case 8:
      return .sound(
        ["sine", "beep", "/tmp/a b", "null", "1e3", "ü: #\"'\n", "~", "*a", ""].randomElement(using: &self)!)
    case 9: return .quantise(Quantise.allCases.randomElement(using: &self)!)
    case 10: return .clockInLoss(MIDIClockLoss.allCases.randomElement(using: &self)!)
    case 11: return .clockInOffset(try! ClockOffset(.random(in: -500...500, using: &self)))
    case 12: return .clockRunsWhileStopped(Bool.random(using: &self))
    case 13: return .clockOffset(try! ClockOffset(Double(Int.random(in: -5_000...5_000, using: &self)) / 10))
    case 14:
      let number = Int.random(in: -1...130, using: &self)
      let note = Parameters.note(ClickRole.allCases.randomElement(using: &self)!)
      let settings = [
        try? note.setting(number), try? Parameters.noteChannel.setting(number / 6),
        try? Parameters.noteLength.setting(number),
      ]
      return settings.randomElement(using: &self)! ?? .mute(false)
    case 15: return .gap([.off, try! Gap(play: beats, rest: beats % 5)].randomElement(using: &self)!)
    default: return .role(SyncMode.allCases.randomElement(using: &self)!)
    }
  }

  /// A text that YAML could read as another type.
  package mutating func text() -> String {
    let parts = [
      "*", "&a", "!", "|", ">", "%", "@", "`", "'", "\"", "#", ": ", ",", "[", "]", "{", "}", "?", "- ", "~",
      " ", "\t",
      "\n", "\\", "ü", "\u{7}", "\u{85}", "\u{2028}", "😀", "<<", "null", "yes", "0x1F", "1e3", "Verse",
    ]
    return (0...Int.random(in: 0...8, using: &self)).map { _ in parts.randomElement(using: &self)! }.joined()
  }

  /// Settings including bindings, connections, the session and the runner.
  package mutating func savedSettings() -> Settings {
    var settings = settings()
    for _ in 0..<Int.random(in: 0...40, using: &self) { bind(to: &settings) }
    for port in ["out", "accent", "control", "clock-in", "notes"] where Bool.random(using: &self) {
      settings.connections[port] = (0..<Int.random(in: 0...5, using: &self)).map { _ in text() }
    }
    if Bool.random(using: &self) {
      settings.session = SessionPlace(
        path: text(), song: .random(in: 0...99, using: &self), section: .random(in: 0...99, using: &self),
        step: .random(in: 0...9, using: &self), bar: .random(in: 0...99, using: &self),
        lap: .random(in: 0...9, using: &self))
    }
    if Bool.random(using: &self) { settings.leadIfFree() }
    try? settings.set(.profile(TempoProfile.allCases.randomElement(using: &self)!))
    for constant in CadenceConstant.allCases {
      try? settings.set(Parameters.cadence(constant).setting(.random(in: constant.bounds, using: &self)))
    }
    try? settings.set(.followPace(Bool.random(using: &self)))
    return settings
  }

  private mutating func bind(to settings: inout Settings) {
    let numbers = 0...127
    let text = [
      "goto \(text())", "sound \(text())", "song \(Int.random(in: 1...99, using: &self))", "resume",
      "tempo/nudge \(Double.random(in: -9...9, using: &self))",
      "volume/cue \(Double.random(in: 0...1, using: &self))",
    ].randomElement(using: &self)!
    let kind = [MIDISource.Kind.note, .controller, .program].randomElement(using: &self)!
    guard let target = try? MIDITarget(text: text),
      let source = try? MIDISource(
        kind, .random(in: numbers, using: &self),
        channel: Bool.random(using: &self) ? nil : .random(in: 1...16, using: &self)),
      let action = try? MIDIAction(target, gesture: Gesture.allCases.randomElement(using: &self)!),
      let binding = try? MIDIBinding(source, action)
    else { return }
    try? settings.bind(binding)
  }

  /// Settings after many random changes, of which only the valid ones took effect.
  package mutating func settings() -> Settings {
    var settings = Settings()
    for _ in 0..<40 { try? settings.set(setting()) }
    return settings
  }
}
