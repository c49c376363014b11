import Control
import MusicTime

/// The addresses of a runner's pace, and of the tempos that controls may reach.
extension AddressSpace {
  static let pace =
    [
      Endpoint(
        "profile", "s", TempoProfile.allCases.map(\.rawValue).joined(separator: ", "), standard: "full",
        "The tempos that controls may reach: `full` 1…999.999; `runner` 150…230, from 180 at volume 0.4; `watch` 40…150. Nudges and taps stop at the bound.",
        .set { .set(.profile(try $0.choice())) }, value: { [.string($0.settings.profile.rawValue)] }),
      Endpoint(
        "pace/follow", "i", "0, 1", standard: "0",
        "Has the tempo follow the speed, at most once in 3 s. A tempo that is set by hand ends it.",
        .set { .set(.followPace(try $0.truth(0))) }, value: { ints($0.settings.followsPace ? 1 : 0) }),
      Endpoint(
        "pace/speed", "f", "0…\(Int(Measure.fastest)) m/s",
        "A reading of the runner's speed. The mean of the last five counts, as far as they are not older than 15 s.",
        .set { .pace(speed: try $0.number(0)) }),
      Endpoint(
        "pace/steps", "— or f", takes: 0...1, "0…400 steps a minute",
        "A step, or the cadence as somebody else has counted it.",
        .call { .steps(cadence: $0.count == 0 ? nil : try $0.number(0)) }),
      Endpoint(
        "pace", "", "m/s, steps a minute, steps a minute",
        "The speed, the cadence as it is run, and the one that suits; 0 where it isn't known.", .read,
        value: {
          [.float(Float($0.pace.speed)), .float(Float($0.pace.cadence))] + ints($0.pace.target)
        }),
    ]
    + CadenceConstant.allCases.map { constant in
      Endpoint(
        "pace/\(constant.rawValue)", "f", constant.allowed, standard: text(constant.standard),
        constant.summary,
        .set { .set(.cadence([constant: try $0.number(0)])) },
        value: { [.float(Float($0.settings.cadence[constant]))] })
    }

  private static func text(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\(number)"
  }
}
