import Control
import OSC
import Validation

/// The addresses of presets.
extension AddressSpace {
  static let presets = [
    Endpoint(
      "preset", "s or i", takes: 1...1, "a name, or a number from 1",
      "Recalls a preset, at the time that `quantise` says; refused while a session is open. Answered and pushed: the number of the preset that was recalled or saved last, how many presets there are, its name, and 1 if something was changed since; 0 and an empty text if there is none.",
      .order { .preset(.recall(try $0.preset(0))) },
      value: { snapshot in
        let presets = snapshot.settings.presets
        return ints(presets.currentNumber ?? 0, presets.all.count) + [.string(presets.current ?? "")]
          + ints(snapshot.settings.isPresetChanged ? 1 : 0)
      }),
    Endpoint("preset/next", "— or i f T", "Recalls the next preset.", .trigger(.preset(.recall(.next)))),
    Endpoint(
      "preset/previous", "— or i f T", "Recalls the previous preset.", .trigger(.preset(.recall(.previous)))),
    Endpoint(
      "preset/save", "s", "a name that is no number",
      "Saves the metronome's setting under a name: tempo, meter, pattern, gap, sound, volumes and profile. A preset of that name is replaced. Refused while a session is open.",
      .order { .preset(.save(try $0.text(0))) }),
    Endpoint(
      "preset/rename", "ss or is", takes: 2...2, "a name or number, a name", "Gives a preset another name.",
      .order { .preset(.rename(try $0.preset(0), to: try $0.text(1))) }),
    Endpoint(
      "preset/move", "si or ii", takes: 2...2, "a name or number, a number from 1",
      "Puts a preset at another place of the list.",
      .order {
        .preset(.move(try $0.preset(0), to: try $0.integer(1, "place", in: places, "a number from 1")))
      }),
    Endpoint(
      "preset/remove", "s or i", takes: 1...1, "a name, or a number from 1", "Removes a preset.",
      .order { .preset(.remove(try $0.preset(0))) }),
    Endpoint(
      "presets", "—", "number, how many, name, beats a minute, \(meterForm)",
      "Answers with one message for each preset; `0 0`, an empty text and zeros if there is none.",
      .list { snapshot, _ in
        let presets = snapshot.settings.presets.all
        guard !presets.isEmpty else { return [ints(0, 0) + [.string(""), .float(0)] + ints(0, 0)] }
        return presets.enumerated().map { index, preset in
          ints(index + 1, presets.count) + [.string(preset.name)]
            + arguments(preset[Parameters.tempo.parameter]) + arguments(preset[Parameters.meter.parameter])
        }
      }),
  ]

  /// The numbers of presets that are accepted here. The list checks that they exist.
  private static let places = 1...PresetList.limit
}

extension OSCArguments {
  /// A preset by its name or number.
  fileprivate func preset(_ index: Int) throws(InvalidValue) -> PresetChoice {
    if let name = arguments[index].text { return .name(name) }
    return .number(try integer(index, "preset"))
  }
}
