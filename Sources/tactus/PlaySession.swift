import ArgumentParser
import CMalloc
import Control
import Engine
import Files
import Glibc
import JACKClient
import KlickControl
import Link
import Listening
import MusicTime
import OSC
import OSCControl
import Panel
import PracticeLog
import Realtime
import Recording
import Sessions
import Sound
import TimeCheck
import Validation
import Web

/// One run of `tactus play`: connects the modules, and shuts them down in order.
final class PlaySession {
  private let options: Play
  let display: Display
  private let server: PrivateServer?
  private let serverName: String
  let conductor: Conductor
  private let host: JACKHost
  private let link = LinkPeer()
  private let remote: OSCRemote
  /// nil with `--no-web`.
  private let web: WebServer?
  /// nil if lines or JSON are printed instead.
  private let panel: InstrumentPanel?
  /// nil if Tactus does not listen.
  private let listener: Listener?
  /// nil without `--record`.
  private let recorder: Recorder?
  /// nil if no take of the run is kept.
  let logger: TakeLogger?
  /// The input to calibrate before the run ends; nil for an ordinary run.
  private let calibrating: String?
  private let inhibitor = SleepInhibitor()
  private let announcer = ServiceAnnouncer()
  let end = MonotonicSemaphore()
  private let signals: EndSignals
  private let setup: RunSetup
  var state: RunState { setup.state }
  /// Whether the server had stopped running cycles at the end.
  private var isServerHung = false
  /// The files under a session manager; nil without one.
  private let place: ManagedPlace?

  init(_ options: Play, _ signals: EndSignals, _ place: ManagedPlace? = nil, calibrating: String? = nil)
    throws
  {
    (self.options, self.signals, self.place) = (options, signals, place)
    self.calibrating = calibrating
    // Opening a client takes time. Settings and documents are read during that.
    let opening = ClientOpening(name: options.jack.name, server: options.jack.server)
    var isAwaited = false
    defer { if !isAwaited { opening.abandon() } }
    let showsPanel =
      place == nil && !options.json && !options.plain && !options.quiet && InstrumentPanel.isPossible
    // Under a session manager no user reads the output.
    let showsBeats = options.plain || place == nil && !options.quiet
    display = Display(isJSON: options.json, showsBeats: showsBeats) { [end] in end.signal() }

    let setup = try RunSetup(options, place, calibrating: calibrating, display)
    self.setup = setup
    let (settings, session, note, state) = (setup.settings, setup.session, setup.opening, setup.state)
    place?.run.noteFirst(settings)
    var isComplete = false
    // A start that fails is no crash.
    defer { if !isComplete { note.withdraw() } }

    let (client, server): (OpenClient, PrivateServer?)
    isAwaited = true
    (serverName, client, server) = try PlaySession.findServer(
      options, display, opening, isManaged: place != nil)
    self.server = server
    if let session { note.write(for: session.place.path) }

    let channels = Channels.make()
    do {
      conductor = try Conductor(
        PlaySession.conductorConfiguration(options, setup, place, link, sampleRate: client.sampleRate),
        channels: channels)
      state.updates = conductor.updates
    } catch {
      client.close()
      server?.stop()
      throw CommandError("\(error)", code: .noInput)
    }

    var configuration = PlaySession.hostConfiguration(
      options, settings, server: server?.name ?? options.jack.server, isManaged: place != nil)
    configuration.link = link?.line
    let capture = PlaySession.capture(settings.listening, sampleRate: client.sampleRate, &configuration)
    let updates = conductor.updates
    do {
      recorder = try PlaySession.recorder(
        options, settings.listening, sampleRate: client.sampleRate, updates, &configuration)
    } catch {
      client.close()
      server?.stop()
      throw error
    }
    host = JACKHost(
      configuration, first: client, kernel: conductor.makeKernel(), channels: channels,
      revive: { if let problem = server?.revive() { updates.push(Request(.problem(problem))) } },
      attend: {
        guard server?.noticesStandardServer() == true else { return }
        updates.push(Request(.problem("a JACK server runs now: quit and start Tactus again to play on it")))
      },
      onConnections: { updates.push(Request(.connections($0))) },
      onNews: { news in updates.push(Request(.host(news))) })

    logger = calibrating == nil ? PlaySession.logger(options, settings, display, updates, state) : nil
    listener = capture.map { PlaySession.listener($0, settings, updates) }
    let klick = options.osc.klickOsc ? PlaySession.klickHost(host, noting: note, end: end) : nil
    let remote = OSCRemote(
      PlaySession.listening(options, server: server == nil ? serverName : nil, isManaged: place != nil),
      updates: updates,
      beside: klick.map { klick in { KlickRemote(klick, server: $0, updates: updates) } })
    self.remote = remote
    web =
      options.web.noWeb
      ? nil
      : WebServer(
        backend: remote, keys: .own, networks: options.web.webAllow, readers: options.osc.networks,
        certificate: options.web.certificate)
    conductor.countDroppedAnswers { [weak remote] in remote?.droppedAnswers ?? 0 }
    isComplete = true
    guard showsPanel else {
      panel = nil
      return
    }
    panel = InstrumentPanel(
      updates: updates, sounds: SoundSource.names,
      status: { [host, serverName] in
        var status = PanelStatus()
        (status.client, status.server) = (host.clientName ?? options.jack.name, serverName)
        status.hasServer = host.clientName != nil
        (status.load, status.oscPort, status.oscPeers) = (host.load, remote.port, remote.subscriberCount)
        (status.receivesMIDI, status.sendsMIDI) = host.takeMIDIActivity()
        status.sessionFolder = SessionReading.folder
        return status
      }, pair: { [state] in Pairing.card(port: state.webPort) }, quit: { [end] in end.signal() })
  }

