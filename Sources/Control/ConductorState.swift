import Engine
import Foundation
import MusicTime
import Synchronization

/// The conductor's own state; used on its thread alone once that runs.
final class ConductorState: @unchecked Sendable {
  // `@unchecked`: made on one thread and handed to the conductor's, which alone uses it from `begin` on.

  /// Nanoseconds between two scores, so that a storm of messages costs few of them.
  static let scoreInterval: UInt64 = 20_000_000
  /// Nanoseconds between looks at the engine's events while it plays, and while it doesn't.
  static let playingInterval: UInt64 = 4_000_000
  static let idleInterval: UInt64 = 20_000_000
  /// Nanoseconds ahead of its time at which a scheduled request goes to the engine: several of the longest periods.
  static let lookahead: UInt64 = 100_000_000
  /// Nanoseconds without a change after which the settings are saved.
  static let saveDelay: UInt64 = 1_000_000_000

  var now = Snapshot(settings: Settings())
  private var told = Snapshot(settings: Settings())
  private let updates: UpdateQueue
  private let scores: ScorePublisher
  let channels: UnsafePointer<Channels>
  private let loader: SoundLoader
  private let save: @Sendable (Settings) throws -> Void
  private let disk = DispatchQueue(label: "tactus.state")

  private(set) var host: (any AudioHost)?
  private var report: Conductor.Observer = { _ in }

  private var schedule = Schedule()
  private var taps = TapTempo()
  private var needsScore = false
  private var nextScoreTime: UInt64 = 0
  private var saveTime = UInt64.max
  private var saved: Settings
  /// Commands for which the engine's ring had no room.
  private var backlog: [Command] = []
  /// The time at which a scheduled change is in the engine's hands.
  private var appointment: UInt64?

  init(_ configuration: Conductor.Configuration, channels: UnsafePointer<Channels>, updates: UpdateQueue)
    throws
  {
    self.channels = channels
    self.updates = updates
    save = configuration.save
    loader = SoundLoader(configuration.readSound)
    saved = configuration.settings
    now = Snapshot(settings: configuration.settings)
    scores = ScorePublisher(
      channels: channels, bars: configuration.bars, sampleRate: configuration.sampleRate,
      clips: try configuration.readSound(configuration.settings.sound, configuration.sampleRate).clips)
    told = now
  }

  func makeKernel() -> Kernel { Kernel(channels, score: scores.make(now)) }

  func begin(host: any AudioHost, report: @escaping Conductor.Observer) {
    self.host = host
    self.report = report
    if now.settings.role != .free { takeRole(now.settings.role, conditional: false, refuse: nil) }
  }

  // MARK: One turn

  /// Waits for something to do and does all that there is.
  func turn() {
    let (requests, refused) = updates.drain(until: nextTime)
    if refused > 0 { report(.warning("\(refused) messages were dropped: too many at once")) }
    for request in requests { handle(request) }
    performScheduled()
    flushCommands()
    readEvents()
    publish()
    tell()
    saveIfDue()
  }

  /// Saves what is not saved yet.
  func end() {
    disk.sync {}
    if now.settings != saved { try? save(now.settings) }
  }

  private var nextTime: UInt64 {
    let interval = now.isPlaying ? Self.playingInterval : Self.idleInterval
    var time = min(Monotonic.now + interval, saveTime, appointment ?? .max)
    if needsScore { time = min(time, nextScoreTime) }
    if schedule.nextTime != .max {
      time = min(time, schedule.nextTime - min(schedule.nextTime, Self.lookahead))
    }
    return time
  }

  // MARK: Requests

  private func handle(_ request: Request) {
    let time = Monotonic.now
    if let due = request.time, due > time {
      if let reason = schedule.insert(request, at: due, now: time) { request.refuse?(reason) }
      return
    }
    switch request.content {
    case .update(let update): apply(update, request, at: nil)
    case .query(let answer): answer(now)
    case .host(let news): heed(news)
    case .clips(let loaded): use(loaded)
    case .problem(let text): report(.warning(text))
    }
  }

