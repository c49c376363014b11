import Control
import MIDI
import OSC
import Validation

/// The addresses of MIDI controllers and of MIDI learn.
extension AddressSpace {
  static let midi = [
    Endpoint(
      "midi/learn", "s, ss, sff or ssff", takes: 1...4,
      "a target; hold, double, latch, or an encoder's coding: twos-complement, signed-bit, binary-offset; lowest, highest",
      standard: "empty",
      "The next MIDI control that moves learns this target. A fader or an encoder: `tempo`, `speed`, `swing`, `volume`, `volume/cue` (or another role), `volume/layer-1`…`8`, `voice/volume`, `subdivision/2`…`9`, `listen/threshold`, `listen/scan`, `listen/mask`, `listen/retrigger`. A press: `start`, `stop`, `toggle`, `pause`, `resume`, `pause/toggle`, `restart`, `tap`, `next`, `previous`, `song/next`, `song/previous`, `preset/next`, `preset/previous`, `go`, `hold`, `loop`, `mute`, `mute/beat` (or another switch), `gap`, `stop/bar`, `fade`, `fade 8`, `reload`, `song/save`, `tempo/nudge -1`, `goto chorus`, `song 2`, `preset 2`, `session gig.yaml`, `speed 80`, `sound beep`, or a value, `tempo 90`. A program change: `song` and `preset` too. Empty: cancels. Pushed: the target that waits for a control, with its arguments.",
      .order { try learn($0) }, value: { $0.learning.map(asked) ?? [.string("")] }),
    Endpoint(
      "midi/unlearn", "s", "a target, or empty", "Removes a target from its controls; empty: all targets.",
      .set { .unlearn(try $0.text(0).isEmpty ? nil : MIDITarget(text: $0.text(0))) }),
    Endpoint(
      "midi/bindings", "—", "number, how many, control, action",
      "Answers with one message for each control that has a target; `0 0` and two empty texts if none has.",
      .list { snapshot, _ in
        let bindings = snapshot.settings.bindings
        let rows = bindings.enumerated().map { index, binding in
          ints(index + 1, bindings.count) + [.string("\(binding.source)"), .string("\(binding.action)")]
        }
        return rows.isEmpty ? [ints(0, 0) + [.string(""), .string("")]] : rows
      }),
    Endpoint(
      "midi/map", "s", MIDIMap.allCases.map(\.rawValue).joined(separator: ", "),
      shapes: [ArgumentShape(tag: "s", choices: MIDIMap.allCases.map(\.rawValue))],
      "Adds a ready-made map: a keyboard's double pedal, a Korg nanoKONTROL2 in CC mode, an Akai LPD8 or MPK mini, a Behringer FCB1010, a Novation Launchkey, an Arturia BeatStep, an M-Vave Chocolate.",
      .set { .load(try $0.choice()) }),
  ]

  /// The arguments that would make a control learn the action.
  private static func asked(_ action: MIDIAction) -> [OSCArgument] {
    let word = action.coding?.rawValue ?? (action.gesture == .press ? nil : action.gesture.rawValue)
    let range = action.range.map { [$0.lowerBound, $0.upperBound] } ?? []
    return [.string("\(action.target)")] + (word.map { [.string($0)] } ?? [])
      + range.map { .float(Float($0)) }
  }

  private static func learn(_ arguments: OSCArguments) throws -> Update {
    let text = try arguments.text(0)
    guard !text.isEmpty else { return .learn(nil) }
    var gesture = Gesture.press
    var coding: EncoderCoding?
    var rest = 1..<arguments.count
    if let word = rest.first, let name = arguments.arguments[word].text {
      coding = EncoderCoding(rawValue: name)
      guard let made = coding == nil ? Gesture(rawValue: name) : .press else {
        let names = (Gesture.allCases.map(\.rawValue) + EncoderCoding.allCases.map(\.rawValue)).joined(
          separator: ", ")
        throw InvalidValue(arguments.name, quoted(name), allowed: "one of \(names)")
      }
      gesture = made
      rest = rest.dropFirst()
    }
    var range: ClosedRange<Double>?
    if !rest.isEmpty {
      guard rest.count == 2 else {
        throw InvalidValue(arguments.name, "with one number", allowed: "given a lowest and a highest value")
      }
      let (low, high) = (try arguments.number(rest.lowerBound), try arguments.number(rest.lowerBound + 1))
      guard low < high else {
        throw InvalidValue("range", "\(low)…\(high)", allowed: "the lower number first")
      }
      range = low...high
    }
    return .learn(try MIDIAction(MIDITarget(text: text), gesture: gesture, coding: coding, range: range))
  }
}