  private static func conductorConfiguration(
    _ options: Play, _ setup: RunSetup, _ place: ManagedPlace?, _ link: LinkPeer?, sampleRate: Int
  ) -> Conductor.Configuration {
    let note = setup.opening
    // A session manager decides when its clients save.
    let save: @Sendable (Settings) throws -> Void
    if let place { save = { place.run.note($0) } } else { save = setup.write }
    var configuration = Conductor.Configuration(
      settings: setup.settings, sampleRate: sampleRate, bars: options.music.bars, readSound: readSound,
      save: save)
    configuration.saved = setup.saved
    configuration.keepsSaved = options.fresh
    // A sound set given on the command line must exist. A saved one may be missing for now, so there is a fallback.
    configuration.fallbackSound = options.music.sound == nil ? "sine" : nil
    configuration.speak = SessionReading.speak
    configuration.speakAtStart = TimeLimitedSpeech(SessionReading.speak, patience: .seconds(2)).clip
    configuration.readSession = { name in
      let path = try SessionReading.documents.path(of: name)
      // Reading and the previous song may leave hundreds of megabytes of free memory, which glibc would otherwise keep.
      defer { malloc_trim(0) }
      return try note.reading(path) { try SessionReading.documents.read(path) }
    }
    configuration.writeNudge = { path, thousandths in try SongNudge.write(path, thousandths) }
    configuration.listDocuments = { SessionReading.listing.documents() }
    configuration.session = setup.session
    configuration.link = link
    configuration.listening = setup.settings.listening
    return configuration
  }

  /// - Parameters:
  ///   - server: the JACK server's name; nil for the default one.
  ///   - isManaged: whether a session manager has started Tactus.
  private static func hostConfiguration(
    _ options: Play, _ settings: Settings, server: String?, isManaged: Bool
  ) -> JACKHost.Configuration {
    var configuration = JACKHost.Configuration()
    configuration.name = options.jack.name
    configuration.server = server
    configuration.connect = options.jack.connect
    configuration.connectsItself = !options.jack.noConnect
    configuration.connections = settings.connections
    configuration.layerPorts = options.jack.layerPorts
    configuration.hasPulsePorts = options.jack.pulsePorts
    configuration.hasTimecodePorts = options.jack.timecodePorts
    // A session manager restores its clients' connections.
    configuration.leavesConnectionsAlone = isManaged
    return configuration
  }

  /// Plays until the music has ended, the user quits, or a signal arrives.
  /// - Throws: `CommandError` if the run can't start.
  func run() throws {
    // A hanging server does not end by itself, so don't wait long for it.
    defer { server?.stop(within: isServerHung ? .milliseconds(100) : .seconds(2)) }
    signals.report { [end] in end.signal() }
    observe()
    try start()
    end.wait()
    finish()
  }

