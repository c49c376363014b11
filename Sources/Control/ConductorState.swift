import Engine
import MusicTime

/// The conductor's own state; used on its thread alone once that runs.
///
/// This file is the turn of its wheel, and `ConductorTimes` says when it turns. What is asked is done in `ConductorRequests`, or
/// for later in `ConductorSchedule`; the transport and the host are in `ConductorTransport`, sounds in `ConductorSounds`, and what
/// is counted in `ConductorHealth`.
final class ConductorState: @unchecked Sendable {
  // `@unchecked`: made on one thread and handed to the conductor's, which alone uses it from `begin` on.

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

  private(set) var host: (any AudioHost)?
  private(set) var report: Conductor.Observer = { _ in }

  var taps = TapTempo()
  /// Whether something has changed that the engine does not know, and whether something has got a date.
  var needsScore = false
  var hasNewDates = false
  private(set) var nextScoreTime: UInt64 = 0
  private(set) var saveTime = UInt64.max
  /// Whether events come so fast that their ring would be full soon.
  private(set) var isHurried = false

  // Of the health.
  var nextHealthTime: UInt64 = 0
  private(set) var refusedMessages = 0

  // Of the transport, and of the MIDI clock.
  var handover = Handover()
  /// Whether a clock that the music followed is silent.
  var isClockLost = false

  // Of Ableton Link.
  let link: (any LinkSession)?
  var isLinked = false
  /// When a start was asked for while no others were known; nil where none was, or that is settled.
  var startedAlone: UInt64?
  /// When the bar began that plays, by `Monotonic`.
  var lastDownbeat: UInt64?

  // Of the session.
  var shelf: SongShelf?
  let songs: SongLoader
  var opener: SessionOpener

  // Of the pace.
  var pace = PaceFollower()
  var steps = StepCounter()

  // Of the hands.
  var surface = ControlSurface()
  var controlTimes = FrameTimes()

  // Of the schedule.
  var schedule = Schedule()
  var appointments: [Appointment] = []

  init(_ configuration: Conductor.Configuration, channels: UnsafePointer<Channels>, updates: UpdateQueue)
    throws
  {
    self.channels = channels
    self.updates = updates
    now = Snapshot(settings: configuration.settings)
    told = now
    commands = CommandSender(channels)
    loader = SoundLoader(configuration.readSound, into: updates)
    saver = SettingsSaver(configuration.save, saved: configuration.saved) {
      updates.push(Request(.problem($0)))
    }
    let clips = try ConductorState.firstClips(configuration, updates)
    songs = SongLoader(read: configuration.readSound, speak: configuration.speak)
    opener = SessionOpener(configuration.readSession, on: songs.queue, into: updates)
    link = configuration.link
    var first: PreparedSong?
    if let (setlist, place) = configuration.session {
      let shelf = SongShelf(setlist, at: place)
      first = songs.prepareNow(shelf.song, sampleRate: configuration.sampleRate)
      self.shelf = shelf
      now.settings.session = place
    } else {
      now.settings.session = nil
    }
    scores = ScorePublisher(
      channels: channels, bars: configuration.bars, sampleRate: configuration.sampleRate, clips: clips,
      first: now, song: first)
  }

  func makeKernel() -> Kernel { Kernel(channels, scores.makeFirst()) }

  func begin(host: any AudioHost, report: @escaping Conductor.Observer) {
    self.host = host
    self.report = report
    if now.settings.role != .free { takeRole(now.settings.role, ifFree: now.settings.leadsIfFree) }
    beginSession()
  }

  // MARK: One turn

  /// Waits for something to do and does all that there is.
  func turn() {
    let (requests, refused) = updates.drain(until: nextTime)
    if refused > 0 {
      refusedMessages += refused
      report(.warning("\(refused) messages were dropped: too many at once"))
    }
    for request in requests { handle(request) }
    keepAppointments()
    performScheduled()
    startIfDue()
    heedControls()
    followPace()
    commands.flush()
    readEvents()
    followLink()
    if needsScore || hasNewDates, Monotonic.now >= min(nextScoreTime, lastMoment) { publish() }
    finishHandover()
    rollOnAtLast()
    lookAfterHealth()
    tell()
    if saveTime <= Monotonic.now { save() }
  }

  /// Does what was asked for before the end, and saves what is not saved yet.
  func end() {
    // What went wrong in the last second is told too.
    nextHealthTime = 0
    turn()
    link?.leave()
    saver.finish(now.settings)
    for request in updates.drain(until: 0).requests {
      if case .problem(let text) = request.content { report(.warning(text)) }
    }
  }

  // MARK: The engine

  /// Tells the engine how things are to stand as soon as that is allowed, and what changes later.
  func publish() {
    scores.publish(now, hasChanged: needsScore, dated: handOverDates())
    (needsScore, hasNewDates) = (false, false)
    nextScoreTime = Monotonic.now + ConductorState.scoreInterval
    if now.settings.role == .lead, !now.isPlaying, host?.announceTimebase() == false { loseLead() }
  }

  private func readEvents() {
    var count = 0
    while let event = channels.pointee.events.pop() {
      count += 1
      switch event {
      case .beat(let beat):
        if beat.role != .subdivision { (now.bar, now.beat) = (beat.bar, beat.beat) }
        noteProgress(beat)
        let time = host?.soundingTime(of: beat.frame) ?? Monotonic.now
        if beat.beat == 1, beat.role != .subdivision { lastDownbeat = time }
        // Whoever listens hears that it plays, and where, before it hears what.
        if beat.role != .subdivision { tell() }
        report(.beat(beat, time: time))
      case .started: engineRuns(true)
      case .stopped: engineRuns(false)
      case .finished(let frame): finish(at: frame)
      case .leader(let leader): follow(leader)
      case .leaderLeft: loseLeader()
      case .leadLost: loseLead()
      }
    }
    isHurried = count >= ConductorState.manyEvents
    scores.freeSpent()
  }

  // MARK: Telling

  private func tell() {
    now.progress = progress
    guard now != told else { return }
    report(.changed(from: told, to: now))
    if now.settings != told.settings, saveTime == .max {
      saveTime = Monotonic.now + ConductorState.saveDelay
    }
    told = now
  }

  func save() {
    saveTime = .max
    saver.save(now.settings)
  }
}
