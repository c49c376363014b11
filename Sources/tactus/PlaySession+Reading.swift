import Control
import Engine
import MusicTime
import Sessions

/// The initial state of a run.
extension PlaySession {
  /// The settings of the last run; nil if there are none.
  static func savedSettings(_ state: StateFile, _ display: Display) -> Settings? {
    switch state.read() {
    case .none: return nil
    case .settings(let last): return last
    case .partial(let last, let reason, let copy):
      let place = copy.map { "the file is kept as \($0)" } ?? "the file can't be copied now"
      display.warnAtStart("\(state.path): \(reason). The rest is used; \(place)")
      return last
    case .damaged(let reason, let movedTo):
      let place = movedTo.map { "moved to \($0)" } ?? "left in place"
      let saving = movedTo == nil ? ", and saving none until it is repaired or removed" : ""
      display.warnAtStart(
        "\(state.path) is damaged (\(reason)) and was \(place): using the default settings\(saving)")
      return nil
    }
  }

  /// The default settings with the saved presets, which are documents of the user rather than settings.
  static func freshSettings(_ state: StateFile) -> Settings {
    var settings = Settings()
    if let last = try? state.settings { settings.keepPresets(of: last) }
    return settings
  }

  /// The settings of the last run, overridden by the options.
  /// - Throws: `CommandError` or `InvalidValue` for options that contradict each other or the settings.
  static func settings(_ options: Play, over saved: Settings) throws -> Settings {
    var settings = saved
    do {
      if let preset = options.preset {
        let recalled = try settings.recall(PresetChoice(text: preset))
        if case .text(let name) = recalled[Parameters.sound.parameter] { try settings.set(.sound(name)) }
      }
      // A profile sets a tempo and a volume. Musical options override these.
      if let profile = options.pace.profile, profile != settings.profile {
        try settings.set(.profile(profile))
      }
      try options.music.apply(to: &settings)
      try settings.set(options.pace.runner.settings)
      if let speed = options.pace.speed {
        let cadence = Tempo(clamping: 1_000 * settings.cadence.cadence(at: speed))
        try settings.restore([.tempo(cadence)])
      }
      if options.pace.followPace || options.pace.speed != nil { try settings.set(.followPace(true)) }
    } catch {
      throw CommandError("\(error)", code: .usage)
    }
    if let role = options.sync.wantedRole {
      try settings.set(.role(role.role))
      if role.isConditional { settings.leadIfFree() }
    }
    // A document given on the command line takes precedence over the last run's role.
    if options.file != nil, settings.role == .link { try settings.set(.role(.free)) }
    if let quantise = options.sync.quantise { try settings.set(.quantise(quantise)) }
    if let beat = options.sync.publish { try settings.set(.publishedBeat(beat)) }
    if let bars = options.sync.preRoll {
      try settings.set(Setting(Parameters.preRoll.parameter, .integer(bars)))
    }
    try check(options, beside: settings.role)
    return settings
  }

  /// Checks the options against the role.
  /// - Parameter role: from the options or the last run.
  /// - Throws: `CommandError` if an option sets a value that another program controls in this role.
  private static func check(_ options: Play, beside role: SyncMode) throws {
    let origin =
      options.sync.wantedRole == nil
      ? "; the role \(role.rawValue) is saved from the last run: --role free changes it" : ""
    if options.music.bars != nil, role == .follow || role == .link {
      let other = role == .link ? "Ableton Link" : "--role follow"
      throw CommandError(
        "--bars counts this metronome's own bars: leave it out with \(other)\(origin)", code: .usage)
    }
    if let tempo = options.music.tempo, role == .link {
      do { try tempo.checkForLink() } catch { throw CommandError("\(error)\(origin)", code: .usage) }
    }
  }

  /// The session given on the command line, otherwise that of the last run at its last position; nil for none.
  /// - Parameter opening: if the last run crashed while it opened its document, that is not opened again automatically.
  /// - Throws: `CommandError` if the given session can't be read.
  static func session(
    _ options: Play, _ settings: Settings, _ display: Display, _ opening: OpeningNote
  ) throws -> (setlist: Setlist, place: SessionPlace)? {
    if let file = options.file {
      let (setlist, start) = try opening.reading(SessionReading.path(of: file)) {
        try SessionReading.read(file)
      }
      guard options.resume else { return (setlist, start) }
      guard let left = settings.place(in: start.path) else {
        display.say("the last run did not leave \(start.path) in the middle: it starts from the beginning")
        return (setlist, start)
      }
      return (setlist, left)
    }
    guard let place = settings.session, leftAside(options, settings) == nil else { return nil }
    guard opening.interrupted != place.path else {
      display.warnAtStart(
        "the last run crashed while it opened \(place.path), so it is not reopened: tactus play \(place.path) opens it"
      )
      return nil
    }
    do {
      return (try opening.reading(place.path) { try SessionReading.readAgain(place.path) }, place)
    } catch {
      display.warnAtStart("the session of the last run can no longer be read: \(error)")
      return nil
    }
  }

  /// The last run's session, if this run plays the metronome instead.
  static func leftAside(_ options: Play, _ settings: Settings) -> SessionPlace? {
    options.file == nil && (options.music.isMusic || options.preset != nil || settings.role == .link)
      ? settings.session : nil
  }

  /// A function that saves settings. A session that was left aside is offered again in the next run, unless another one was
  /// opened. A session that has ended with the run is not offered again.
  /// - Parameter backup: the path to which the replaced settings are moved; nil for no backup.
  static func saving(
    to file: OwnedStateFile, leavingAside place: SessionPlace?, keepingAs backup: String?, _ state: RunState
  ) -> @Sendable (Settings) throws -> Void {
    { settings in
      var settings = settings
      if state.hasFinished { settings.session = nil }
      settings.session = settings.session ?? place
      try warn(of: file.write(settings, keepingAs: backup), file, state)
    }
  }

  /// Warns all observers of an edit of the settings by another program.
  static func warn(of edit: OwnedStateFile.Edit, _ file: OwnedStateFile, _ state: RunState) {
    let outcome: String
    switch edit {
    case .none: return
    case .replaced(let copy): outcome = ": what it had written is kept as \(copy)"
    case .left: outcome = ", and stays so, because no setting has changed here"
    }
    let text = "\(file.file.path) was changed by another program while Tactus ran\(outcome)"
    state.updates?.push(Request(.problem(text)))
  }
}