  /// Passes the conductor's reports on to all that show, send or keep them.
  private func observe() {
    let connection = self.connection
    let needsSubdivisions: @Sendable () -> Bool = { [remote, isJSON = options.json, listener] in
      isJSON || listener != nil || remote.subscriberCount > 0
    }
    let needsForecast: @Sendable () -> Bool = { [remote] in remote.needsForecast }
    conductor.observe(needsSubdivisions: needsSubdivisions, needsForecast: needsForecast) {
      [
        display, panel, remote, inhibitor, end, options, place, listener, logger, recorder, calibrating,
        state, opening = setup.opening, listening = setup.settings.listening
      ]
      report in
      if let panel {
        // At the end the panel is gone.
        if state.isEnding { display.warn(of: report) } else { panel.observe(report) }
      } else {
        display.observe(report, connection)
      }
      remote.observe(report)
      recorder?.observe(report)
      logger?.observe(report, listening, recorder)
      inhibitor.observe(report)
      if case .warning(let text) = report { place?.run.show(printable(text)) }
      switch report {
      case .changed(_, let new):
        (state.role, state.isPlaying) = (new.role, new.isPlaying)
        if let timing = new.timing { listener?.setBleed(timing.bleeds) }
        listener?.setControls(new.settings.triggerControls)
        if new.progress?.isReady == true { opening.noteOpened(new.settings.session?.path) }
      case .timing(.take(let report)):
        state.lastTake = (report.section.isEmpty ? [] : ["\(report.section):"]) + report.lines
      case .timing(.calibrated) where calibrating != nil: end.signal()
      case .timing(.notCalibrated) where calibrating != nil:
        state.hasFailedToCalibrate = true
        end.signal()
      // Otherwise the run continues at a session's end: a transport may be located back, a leader decides for its followers,
      // and klick's OSC interface waits for more commands.
      case .finished
      where options.music.bars != nil
        || (options.file != nil && state.role == .free && !options.osc.klickOsc):
        state.hasFinished = true
        end.signal()
      default: break
      }
    }
  }

  /// Starts all threads and the music.
  /// - Throws: `CommandError`.
  private func start() throws {
    let outputs: [String]
    do {
      try remote.start()
      outputs = try host.start { startWeb() }
      try conductor.start(host: host)
      try listener?.start()
      try recorder?.start()
    } catch {
      web?.stop()
      remote.stop()
      host.abandon()
      setup.opening.withdraw()
      let isTaken = (error as? OSCStartError)?.cause == .inUse
      let advice =
        !isTaken
        ? ""
        : calibrating != nil
          ? ": a Tactus with this name is running: press C on its panel, or send it /tactus/calibrate"
          : ", perhaps by another Tactus: give this one another --name and another --osc-port (0 for any free one)"
      throw CommandError("\(error)\(advice)", code: .unavailable)
    }
    if let speed = options.pace.speed { conductor.updates.push(.paceTarget(speed: speed)) }
    if let calibrating {
      calibrate(calibrating)
    } else if !options.stopped, !isOfferedAgain {
      startUnlessFollowing()
    }
    // A Tactus that can't start has said enough.
    if !setup.isOwner, calibrating == nil {
      display.warnAtStart(
        "another Tactus saves its settings in \(setup.stateFile.file.path), so this one saves none: give it another --name"
      )
    }
    announce(connectedTo: outputs)
    display.flush()
    ServiceNotification.send("READY=1")
    announceServices()
    inhibitor.start()
    do { try panel?.start(setup.settings) } catch { display.warn("no panel: \(error)") }
    if let place {
      place.run.begin(
        ManagedRun.Run(place: place, updates: conductor.updates, write: setup.write) { [end] in end.signal() }
      )
    }
  }

  /// Ends the music and all threads, and saves.
  private func finish() {
    ServiceNotification.send("STOPPING=1")
    panel?.stop()
    state.isEnding = true
    host.stopNewClips()
    // The transport keeps rolling without Tactus.
    let leavesTransport = state.role == .lead && state.isPlaying && host.clientName != nil
    if state.role == .free { conductor.updates.push(.pause) }
    // Save first, in case there is no time for the rest.
    conductor.updates.push(.saveChanges)
    announcer.stop()
    web?.stop()
    remote.stop()
    // Under a session manager other clients wait for this one.
    waitForSilence(within: place != nil ? .milliseconds(100) : state.hasFinished ? .seconds(11) : .seconds(1))
    waitForConnections()
    listener?.stop()
    _ = conductor.stop()
    let recordings = recorder?.finish(within: .seconds(3)) ?? 0
    // The panel is gone, and with it the summary that it showed.
    if panel != nil { for line in state.lastTake { display.say(line) } }
    finishLog()
    if leavesTransport, server == nil {
      display.warn(
        "the JACK transport keeps rolling without a timebase leader: bar, beat and tempo are not published")
    }
    if recordings > 0, let folder = options.listening.record {
      display.say("\(recordings) \(recordings == 1 ? "recording" : "recordings") in \(printable(folder))")
    }
    inhibitor.stop()
    setup.opening.withdraw()
    setup.stateFile.release()
    display.flush()
    if host.stop(within: isServerHung ? .milliseconds(100) : .seconds(3)) {
      link?.end()
    } else {
      // A thread hangs in libjack, and exit handlers of libraries may wait for it.
      ChildProcess.endAll()
      fflush(nil)
      _exit(0)
    }
  }

