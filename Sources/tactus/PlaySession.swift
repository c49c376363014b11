import ArgumentParser
import Control
import Engine
import Foundation
import JACKClient
import Link
import MusicTime
import OSCControl
import Panel
import Realtime
import Sessions

/// One run of `tactus play`: wires the rooms together, and takes them apart again.
final class PlaySession {
  private let options: Play
  private let display: Display
  private let server: PrivateServer?
  private let serverName: String
  private let conductor: Conductor
  private let host: JACKHost
  private let link = LinkPeer()
  private let remote: OSCRemote
  /// nil where lines are told instead.
  private let panel: InstrumentPanel?
  private let end = MonotonicSemaphore()
  private let signals: EndSignals
  private let state: RunState
  private let session: (setlist: Setlist, place: SessionPlace)?
  private let settings: Settings
  private let isRestored: Bool

  init(_ options: Play) throws {
    self.options = options
    // First of all, while there are no other threads.
    let showsPanel = !options.json && !options.plain && InstrumentPanel.isPossible
    signals = EndSignals()
    display = Display(isJSON: options.json) { [end] in end.signal() }

    let file = StateFile(client: options.jack.name)
    let saved = options.fresh ? nil : PlaySession.savedSettings(file, display)
    isRestored = saved != nil
    let settings = try PlaySession.settings(options, over: saved ?? Settings())
    self.settings = settings
    state = RunState(role: settings.role)
    session = try PlaySession.session(options, settings, display)

    let (sampleRate, server): (Int, PrivateServer?)
    (serverName, sampleRate, server) = try PlaySession.findServer(options)
    self.server = server

    let folder =
      session.map { ($0.place.path as NSString).deletingLastPathComponent } ?? SessionReading.folder
    let channels = Channels.make()
    do {
      var configuration = Conductor.Configuration(
        settings: settings, sampleRate: sampleRate, bars: options.music.bars, readSound: readSound,
        save: PlaySession.saving(to: file, leavingAside: PlaySession.leftAside(options, settings)))
      configuration.saved = saved
      // A set that is asked for now has to be there; one from another day may be back tomorrow.
      configuration.fallbackSound = options.music.sound == nil ? "sine" : nil
      configuration.speak = SessionReading.speak
      configuration.readSession = SessionReading.reader(of: folder)
      configuration.session = session
      configuration.link = link
      conductor = try Conductor(configuration, channels: channels)
    } catch {
      server?.stop()
      throw Failure("\(error)", code: .noInput)
    }

    var configuration = JACKHost.Configuration()
    configuration.name = options.jack.name
    configuration.server = server?.name ?? options.jack.server
    configuration.connect = options.jack.connect
    configuration.connectsItself = !options.jack.noConnect
    configuration.link = link
    let updates = conductor.updates
    host = JACKHost(
      configuration, kernel: conductor.makeKernel(), channels: channels,
      revive: { if let problem = server?.revive() { updates.push(Request(.problem(problem))) } },
      tell: { news in updates.push(Request(.host(news))) })

    let klick = options.osc.klickOsc ? PlaySession.klickHost(host, folder: folder, end: end) : nil
    let remote = OSCRemote(PlaySession.listening(options), updates: conductor.updates, klick: klick)
    self.remote = remote
    guard showsPanel else {
      panel = nil
      return
    }
    panel = InstrumentPanel(
      updates: updates,
      status: { [host, serverName] in
        var status = PanelStatus()
        (status.client, status.server) = (host.clientName ?? options.jack.name, serverName)
        (status.load, status.oscPort, status.oscPeers) = (host.load, remote.port, remote.subscriberCount)
        (status.receivesMIDI, status.sendsMIDI) = host.takeMIDIActivity()
        return status
      }, quit: { [end] in end.signal() })
  }

  /// Plays until the bars are over or a signal comes.
  func run() throws {
    defer { server?.stop() }
    signals.tell { [end] in end.signal() }
    let connection = self.connection
    let hearsSubdivisions: @Sendable () -> Bool = { [remote, isJSON = options.json] in
      isJSON || remote.subscriberCount > 0
    }
    conductor.observe(hearsSubdivisions: hearsSubdivisions) {
      [display, panel, remote, end, options, state] report in
      if let panel { panel.observe(report) } else { display.observe(report, connection) }
      remote.observe(report)
      switch report {
      case .changed(_, let new): state.role = new.settings.role
      // A transport may come back from behind a session's end, and others go by its leader; a klick that is steered from
      // afar waits for more at a map's end.
      case .finished
      where options.music.bars != nil
        || (options.file != nil && state.role == .free && !options.osc.klickOsc):
        state.hasFinished = true
        end.signal()
      default: break
      }
    }
    do {
      try remote.start()
      try host.start()
    } catch {
      remote.stop()
      throw Failure("\(error)", code: .unavailable)
    }
    conductor.start(host: host)
    if !options.stopped, !isOfferedAgain { startUnlessFollowing() }
    announce()
    display.flush()
    panel?.start(settings)

    end.wait()

    panel?.stop()
    host.beginNothingMore()
    // The transport may go on without us.
    if state.role == .free { conductor.updates.push(.stop) }
    remote.stop()
    waitForSilence(within: state.hasFinished ? .seconds(11) : .seconds(1))
    _ = conductor.stop()
    display.flush()
    if host.stop() { link?.end() }
  }

  /// Lets what sounds play to its end; another signal cuts it short.
  private func waitForSilence(within limit: Duration) {
    let deadline = ContinuousClock.now + limit
    while !host.hasFallenSilent, ContinuousClock.now < deadline {
      if end.wait(for: .milliseconds(10)) { return }
    }
  }

  /// A transport that is followed starts and stops when others say so. Whether it is followed shows when the role has been
  /// taken. Ableton Link takes a second to find others, whose bars are to be started on.
  private func startUnlessFollowing() {
    let updates = conductor.updates
    updates.push(
      Request(
        .query {
          guard !$0.settings.role.isLed else { return }
          let time = $0.settings.role == .link ? Monotonic.now + 1_000_000_000 : nil
          updates.push(Request(.update(.start), at: time))
        }))
  }

  private func announce() {
    let announcement = Announcement(
      settings: settings, isRestored: isRestored,
      session: session.map { ($0.setlist.title, $0.place.path) }, isOfferedAgain: isOfferedAgain,
      connection: connection(), driver: server?.driver, sampleRate: host.sampleRate,
      outputs: host.connections["out"] ?? [])
    for line in announcement.lines { display.say(line) }
  }

  /// Says where Tactus is to be found.
  private var connection: @Sendable () -> Connection {
    { [host, remote, name = serverName, client = options.jack.name] in
      Connection(
        client: host.clientName ?? client, server: name, osc: remote.endpoint, port: remote.port,
        socket: remote.socket)
    }
  }

  /// Whether the session is the last run's: it waits to be started.
  private var isOfferedAgain: Bool { session != nil && options.file == nil }
}
