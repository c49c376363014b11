import TimeCheck
import Validation

/// Takes and hits as JSON objects. Numbers are exact.
package struct JSONExport {
  private let zone: Zone

  package init(zone: Zone) { self.zone = zone }

  /// The members of a take's object, without the braces.
  package func members(_ take: LoggedTake) -> String {
    JSONExport.joined([
      ("take", "\(take.number)"),
      ("date", text("\(Day(take.began, in: zone)) \(Clock(take.began, in: zone).withSeconds)")),
      ("unixMilliseconds", "\(take.began)"), ("seconds", number(take.seconds)),
      ("title", text(take.music.title)), ("section", text(take.section)),
      ("document", text(take.music.document)), ("meter", text(take.music.meter)),
      ("tempoLow", number(take.tempo?.low)), ("tempoHigh", number(take.tempo?.high)),
      ("tempoLast", number(take.tempo?.last)), ("sampleRate", "\(take.sampleRate)"),
      ("calibrated", "\(take.isCalibrated)"), ("target", number(take.target)),
      ("window", number(take.window)), ("hits", "\(take.hits)"), ("missed", "\(take.missed)"),
      ("extra", "\(take.extra)"), ("inWindow", number(take.inWindow)), ("mean", number(take.mean)),
      ("spread", number(take.spread?.value)), ("spreadLow", number(take.spread?.low)),
      ("spreadHigh", number(take.spread?.high)), ("drift", number(take.drift?.value)),
      ("gapSpread", number(take.gapSpread)), ("gapSlower", number(take.gapSlower)),
      ("recording", take.recording.map { text($0.file) } ?? "null"),
      ("recordingSeconds", number(take.recording?.seconds)),
      ("recordingLost", number(take.recording?.lost)),
    ])
  }

  /// The object of a hit.
  package func object(_ hit: LoggedHit) -> String {
    "{"
      + JSONExport.joined([
        ("frame", "\(hit.frame)"), ("milliseconds", number(hit.milliseconds)), ("bar", "\(hit.bar)"),
        ("beat", "\(hit.place.beat)"), ("part", "\(hit.place.part)"), ("layer", "\(hit.place.layer)"),
        ("silent", "\(hit.isSilent)"), ("first", "\(hit.isFirst)"), ("tempo", number(hit.tempo)),
        ("port", text(hit.port)), ("drum", hit.drum.map { text($0) } ?? "null"),
        ("strength", number(hit.strength)),
      ]) + "}"
  }

  private static func joined(_ members: [(name: String, value: String)]) -> String {
    members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",")
  }

  private func number(_ value: Double?) -> String {
    guard let value, value.isFinite else { return "null" }
    return "\(value)"
  }

  private func text(_ text: String) -> String {
    var escaped = "\""
    for scalar in printable(text).unicodeScalars {
      if scalar == "\"" || scalar == "\\" { escaped += "\\" }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped + "\""
  }
}
