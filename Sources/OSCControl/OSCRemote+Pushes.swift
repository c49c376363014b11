import Control
import Engine
import MusicTime
import OSC
import Realtime

/// Reports to subscribers, feedback peers and listeners.
extension OSCRemote {
  /// Sends a report of the conductor to subscribers, feedback peers and listeners.
  /// - Thread: control
  package func observe(_ report: Report) {
    other?.observe(report)
    if case .changed(let old, let new) = report, old.settings.feedback != new.settings.feedback {
      change(new.settings.feedback)
    }
    // Also without listeners, so that later ones receive the present bar and beat.
    var moves: [OSCMessage] = []
    if case .changed(let old, let new) = report, old.isPlaying != new.isPlaying {
      moves = show.withLock { $0.note(isPlaying: new.isPlaying) }
    }
    let (peers, listeners) = subscribers.list.withLock { ($0.current(now: clock.now()), $0.listeners) }
    guard !peers.isEmpty || !listeners.isEmpty else {
      if case .beat(let beat, _) = report { _ = show.withLock { $0.note(beat, at: clock.now()) } }
      return
    }
    let audience = Audience(peers: peers, listeners: listeners)
    switch report {
    case .beat(let beat, let time):
      send([message(AddressSpace.beat, beat)], at: date(time), to: audience, for: .urgent)
      push(show.withLock { $0.note(beat, at: clock.now()) }, to: audience)
    case .predicted(let beat, let time):
      send([message(AddressSpace.ahead, beat)], at: date(time), to: audience.connected, for: .urgent)
    case .withdrawn(let time):
      let message = OSCMessage(AddressSpace.revoked, arguments: [])
      send([message], at: date(time), to: audience.connected, for: .urgent)
    case .changed(let old, let new):
      let changes = AddressSpace.endpoints.compactMap { endpoint -> Change? in
        guard let value = endpoint.value else { return nil }
        let present = value(new)
        return value(old) == present ? nil : Change(endpoint: endpoint, message: endpoint.answer(present))
      }
      let purpose = old.isPlaying == new.isPlaying ? OSCOutbox.Purpose.news : .urgent
      if !changes.isEmpty { send(changes, to: audience, for: purpose) }
      if !moves.isEmpty { send(moves, at: nil, to: audience, for: .urgent) }
    case .warning(let text), .losses(let text), .guarded(_, outline: let text?):
      send([OSCMessage(AddressSpace.error, .string(""), .string(text))], at: nil, to: audience, for: .news)
    case .timing(let news):
      // Lamps that show hits are as urgent as lamps that show beats.
      send([AddressSpace.message(news).printable], at: nil, to: audience, for: .urgent)
    case .guarded(_, outline: nil), .finished, .host: break
    }
  }

  private func message(_ address: String, _ beat: Event.Beat) -> OSCMessage {
    var arguments: [OSCArgument] = [
      .int32(Int32(clamping: beat.bar)), .int32(Int32(beat.beat)), .string(beat.roleName),
      .float(beat.strength),
    ]
    if beat.layer > 0 { arguments.append(.int32(Int32(beat.layer))) }
    return OSCMessage(address, arguments: arguments)
  }

  /// An instant as a time tag: by the wall clock.
  private func date(_ time: Instant) -> OSCTime { OSCTime(unixNanoseconds: clock.wallClock(time)) }

  /// Sends the position of a beat, and turns the lamp on and, later, off.
  private func push(_ news: (messages: [OSCMessage], flash: Duration?), to audience: Audience) {
    guard !news.messages.isEmpty else { return }
    send(news.messages, at: nil, to: audience, for: .urgent)
    guard let flash = news.flash else { return }
    send([BeatDisplay.lamp(isLit: false)], at: nil, to: audience, for: .later(by: flash))
  }

  /// The receivers of a message.
  private struct Audience {
    /// The peers that receive everything.
    let peers: [OSCPeer]
    /// The addresses that other peers listen to.
    let listeners: [OSCPeer: Set<String>]

    /// Only the peers on connections. All listeners are on connections.
    var connected: Audience { Audience(peers: peers.filter(\.isConnected), listeners: listeners) }
  }

  /// A value that has changed.
  private struct Change {
    let endpoint: Endpoint
    let message: OSCMessage
  }

  private func send(_ changes: [Change], to audience: Audience, for purpose: OSCOutbox.Purpose) {
    let now = clock.now()
    let feedback = subscribers.list.withLock { $0.feedback }
    let echoing = audience.peers.filter(feedback.peers.contains).map { peer in
      (
        peer,
        changes.filter { !$0.endpoint.isLabel && feedback.isEcho(of: $0.endpoint.family, to: peer, at: now) }
      )
    }.filter { !$0.1.isEmpty }
    let others = audience.peers.filter { peer in !echoing.contains { $0.0 == peer } }
    send(
      changes.map(\.message), at: nil, to: Audience(peers: others, listeners: audience.listeners),
      for: purpose)
    for (peer, echoes) in echoing {
      let held = Set(echoes.map(\.message.address))
      let news = changes.map(\.message).filter { !held.contains($0.address) }
      if !news.isEmpty { server.send(news, to: peer, for: purpose) }
      server.send(echoes.map(\.message), to: peer, for: .later(by: FeedbackPeers.quiet))
    }
  }

  private func send(
    _ messages: [OSCMessage], at time: OSCTime?, to audience: Audience, for purpose: OSCOutbox.Purpose
  ) {
    for peer in audience.peers { server.send(messages, at: time, to: peer, for: purpose) }
    for (peer, addresses) in audience.listeners {
      let wanted = messages.filter { addresses.contains($0.address) }
      if !wanted.isEmpty { server.send(wanted, at: time, to: peer, for: purpose) }
    }
  }
}