  /// Applies an update.
  /// - Parameter frame: the clock frame at which it is to take effect; nil for at once.
  private func apply(_ update: Update, _ request: Request, at frame: Int64?) {
    do throws(InvalidValue) {
      switch update {
      case .start: run(true, at: frame)
      case .stop: run(false, at: frame)
      case .toggle: run(!now.isPlaying, at: frame)
      case .set(.sound(let name)):
        loader.load(name, sampleRate: scores.sampleRate, into: updates, refuse: request.refuse)
      case .set(.role(let role)): takeRole(role, conditional: false, refuse: request.refuse)
      case .leadIfFree: takeRole(.lead, conditional: true, refuse: request.refuse)
      case .set(let setting): try change(setting)
      case .nudge(let thousandths): try nudge(by: thousandths, refuse: request.refuse)
      case .tap(let seconds):
        if let tempo = taps.tap(at: seconds ?? Double(request.time ?? request.arrival) / 1e9) {
          try change(.tempo(Tempo(clamping: Int((min(tempo, 2_000) * 1_000).rounded()))))
        }
      case .locate(let position): try locate(position, at: frame)
      case .save: saveTime = 0
      case .reset: reset()
      }
    } catch {
      request.refuse?("\(error)")
    }
  }

  private func change(_ setting: Setting) throws(InvalidValue) {
    try now.settings.set(setting)
    needsScore = true
  }

  private func nudge(by thousandths: Int, refuse: ((String) -> Void)?) throws(InvalidValue) {
    let (wanted, _) = now.settings.tempo.thousandths.addingReportingOverflow(thousandths)
    try change(.tempo(Tempo(clamping: wanted)))
    if !Tempo.range.contains(wanted) { refuse?("the tempo stops at \(now.settings.tempo)") }
  }

  private func reset() {
    let role = now.settings.role
    now.settings = Settings()
    needsScore = true
    if role != .free { takeRole(.free, conditional: false, refuse: nil) }
    loader.load(now.settings.sound, sampleRate: scores.sampleRate, into: updates, refuse: nil)
  }

  // MARK: Transport

  private func run(_ isRunning: Bool, at frame: Int64?) {
    switch now.settings.role {
    case .free:
      now.isPlaying = isRunning
      send(Command(isRunning ? .start : .stop, at: frame))
    case .follow, .lead:
      if isRunning { host?.startTransport() } else { host?.stopTransport() }
    }
  }

  private func locate(_ position: Position, at frame: Int64?) throws(InvalidValue) {
    let layout = scores.layout(of: now)
    let beats = BarLayout.beats(in: layout.meter, unit: layout.beatUnit)
    guard 1...beats ~= position.beat else {
      throw InvalidValue("beat", "\(position.beat)", allowed: "1…\(beats), the beats of a bar")
    }
    guard now.settings.role != .free else { return send(Command(.locate(position), at: frame)) }
    guard let target = UInt32(exactly: scores.transportFrame(of: position, now)) else {
      throw InvalidValue(
        "bar", "\(position.bar)", allowed: "one that begins within 2³² frames of the transport")
    }
    host?.locateTransport(to: target)
  }

  private func takeRole(_ role: TransportRole, conditional: Bool, refuse: ((String) -> Void)?) {
    guard let host else { return }
    guard host.take(role, conditional: conditional) else {
      refuse?("another client leads the transport: following it ('lead' takes over)")
      return takeRole(.follow, conditional: false, refuse: refuse)
    }
    try? now.settings.set(.role(role))
    if role != .follow { now.leader = nil }
    needsScore = true
  }

  private func send(_ command: Command) {
    backlog.append(command)
    if backlog.count > 256 { backlog.removeFirst() }
    flushCommands()
  }

  private func flushCommands() {
    let sent = backlog.prefix { channels.pointee.commands.push($0) }.count
    backlog.removeFirst(sent)
  }

