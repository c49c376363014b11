import Engine
import MusicTime

/// The conductor's own state; used by its runner's thread alone once that runs. It reads no clock and waits for nothing: each
/// turn gets the requests and the present instant.
///
/// This file is the turn of its wheel, and `ConductorTimes` says when the next is due. What is asked is done in `ConductorRequests`, or
/// for later in `ConductorSchedule`; the transport and the host are in `ConductorTransport`, sounds in `ConductorSounds`, and what
/// is counted in `ConductorHealth`.
final class ConductorCore: @unchecked Sendable {
  // `@unchecked`: made on one thread and handed to its runner's, which alone uses it from `begin` on.

  /// Nanoseconds between two scores, so that a storm of messages costs few of them.
  static let scoreInterval: UInt64 = 20_000_000
  /// Events at a time that come only where the server runs ahead of time.
  static let manyEvents = 256
  /// Nanoseconds from a change until the settings are saved.
  static let saveDelay: UInt64 = 1_000_000_000

  var now: Snapshot
  private var told: Snapshot
  let updates: UpdateQueue
  let scores: ScorePublisher
  let channels: UnsafePointer<Channels>
  var commands: CommandSender
  var loader: SoundLoader
  private let saver: SettingsSaver
  /// Whether the settings on disk are not ours, and no user has said yet that ours are to replace them.
  private var keepsSaved: Bool

  private(set) var host: (any AudioHost)?
  /// The instant of the turn, by the monotonic clock. Each turn gets it from its caller; nothing below reads a clock.
  private(set) var time: UInt64 = 0
  private var observe: Conductor.Observer = { _ in }

  var taps = TapTempo()
  /// Whether something has changed that the engine does not know.
  var needsScore = false
  private(set) var nextScoreTime: UInt64 = 0
  private(set) var saveTime = UInt64.max
  /// Whether events come so fast that their ring would be full soon.
  private(set) var isHurried = false

  // Of the health.
  var health = HealthWatch()
  private var warnings = WarningLimit()

  // Of the transport, and of the MIDI clock.
  var handover = Handover()
  /// Whether a clock that the music followed is silent.
  var isClockLost = false

  // Of Ableton Link.
  let link: (any LinkSession)?
  var linkMembership = LinkMembership()

  // Of the session.
  var playback: SessionPlayback?
  let songs: SongLoader
  var opener: SessionOpener

  // Of the pace.
  var pace = PaceFollower()
  var steps = StepCounter()

  // Of the hands.
  var surface = ControlSurface()
  var controlTimes = FrameTimes()
  var deafPorts = DeafPorts()

  // Of the schedule.
  var scheduled = ScheduledChanges()

  init(_ configuration: Conductor.Configuration, channels: UnsafePointer<Channels>, updates: UpdateQueue)
    throws
  {
    self.channels = channels
    self.updates = updates
    now = Snapshot(settings: configuration.settings)
    told = now
    commands = CommandSender(channels)
    let queue = configuration.makeWorkQueue
    loader = SoundLoader(configuration.readSound, on: queue("tactus.sound"), into: updates)
    saver = SettingsSaver(configuration.save, saved: configuration.saved, on: queue("tactus.state")) {
      updates.push(Request(.problem($0)))
    }
    keepsSaved = configuration.keepsSaved
    let clips = try ConductorCore.firstClips(configuration, updates)
    songs = SongLoader(
      read: configuration.readSound, speak: configuration.speak, on: queue("tactus.songs"))
    opener = SessionOpener(configuration.readSession, on: queue("tactus.sessions"), into: updates)
    link = configuration.link
    var first: PreparedSong?
    if let (setlist, place) = configuration.session {
      let playback = SessionPlayback(setlist, at: place)
      first = songs.prepareNow(
        playback.song, sampleRate: configuration.sampleRate, speak: configuration.speakAtStart)
      self.playback = playback
      now.settings.session = place
    } else {
      now.settings.session = nil
    }
    scores = ScorePublisher(
      channels: channels, bars: configuration.bars, sampleRate: configuration.sampleRate, clips: clips,
      first: now, song: first)
  }

  func makeKernel() -> Kernel { Kernel(channels, scores.makeFirst()) }

  func begin(host: any AudioHost, at time: UInt64, report: @escaping Conductor.Observer) {
    self.host = host
    self.time = time
    observe = report
    if now.settings.role != .free { takeRole(now.settings.role, ifFree: now.settings.leadsIfFree) }
    beginSession()
  }

  // MARK: One turn

