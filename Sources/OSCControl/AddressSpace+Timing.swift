import Control
import OSC
import TimeCheck

/// The addresses of the time check: the player's hits, takes, calibration, the coach.
extension AddressSpace {
  static let hit = root + "hit"
  static let take = root + "take"
  static let calibrating = root + "calibrating"
  static let calibrated = root + "calibrated"
  static let coach = root + "coach"
  static let quiet = root + "quiet"
  static let learned = root + "learned"

  static let timing = [
    Endpoint(
      "listening", "", "0 or 1",
      "1: Tactus listens to the player, because it was started with `--listen` or `--hits`.",
      .read,
      value: { ints($0.timing == nil ? 0 : 1) }),
    Endpoint(
      "timing", "", "hits, missed, ms, ms, ms in 10 s, 0…1, 0 or 1, BPM",
      "With `--listen` or `--hits`: hits and missed clicks of the take; of the last 32 hits the mean (negative is early), spread and drift, and the part in the window; whether the inputs are calibrated; the tempo of the last 16 hits (0: not known).",
      .read,
      value: { snapshot in
        let timing = snapshot.timing ?? TimingState()
        let (recent, scatter) = (timing.recent, timing.recent.scatter)
        return ints(timing.hits, timing.missed)
          + [recent.mean, scatter?.spread.value ?? 0, scatter?.drift.value ?? 0, recent.inWindow].map {
            .float(Float($0))
          } + ints(timing.isCalibrated ? 1 : 0) + [.float(Float(timing.playedTempo ?? 0))]
      }),
    Endpoint(
      "timing/tempos", "", "8 × BPM",
      "The tempo that you played in the last eight bars with hits, the newest last; 0 where that is not known.",
      .read,
      value: { snapshot in
        let tempos = (snapshot.timing?.playedTempos ?? []).suffix(8)
        return (Array(repeating: 0, count: 8 - tempos.count) + tempos).map { .float(Float($0)) }
      }),
    Endpoint(
      "calibrate", "— or s", "an input's name",
      "Measures how late an input (the first that is not calibrated, if none is named) hears the click: plays eight clicks, if nothing plays. Keep silent meanwhile. `hits`: measures how late an e-drum's notes are, by a calibrated microphone or trigger beside a pad that you hit ten times. `stop` ends it.",
      .call {
        if $0.count == 1, $0.arguments[0].text != nil { return .calibrate(try $0.text(0)) }
        return try $0.count == 0 || $0.truth(0) ? .calibrate("") : nil
      }),
    Endpoint(
      "listen/drum", "s", Drum.names + "; empty",
      "Assigns the next note that an e-drum sends to this drum; empty cancels. Answers with the drum that waits for a note.",
      .order { .learnDrum(try Drum(text: try $0.text(0))) },
      value: { [.string($0.timing?.learning?.rawValue ?? "")] }),
  ]

  /// The message that reports news of the time check to subscribers.
  static func message(_ news: TimingNews) -> OSCMessage {
    switch news {
    case .hit(let judged):
      let (hit, place) = (judged.hit, judged.onset.place)
      return OSCMessage(
        AddressSpace.hit,
        arguments: ints(judged.onset.bar, place.beat, place.part) + [
          .string(hit.drum?.rawValue ?? ""), .float(Float(judged.milliseconds)), .float(hit.strength),
          .string(judged.onset.role.rawValue),
        ] + ints(place.layer))
    case .take(let report):
      return OSCMessage(
        AddressSpace.take, arguments: ([report.section] + report.lines).map { .string($0) })
    case .coached(let report):
      return OSCMessage(
        coach,
        arguments: [
          .string(report.section), .string(report.word), .float(Float(report.nextTempo ?? 0)),
          .float(Float(report.advice.trial.spread ?? 0)), .string(report.line),
        ])
    case .quiet(let report):
      return OSCMessage(
        quiet,
        arguments: [.string(report.section)] + ints(report.inWindow ?? -1, report.beats) + [
          .float(Float(report.tempo ?? 0)), .float(Float(report.faster?.value ?? 0)), .string(report.line),
        ])
    case .learned(let note, let drum):
      return OSCMessage(learned, arguments: ints(Int(note)) + [.string(drum.rawValue)])
    case .calibrating(let prompt): return OSCMessage(AddressSpace.calibrating, .string(prompt))
    case .calibrated(let calibration):
      return OSCMessage(
        AddressSpace.calibrated,
        arguments: [.string(calibration.port)]
          + [calibration.offset, calibration.spread, Double(calibration.bleed)].map { .float(Float($0)) })
    case .notCalibrated(let reason):
      return OSCMessage(error, .string(""), .string("calibration: \(reason)"))
    }
  }
}
