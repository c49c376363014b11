import Control
import Engine
import Foundation
import Sessions

/// What a run starts from.
extension PlaySession {
  /// The settings of the last run; nil where there are none.
  static func savedSettings(_ state: StateFile, _ display: Display) -> Settings? {
    switch state.read() {
    case .none: return nil
    case .settings(let last): return last
    case .damaged(let reason, let movedTo):
      let place = movedTo.map { "it is now \($0)" } ?? "it stays where it is"
      display.warn("\(state.path) is damaged (\(reason)): \(place), and the defaults are used")
      return nil
    }
  }

  /// The settings of the last run, with the options over them.
  static func settings(_ options: Play, over saved: Settings) throws -> Settings {
    var settings = saved
    do {
      // The options of the music go before the tempo and volume that a profile begins with.
      if let profile = options.pace.profile, profile != saved.profile { try settings.set(.profile(profile)) }
      try options.music.apply(to: &settings)
      try settings.set(.cadence(options.pace.runner.constants))
      if options.pace.followPace { try settings.set(.followPace(true)) }
    } catch {
      throw Failure("\(error)", code: .usage)
    }
    if let role = options.jack.wantedRole {
      try settings.set(.role(role.role))
      if role.isConditional { settings.leadIfFree() }
    }
    // A document that is asked for goes before what the last run was with.
    if options.file != nil, settings.role == .link { try settings.set(.role(.free)) }
    if let quantise = options.jack.quantise { try settings.set(.quantise(quantise)) }
    try check(options, beside: settings.role)
    return settings
  }

  /// - Parameter role: asked for, or the last run's.
  /// - Throws: `Failure` where an option says what the role leaves to others.
  private static func check(_ options: Play, beside role: TransportRole) throws {
    let origin =
      options.jack.wantedRole == nil ? "; \(role.rawValue) is the last run's role: --role free ends that" : ""
    if options.music.bars != nil, role == .follow || role == .link {
      let other = role == .link ? "Ableton Link" : "--role follow"
      throw Failure(
        "--bars counts this metronome's own bars: leave it out with \(other)\(origin)", code: .usage)
    }
    if let tempo = options.music.tempo, role == .link {
      do { try tempo.checkForLink() } catch { throw Failure("\(error)\(origin)", code: .usage) }
    }
  }

  /// The session that is asked for, or else the one of the last run, where it stood.
  static func session(
    _ options: Play, _ settings: Settings, _ display: Display
  ) throws -> (setlist: Setlist, place: SessionPlace)? {
    if let file = options.file { return try SessionReading.read(file) }
    guard let place = settings.session, leftAside(options, settings) == nil else { return nil }
    do {
      return (try SessionReading.read(place.path).setlist, place)
    } catch {
      display.warn("the session of the last run can't be read any more: \(error)")
      return nil
    }
  }

  /// The last run's session, where this run plays the metronome in its place.
  static func leftAside(_ options: Play, _ settings: Settings) -> SessionPlace? {
    options.file == nil && (options.music.isMusic || settings.role == .link) ? settings.session : nil
  }

  /// Writes settings; a session that was left aside is offered again the next time, unless there has been another.
  static func saving(
    to file: StateFile, leavingAside place: SessionPlace?
  ) -> @Sendable (Settings) throws -> Void {
    { settings in
      var settings = settings
      settings.session = settings.session ?? place
      try file.write(settings)
    }
  }
}
