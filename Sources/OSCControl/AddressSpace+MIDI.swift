import Control
import MIDI
import OSC
import Validation

/// The addresses of MIDI controllers and of MIDI learn.
extension AddressSpace {
  /// - Parameter table: the known parameters.
  static func midi(_ table: ParameterTable) -> [Endpoint] { [learning(table)] + bindings }

  private static func learning(_ table: ParameterTable) -> Endpoint {
    func list(_ texts: [String]) -> String { texts.map { "`\($0)`" }.joined(separator: ", ") }
    return Endpoint(
      "midi/learn", "s, ss, sff or ssff", takes: 1...4,
      "a target; hold, double, latch, or an encoder's coding: twos-complement, signed-bit, binary-offset; lowest, highest",
      standard: "empty",
      "The next MIDI control that moves learns this target. A fader or an encoder: \(list(MIDITarget.faders(table))). A press: \(list(MIDITarget.presses)), any switch, as `mute/beat`, or a value, as `tempo 90` or `sound beep`. A program change: \(list(MIDITarget.programs)) too. Empty: cancels. Pushed: the target that waits for a control, with its arguments.",
      .order { try AddressSpace.learn($0) },
      value: { $0.learning.map { AddressSpace.asked($0) } ?? [.string("")] })
  }

  private static let bindings = [
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

  /// The arguments of `midi/learn` that would make a control learn the action.
  private static func asked(_ action: MIDIAction) -> [OSCArgument] {
    let word = action.coding?.rawValue ?? (action.gesture == .press ? nil : action.gesture.rawValue)
    let range = action.range.map { [$0.lowerBound, $0.upperBound] } ?? []
    return [.string("\(action.target)")] + (word.map { [.string($0)] } ?? [])
      + range.map { .float(Float($0)) }
  }

  private static func learn(_ arguments: OSCArguments) throws -> Update {
    let text = try arguments.text(0)
    guard !text.isEmpty else { return .learn(nil) }
    var way: (gesture: Gesture, coding: EncoderCoding?) = (.press, nil)
    var rest = 1..<arguments.count
    if let word = rest.first, let name = arguments.arguments[word].text {
      guard let made = MIDIAction.way(name) else {
        let names = (Gesture.allCases.map(\.rawValue) + EncoderCoding.allCases.map(\.rawValue)).joined(
          separator: ", ")
        throw InvalidValue(arguments.name, quoted(name), allowed: "one of \(names)")
      }
      way = made
      rest = rest.dropFirst()
    }
    var range: ClosedRange<Double>?
    if !rest.isEmpty {
      guard rest.count == 2 else {
        throw InvalidValue(arguments.name, "with one number", allowed: "given a lowest and a highest value")
      }
      range = try MIDIAction.range(
        arguments.number(rest.lowerBound), arguments.number(rest.lowerBound + 1))
    }
    return .learn(
      try MIDIAction(MIDITarget(text: text), gesture: way.gesture, coding: way.coding, range: range))
  }
}