  /// Handles requests and does all else that is due.
  /// - Parameters:
  ///   - requests: oldest first.
  ///   - refused: how many were turned away since the last turn.
  ///   - time: the present instant, by the monotonic clock.
  func turn(_ requests: [Request], refused: Int = 0, at time: UInt64) {
    self.time = time
    noteRefused(refused)
    for request in requests { handle(request) }
    carryOutScheduled()
    performScheduled()
    startIfDue()
    handleControls()
    followPace()
    commands.flush()
    readEvents()
    followLink()
    if needsScore || scheduled.hasNew, time >= min(nextScoreTime, scheduled.lastMoment) { publish() }
    finishHandover()
    rollOnAtLast()
    lookAfterHealth()
    warnOfDeafPorts()
    reportHeldWarnings()
    reportChanges()
    if saveTime <= time { save() }
  }

  /// Handles the last requests, and saves what is not saved yet.
  func end(_ requests: [Request], refused: Int = 0, at time: UInt64) {
    // What went wrong in the last second is told too.
    hastenHealth()
    turn(requests, refused: refused, at: time)
    if !keepsSaved { saver.finish(now.settings) }
    link?.leave()
    for request in updates.drain(until: 0).requests {
      switch request.content {
      case .problem, .guardedProblem: handle(request)
      default: break
      }
    }
    for warning in warnings.allHeld() { observe(warning) }
  }

  // MARK: The engine

  /// Tells the engine how things are to stand as soon as that is allowed, and what changes later.
  func publish() {
    handOver(hasChanged: needsScore)
    needsScore = false
    nextScoreTime = time + ConductorCore.scoreInterval
    if now.settings.role == .lead, !now.isPlaying, host?.announceTimebase() == false { loseLead() }
  }

  private func readEvents() {
    var count = 0
    while let event = channels.pointee.events.pop() {
      count += 1
      switch event {
      case .beat(let beat):
        noteProgress(beat)
        let time = host?.soundingTime(of: beat.frame) ?? self.time
        if beat.beat == 1, beat.role != .subdivision { noteDownbeat(at: time) }
        // Whoever listens hears that it plays, and where, before it hears what.
        if beat.role != .subdivision { reportChanges() }
        report(.beat(beat, time: time))
      case .started: engineRuns(true)
      case .stopped: engineRuns(false)
      case .finished(let frame): finish(at: frame)
      case .leader(let leader): follow(leader)
      case .leaderLeft: loseLeader()
      case .leadLost: loseLead()
      }
    }
    isHurried = count >= ConductorCore.manyEvents
    scores.freeSpent()
  }

  // MARK: Telling

  /// Tells the observers. Warnings come as printable text, and not more of them than `WarningLimit` lets through: every
  /// outlet gets them from here.
  func report(_ report: Report) {
    let (warning, text): (Report, String)
    switch report {
    case .warning(let words):
      text = printable(words)
      warning = .warning(text)
    case .guarded(let words, let outline):
      text = words.split(separator: "\n").map { printable(String($0)) }.joined(separator: "\n")
      warning = .guarded(text, outline: outline.map { printable($0) })
    default: return observe(report)
    }
    if warnings.admits(warning, text, at: time) { observe(warning) }
  }

  /// Tells whoever asked for something why it can't be had, and the user's terminal what others may not know.
  func refuse(_ error: any Error, to refuse: ((String) -> Void)?) {
    let guarded = error as? any GuardedError
    switch (guarded, refuse) {
    case (nil, nil): report(.warning("\(error)"))
    case (nil, let refuse?): refuse("\(error)")
    case (let error?, nil): report(.guarded("\(error)", outline: error.outline))
    case (let error?, let refuse?):
      refuse(error.outline)
      report(.guarded("\(error)", outline: nil))
    }
  }

  /// When warnings that were held back are to be told.
  var nextWarningTime: UInt64 { warnings.deadline }

  private func reportHeldWarnings() {
    for warning in warnings.takeHeld(at: time) { observe(warning) }
  }

  private func reportChanges() {
    now.progress = progress
    guard now != told else { return }
    report(.changed(from: told, to: now))
    if now.settings != told.settings, saveTime == .max, !keepsSaved {
      saveTime = time + ConductorCore.saveDelay
    }
    told = now
  }

  /// Notes what a user has changed: from then on the settings are saved.
  func noteChange(from before: Settings) {
    guard keepsSaved else { return }
    var before = before
    // How far a session has come, and what the ports are connected to, nobody has set here.
    if before.session?.path == now.settings.session?.path { before.session = now.settings.session }
    before.connections = now.settings.connections
    if before != now.settings { keepsSaved = false }
  }

  /// Saves, unless the settings on disk are still to be left alone.
  func saveChanges() {
    if !keepsSaved { save() }
  }

  func save() {
    keepsSaved = false
    saveTime = .max
    saver.save(now.settings)
  }
}
