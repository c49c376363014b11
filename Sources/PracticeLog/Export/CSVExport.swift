import TimeCheck
import Validation

/// Takes or hits as comma-separated values (RFC 4180). Numbers are exact; times are wall-clock times.
package struct CSVExport {
  private let zone: Zone

  package init(zone: Zone) { self.zone = zone }

  /// The header of takes, with its line end.
  package static let takeHeader =
    "take,date,time,unix_ms,seconds,title,section,document,meter,tempo_low,tempo_high,tempo_last,sample_rate,calibrated,target_ms,window_ms,hits,missed,extra,in_window,mean_ms,spread_ms,spread_low_ms,spread_high_ms,drift_ms_per_10s,gap_spread_ms,gap_slower_percent,recording,recording_seconds,recording_lost_seconds\r\n"
  /// The header of hits, with its line end.
  package static let hitHeader =
    "take,frame,ms,bar,beat,part,layer,silent,first,tempo,port,drum,strength\r\n"

  /// A take as a line, with its line end.
  package func line(_ take: LoggedTake) -> String {
    CSVExport.line([
      "\(take.number)", "\(Day(take.began, in: zone))", Clock(take.began, in: zone).withSeconds,
      "\(take.began)", number(take.seconds), cell(take.music.title), cell(take.section),
      cell(take.music.document), cell(take.music.meter), number(take.tempo?.low), number(take.tempo?.high),
      number(take.tempo?.last), "\(take.sampleRate)", take.isCalibrated ? "1" : "0", number(take.target),
      number(take.window), "\(take.hits)", "\(take.missed)", "\(take.extra)", number(take.inWindow),
      number(take.mean), number(take.spread?.value), number(take.spread?.low), number(take.spread?.high),
      number(take.drift?.value), number(take.gapSpread), number(take.gapSlower),
      cell(take.recording?.file ?? ""), number(take.recording?.seconds), number(take.recording?.lost),
    ])
  }

  /// A hit as a line, with its line end.
  /// - Parameter take: the number of its take.
  package func line(_ hit: LoggedHit, of take: Int64) -> String {
    CSVExport.line([
      "\(take)", "\(hit.frame)", number(hit.milliseconds), "\(hit.bar)", "\(hit.place.beat)",
      "\(hit.place.part)", "\(hit.place.layer)", hit.isSilent ? "1" : "0", hit.isFirst ? "1" : "0",
      number(hit.tempo), cell(hit.port), cell(hit.drum ?? ""), number(hit.strength),
    ])
  }

  private static func line(_ cells: [String]) -> String { cells.joined(separator: ",") + "\r\n" }

  private func number(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }

  /// A text as a cell: quoted if necessary, and marked so that spreadsheets do not evaluate it as a formula.
  private func cell(_ text: String) -> String {
    var text = printable(text)
    // Some spreadsheets treat the wide forms like the narrow ones.
    let formula = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\u{FFFD}"]
    if formula.contains(where: { text.hasPrefix($0) }) { text = "'" + text }
    guard text.contains(where: { ",\"\r\n;' ".contains($0) }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
