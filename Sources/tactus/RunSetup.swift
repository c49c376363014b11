import Control
import Engine
import JACKClient
import MusicTime
import Sessions
import TimeCheck

/// What a run starts with: the settings of the last run, the options and the document; and how it saves its settings.
struct RunSetup {
  /// The settings of the last run; nil if there are none.
  let saved: Settings?
  /// The settings that the run starts with.
  let settings: Settings
  /// The session and its first place; nil without one.
  let session: (setlist: Setlist, place: SessionPlace)?
  /// With `--fresh`: the settings file, and the backup path to which it will be moved. Otherwise nil.
  let replacedFile: (path: String, backup: String)?
  let stateFile: OwnedStateFile
  /// Whether this run saves settings. Otherwise another Tactus saves them in its file.
  let isOwner: Bool
  /// The note of the document that is being opened.
  let opening: OpeningNote
  let state: RunState
  /// Writes the settings.
  let write: @Sendable (Settings) throws -> Void

  /// Reads the settings and the document.
  /// - Parameters:
  ///   - place: the files under a session manager; nil without one.
  ///   - calibrating: the input to calibrate; nil for an ordinary run.
  /// - Throws: `CommandError` or `InvalidValue` if the options contradict each other or the settings, or if the document can't
  ///   be read.
  init(_ options: Play, _ place: ManagedPlace?, calibrating: String?, _ display: Display) throws {
    let file = place?.stateFile ?? StateFile(client: options.jack.name)
    // Under a session manager no other program has the file.
    stateFile = OwnedStateFile(file, locks: place == nil)
    saved = options.fresh ? nil : RunSetup.savedSettings(file, display)
    isOwner = !stateFile.isOwnedByAnother
    if let saved { stateFile.noteUse(of: saved) }
    // Settings that were not read, for whatever reason, are kept as a backup when settings are saved.
    let backup = saved == nil ? file.backupPath : nil
    replacedFile = options.fresh ? backup.map { (file.path, $0) } : nil

    let template = place == nil ? file : StateFile(client: JACKOptions.defaultName)
    var own = try RunSetup.settings(options, over: saved ?? RunSetup.freshSettings(template))
    own.listen(to: RunSetup.listening(options, own, calibrating: calibrating))
    do { try options.osc.applyFeedback(to: &own) } catch { throw CommandError("\(error)", code: .usage) }
    settings = calibrating == nil ? own : try RunSetup.calibrationSettings(own)
    // The microphone beside a pad is used only for the calibration.
    if calibrating == ListeningSetup.notesPort {
      own.listen(to: ListeningSetup(inputs: saved?.listening.inputs ?? [], hasNotes: true))
    }
    state = RunState(role: settings.role)
    write =
      calibrating == nil
      ? RunSetup.saving(
        to: stateFile, leavingAside: RunSetup.leftAside(options, settings), keepingAs: backup, state)
      : RunSetup.savingCalibrations(to: stateFile, of: own, keepingAs: backup, state)

    let note = OpeningNote(beside: file, isOwner: isOwner)
    opening = note
    // Remove the note even if the document can't be read, or if a signal ends the following wait for a server:
    // neither is a crash.
    defer { note.withdraw() }
    session = calibrating == nil ? try RunSetup.session(options, settings, display, note) : nil
  }

  /// The settings of the last run; nil if there are none.
  private static func savedSettings(_ state: StateFile, _ display: Display) -> Settings? {
    switch state.read() {
    case .none: return nil
    case .settings(let last, let advice):
      if let advice { display.warnAtStart("\(state.path): \(advice)") }
      return last
    case .partial(let last, let reason, let copy):
      let place = copy.map { "the file is kept as \($0)" } ?? "the file can't be copied now"
      display.warnAtStart("\(state.path) is used without values that are not allowed; \(place): \(reason)")
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
  private static func freshSettings(_ state: StateFile) -> Settings {
    var settings = Settings()
    if let last = try? state.settings { settings.keepPresets(of: last) }
    return settings
  }

  /// The settings of the last run, overridden by the options.
  /// - Throws: `CommandError` or `InvalidValue` for options that contradict each other or the settings.
  private static func settings(_ options: Play, over saved: Settings) throws -> Settings {
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
  /// - Parameter opening: if the last run ended while it opened its document, that is not opened again automatically.
  /// - Throws: `CommandError` if the given session can't be read.
  private static func session(
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
        "the last run ended while it opened \(place.path), so it is not reopened: tactus play \(place.path) opens it"
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
  private static func leftAside(_ options: Play, _ settings: Settings) -> SessionPlace? {
    options.file == nil && (options.music.isMusic || options.preset != nil || settings.role == .link)
      ? settings.session : nil
  }

  /// A function that saves settings. A session that was left aside is offered again in the next run, unless another one was
  /// opened. A session that has ended with the run is not offered again.
  /// - Parameter backup: the path to which the replaced settings are moved; nil for no backup.
  private static func saving(
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
