import Control
import Foundation

/// One event as a line of JSON.
struct EventLine: Encodable {
  var event: String
  /// Seconds since the Unix epoch at which a beat leaves the speakers.
  var time: Double?
  /// Frame of the engine's clock.
  var frame: Int64?
  var bar: Int?
  var beat: Int?
  var role: String?
  var strength: Float?
  var playing: Bool?
  var tempo: Double?
  var meter: String?
  var text: String?

  /// nil where a report is of no interest to a program.
  init?(_ report: Report) {
    switch report {
    case .beat(let beat, let time):
      event = "beat"
      self.time = Double(Monotonic.wallClock(of: time)) / 1e9
      frame = beat.frame
      bar = beat.bar
      self.beat = beat.beat
      role = beat.role.name
      strength = beat.strength
    case .changed(let old, let new):
      guard old.settings != new.settings || old.isPlaying != new.isPlaying else { return nil }
      event = "state"
      playing = new.isPlaying
      tempo = new.settings.tempo.beatsPerMinute
      meter = new.settings.meter.description
    case .finished: event = "finished"
    case .warning(let text):
      event = "warning"
      self.text = text
    case .host(.connected): event = "connected"
    case .host(.lost(let reason)):
      event = "lost"
      text = reason
    }
  }

}

extension EventLine {
  var line: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }
}
