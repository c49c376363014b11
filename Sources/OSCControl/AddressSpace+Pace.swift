import Control
import MusicTime

/// The addresses of a runner's pace.
extension AddressSpace {
  static let pace = [
    Endpoint(
      "pace/speed", "f", "0…\(Int(Measure.fastest)) m/s", unit: "m/s", shapes: [.number(0...Measure.fastest)],
      "A reading of the runner's speed. Tactus uses the mean of the last five that are at most 15 s old.",
      .set { .pace(speed: try $0.number(0)) }),
    Endpoint(
      "pace/target", "f", "0…\(Int(Measure.fastest)) m/s", unit: "m/s",
      shapes: [.number(0...Measure.fastest)],
      "The speed, set by hand. It takes effect when it has not changed for 0.3 s, without averaging, until the next reading.",
      .set { .paceTarget(speed: try $0.number(0)) }),
    Endpoint(
      "pace/steps", "— or f", takes: 0...1, "0…400 steps a minute",
      "One step; with a number, a cadence that was counted elsewhere.",
      .call { .steps(cadence: $0.count == 0 ? nil : try $0.number(0)) }),
    Endpoint(
      "pace", "", "m/s, steps a minute, steps a minute",
      "The speed, the measured cadence and the suggested cadence; 0 if unknown. The measured cadence is unknown two seconds after the last step, or 15 s after the last that was counted elsewhere.",
      .read,
      value: {
        [.float(Float($0.pace.speed)), .float(Float($0.pace.cadence))] + ints($0.pace.target)
      }),
  ]
}