  /// Waits until connections that changed just before the end are known.
  private func waitForConnections() {
    let deadline = ContinuousClock.now + .milliseconds(1_200)
    while host.hasUnreadConnections, !isServerHung, ContinuousClock.now < deadline {
      if end.wait(for: .milliseconds(10)) { return }
    }
  }

  /// Waits until sounding clips have ended. Another signal or a hanging server ends the wait.
  private func waitForSilence(within limit: Duration) {
    let patience = max(Duration.milliseconds(300), host.period * 4)
    var (cycles, lastCycle) = (host.cycles, ContinuousClock.now)
    let deadline = lastCycle + limit
    while !host.hasFallenSilent, ContinuousClock.now < deadline {
      if end.wait(for: .milliseconds(10)) { return }
      if cycles != host.cycles { (cycles, lastCycle) = (host.cycles, .now) }
      isServerHung = .now - lastCycle > patience
      if isServerHung { return }
    }
    // A lost client is silent, too: check whether its server hangs.
    isServerHung = host.isServerHung
  }

  /// Starts the music, unless Tactus follows a leader, or leads the transport without `--start`: a DAW would roll. The role is
  /// known only after the conductor has taken it. In role `link` the start is a second later, because Link must find the peers
  /// whose bar lines decide the start.
  private func startUnlessFollowing() {
    let (updates, rolls) = (conductor.updates, options.start)
    updates.push(
      Request(
        .query {
          guard !$0.role.isLed, $0.role != .lead || rolls else { return }
          let time = $0.role == .link ? Instant.now + .seconds(1) : nil
          updates.push(Request(.update(.start), at: time))
        }))
  }

  /// Serves the web page. If that fails, warns; the music starts without it.
  private func startWeb() {
    guard let web, let port = remote.port else { return }
    // Without the web page in this build, warn only a user who opens it to the network.
    guard WebServer.isIncluded || !options.web.networks.isEmpty else { return }
    remote.connect(web.carrier)
    do {
      state.webPort = try web.start(address: options.web.webBind, port: port)
    } catch {
      display.warn("\(error)")
    }
  }

  /// Announces the services that are open to the network.
  private func announceServices() {
    guard !options.osc.noZeroconf else { return }
    let client = options.jack.name
    let name = client == JACKOptions.defaultName ? "Tactus" : "Tactus \(client)"
    announcer.announce(
      NetworkServices(
        oscPort: remote.port, oscNetworks: options.osc.networks, webPort: state.webPort,
        webNetworks: options.web.networks, isEncrypted: options.web.certificate != nil
      ).open,
      as: "\(name) on \(NetworkServices.hostName)")
  }

  /// Prints the text at the start of the run.
  /// - Parameter outputs: the ports to which `out` is connected.
  private func announce(connectedTo outputs: [String]) {
    let announcement = Announcement(
      settings: setup.settings, isRestored: setup.saved != nil, replacedFile: setup.replacedFile,
      session: setup.session.map { ($0.setlist.title, $0.place.path) }, isOfferedAgain: isOfferedAgain,
      isAtStart: setup.session?.place.isPastStart != true, placeLeft: placeLeft,
      isTransportLeft: setup.settings.role == .lead && !options.start && place == nil,
      takesKeys: panel != nil, connection: connection(),
      privateServer: server.map { ($0.driver, $0.isHeard) },
      sampleRate: host.sampleRate, outputs: outputs)
    for line in announcement.lines { display.say(line) }
    // The panel covers these lines.
    if panel != nil {
      let warnings = display.takeStartWarnings() + (server?.isHeard == false ? [Announcement.unheard] : [])
      for warning in warnings { conductor.updates.push(Request(.problem(warning))) }
    }
  }

  /// Tactus's current names and addresses.
  private var connection: @Sendable () -> Connection {
    { [host, remote, state, address = options.web.webBind, name = serverName, client = options.jack.name] in
      Connection(
        client: host.clientName ?? client, server: name, osc: remote.endpoint, port: remote.port,
        socket: remote.socket, web: state.webPort.map { WebAddress.url(address, port: $0) })
    }
  }

  /// Whether the session is that of the last run and waits for a start command.
  private var isOfferedAgain: Bool {
    setup.session != nil && options.file == nil && !options.resume
      && (!options.start || options.stopped || setup.settings.role.isLed)
  }

  /// Where the last run left the session, if it now starts from the beginning; otherwise nil.
  private var placeLeft: String? {
    guard options.file != nil, !options.resume, let session = setup.session else { return nil }
    return setup.settings.place(in: session.place.path)?.words(in: session.setlist)
  }
}
