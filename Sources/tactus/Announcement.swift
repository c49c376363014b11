import Control

/// The text printed at the start of a run.
struct Announcement {
  var settings: Settings
  /// Whether the settings are those of the last run.
  var isRestored: Bool
  /// With `--fresh`: the settings file, and the backup path to which it will be moved. Otherwise nil.
  var replacedFile: (path: String, backup: String)?
  /// The session's title and path; nil without a session.
  var session: (title: String, path: String)?
  /// Whether the session is that of the last run and waits for a start command.
  var isOfferedAgain: Bool
  /// Whether that session waits at its start.
  var isAtStart = false
  /// Where the last run left the session, if it now starts from the beginning; otherwise nil.
  var placeLeft: String?
  /// Whether Tactus leads the transport and leaves it stopped.
  var isTransportLeft = false
  /// Whether the run takes keys: it has a panel.
  var takesKeys: Bool
  var connection: Connection
  /// The private server's driver, and whether it has a sound card; nil if the server is not private.
  var privateServer: (driver: String, isHeard: Bool)?
  var sampleRate: Int
  /// The ports connected to `out`.
  var outputs: [String]

  /// The first line on a machine without a sound card.
  static let unheard = "nothing will be heard: this machine has no sound card"

  var lines: [String] {
    var lines = privateServer?.isHeard == false ? [Announcement.unheard] : []
    lines += [music, jack, outputs.isEmpty ? "out is not connected" : "out → \(listed(outputs))"]
    let listening = [connection.osc, connection.socket].compactMap { $0 }
    lines.append("OSC listens on \(listed(listening))")
    if let web = connection.web { lines.append("web page at \(web)") }
    if isOfferedAgain, let session {
      let place =
        switch (isAtStart, settings.role) {
        case (false, _): "waits at its last position: \(start) continues it"
        case (true, .lead), (true, .follow): "is open again: \(start) plays it from the transport's position"
        case (true, _): "waits at its start: \(start) plays it"
        }
      lines.append("\(session.path) \(place), \(takesKeys ? ":close or " : "")/tactus/session \"\" closes it")
    }
    if let placeLeft {
      lines.append(
        "it starts from the beginning; the last run left it at \(placeLeft): --resume continues there")
    }
    if isTransportLeft {
      lines.append(
        "a stopped transport stays stopped until \(start) or another client rolls it (--start: at once)"
      )
    }
    if let replacedFile {
      lines.append(
        "\(replacedFile.path) is unchanged until you save or change a setting; it is then kept as \(replacedFile.backup)"
      )
    }
    return lines
  }

  /// What starts the music.
  private var start: String { takesKeys ? "space or /tactus/start" : "/tactus/start" }

  private var music: String {
    var words =
      session.map { $0.title.isEmpty ? $0.path : $0.title } ?? "\(settings.tempo) in \(settings.meter)"
    if session == nil { words += bars }
    words += ", role \(settings.role.rawValue)"
    return isRestored ? words + ", settings of the last run (--fresh: the defaults)" : words
  }

  /// Settings of the bar that a user may have forgotten since the last run.
  private var bars: String {
    var words = settings.beatUnit.map { ", counting \($0)" } ?? ""
    if let accents = settings.accents { words += ", accents \(accents)" }
    if settings.gap != .off { words += ", gap \(settings.gap)" }
    return words
  }

  private var jack: String {
    let place =
      privateServer.map {
        "a private JACK server, \($0.driver); other programs reach it with JACK_DEFAULT_SERVER=\(connection.server)"
      } ?? "the JACK server '\(connection.server)'"
    return "JACK client '\(connection.client)' at \(sampleRate) Hz on \(place)"
  }

  private func listed(_ words: [String]) -> String { words.joined(separator: ", ") }
}

/// Tactus's names and addresses in JACK and OSC.
struct Connection: Sendable {
  var client: String
  var server: String
  /// The URL of the UDP port.
  var osc: String?
  var port: UInt16?
  /// The path of the UNIX socket.
  var socket: String?
  /// The URL of the web page; nil if there is none.
  var web: String?
}
