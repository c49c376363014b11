import Control

/// The addresses of the MIDI clock that comes in.
extension AddressSpace {
  static let clockIn = [
    Endpoint(
      "clock-in/loss", "s", ClockLoss.allCases.map(\.rawValue).joined(separator: ", "), standard: "continue",
      "In `midi-clock`: whether the music goes on at the last tempo when the clock falls silent.",
      .set { .set(.clockInLoss(try $0.choice())) }, value: { [.string($0.settings.clockInLoss.rawValue)] }),
    Endpoint(
      "clock-in/offset", "f", "−500…500 ms", standard: "0",
      "In `midi-clock`: how much later the clicks come than the clock says. The ports' latencies are allowed for already.",
      .set { .set(.clockInOffset(try ClockOffset($0.number(0)))) },
      value: { [.float(Float($0.settings.clockInOffset.milliseconds))] }),
  ]
}
