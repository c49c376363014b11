import Control

/// What people are told when the playing begins.
struct Announcement {
  var settings: Settings
  /// Whether the settings are those of the last run.
  var isRestored: Bool
  /// The session's title and path.
  var session: (title: String, path: String)?
  /// Whether the session is the last run's, and waits to be started.
  var isOfferedAgain: Bool
  var connection: Connection
  /// What a private server plays through; nil where it is somebody else's.
  var driver: String?
  var sampleRate: Int
  /// What `out` is connected to.
  var outputs: [String]

  var lines: [String] {
    var lines = [music, jack, outputs.isEmpty ? "out is connected to nothing" : "out → \(listed(outputs))"]
    let listening = [connection.osc, connection.socket].compactMap { $0 }
    lines.append("OSC listens on \(listed(listening))")
    if isOfferedAgain, let session {
      lines.append("\(session.path) is where it stood: /tactus/start goes on, --fresh plays the metronome")
    }
    return lines
  }

  private var music: String {
    var words =
      session.map { $0.title.isEmpty ? $0.path : $0.title } ?? "\(settings.tempo) in \(settings.meter)"
    if session == nil, let unit = settings.beatUnit { words += ", counting \(unit)" }
    words += ", role \(settings.role.rawValue)"
    return isRestored ? words + ", settings of the last run (--fresh: the defaults)" : words
  }

  private var jack: String {
    let place =
      driver.map {
        "a private JACK server, \($0); others reach it with JACK_DEFAULT_SERVER=\(connection.server)"
      } ?? "the JACK server '\(connection.server)'"
    return "JACK client '\(connection.client)' at \(sampleRate) Hz on \(place)"
  }

  private func listed(_ words: [String]) -> String { words.joined(separator: ", ") }
}
