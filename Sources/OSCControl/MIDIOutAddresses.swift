import Control
import Engine
import MusicTime

/// The addresses of the MIDI outputs: the clock, and the click as notes.
extension AddressSpace {
  static let outputs =
    [
      Endpoint(
        "clock/stopped", "i", "0, 1", standard: "0",
        "Whether the MIDI clock also ticks while nothing plays, at the tempo that is set, and in a count-in.",
        .set { .set(.clockRunsWhileStopped(try $0.truth(0))) },
        value: { ints($0.settings.clock.runsWhileStopped ? 1 : 0) }),
      Endpoint(
        "clock/offset", "f", "−500…500 milliseconds", standard: "0",
        "How much later than the click the MIDI clock comes; earlier where negative.",
        .set { .set(.clockOffset(try ClockOffset($0.number(0)))) },
        value: { [.float(Float($0.settings.clock.offset))] }),
    ]
    + Role.allCases.map { role in
      Endpoint(
        "notes/\(role.name)", "i", "0…127", standard: "\(NoteOutput().numbers[role])",
        "The note that the role `\(role.name)` is sent as.",
        .set { .set(.note(role, try $0.integer(0))) },
        value: { ints(Int($0.settings.notes.numbers[role])) })
    }
    + [
      Endpoint(
        "notes/channel", "i", "1…16", standard: "10", "The MIDI channel of the notes.",
        .set { .set(.noteChannel(try $0.integer(0))) }, value: { ints(Int($0.settings.notes.channel)) }),
      Endpoint(
        "notes/length", "i", "1…5000 milliseconds", standard: "50", "How long a note lasts.",
        .set { .set(.noteLength(try $0.integer(0))) }, value: { ints($0.settings.notes.length) }),
    ]
}