  // MARK: The host

  private func heed(_ news: HostNews) {
    switch news {
    case .connected(let sampleRate):
      let wasPlaying = now.isPlaying
      now.sampleRate = sampleRate
      if sampleRate != scores.sampleRate {
        scores.sampleRate = sampleRate
        loader.load(now.settings.sound, sampleRate: sampleRate, into: updates, refuse: nil)
      }
      if now.settings.role != .free { takeRole(now.settings.role, conditional: false, refuse: nil) }
      if now.settings.role == .lead, wasPlaying { host?.startTransport() }
    case .lost: now.sampleRate = 0
    }
    report(.host(news))
  }

  private func use(_ loaded: LoadedClips) {
    switch loaded.sound {
    case .success(let (name, clips)):
      // The rate may have changed while the set was read.
      guard loaded.sampleRate == scores.sampleRate else {
        return loader.load(loaded.asked, sampleRate: scores.sampleRate, into: updates, refuse: loaded.refuse)
      }
      scores.use(clips)
      try? now.settings.set(.sound(name))
      needsScore = true
    case .failure(let error):
      // The old clips sound higher or lower at another rate, but in time.
      needsScore = true
      if let refuse = loaded.refuse { refuse("\(error)") } else { report(.warning("\(error)")) }
    }
  }

  // MARK: The engine

  private func readEvents() {
    while let event = channels.pointee.events.pop() {
      switch event {
      case .beat(let beat):
        if beat.role != .subdivision { (now.bar, now.beat) = (beat.bar, beat.beat) }
        report(.beat(beat, time: host?.soundingTime(of: beat.frame) ?? Monotonic.now))
      case .started, .stopped:
        // In `free` it is this side that starts and stops: an event may be older than the last command.
        guard now.settings.role != .free else { break }
        if case .started = event { now.isPlaying = true } else { now.isPlaying = false }
      case .finished:
        now.isPlaying = false
        report(.finished)
      case .leader(let leader):
        needsScore = needsScore || leader.count != now.leader?.count || leader.unit != now.leader?.unit
        now.leader = leader
      case .leaderLeft:
        now.leader = nil
        needsScore = true
      }
    }
    scores.freeSpent()
  }

  /// Hands what is due soon to the engine, which has it happen on its frame.
  ///
  /// While it is there the next score waits for it to be over, so that the two can't overtake each other; start and stop
  /// don't wait.
  private func performScheduled() {
    let time = Monotonic.now
    if let appointment, appointment <= time { self.appointment = nil }
    guard appointment == nil, let (due, requests) = schedule.take(dueBy: time + Self.lookahead) else {
      return
    }
    let frame = host?.clockFrame(soundingAt: due)
    publish(regardless: true)
    for request in requests {
      if case .update(let update) = request.content {
        apply(update, request, at: frame)
      } else {
        handle(request)
      }
    }
    if needsScore {
      scores.publish(now, effective: frame)
      needsScore = false
    }
    appointment = due
  }

  private func publish(regardless: Bool = false) {
    let time = Monotonic.now
    guard needsScore, regardless || (time >= nextScoreTime && appointment == nil) else { return }
    scores.publish(now, effective: nil)
    needsScore = false
    nextScoreTime = time + Self.scoreInterval
    if now.settings.role == .lead, !now.isPlaying { host?.announceTimebase() }
  }

  // MARK: Telling

  private func tell() {
    guard now != told else { return }
    report(.changed(from: told, to: now))
    if now.settings != told.settings { saveTime = Monotonic.now + Self.saveDelay }
    told = now
  }

  private func saveIfDue() {
    guard saveTime <= Monotonic.now else { return }
    saveTime = .max
    let settings = now.settings
    saved = settings
    disk.async { [save, updates] in
      do { try save(settings) } catch {
        updates.push(Request(.problem("the settings could not be saved: \(error)")))
      }
    }
  }
}
