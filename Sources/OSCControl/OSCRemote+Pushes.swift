import Control
import MusicTime
import OSC
import Realtime

/// Reports to subscribers and listeners.
extension OSCRemote {
  /// Reports to the subscribers; an observer of the conductor.
  /// - Thread: control
  package func observe(_ report: Report) {
    other?.observe(report)
    let (peers, listeners) = subscribers.list.withLock { ($0.current(now: clock.now()), $0.listeners) }
    guard !peers.isEmpty || !listeners.isEmpty else { return }
    let audience = Audience(peers: peers, listeners: listeners)
    switch report {
    case .beat(let beat, let time):
      var arguments: [OSCArgument] = [
        .int32(Int32(clamping: beat.bar)), .int32(Int32(beat.beat)), .string(beat.roleName),
        .float(beat.strength),
      ]
      if beat.layer > 0 { arguments.append(.int32(Int32(beat.layer))) }
      let message = OSCMessage(AddressSpace.beat, arguments: arguments)
      send([message], at: OSCTime(unixNanoseconds: clock.wallClock(time)), to: audience, for: .urgent)
    case .changed(let old, let new):
      let changes = AddressSpace.endpoints.compactMap { endpoint -> OSCMessage? in
        guard let value = endpoint.value, value(old) != value(new) else { return nil }
        return endpoint.answer(value(new))
      }
      let purpose = old.isPlaying == new.isPlaying ? OSCOutbox.Purpose.news : .urgent
      if !changes.isEmpty { send(changes, at: nil, to: audience, for: purpose) }
    case .warning(let text), .losses(let text), .guarded(_, outline: let text?):
      send([OSCMessage(AddressSpace.error, .string(""), .string(text))], at: nil, to: audience, for: .news)
    case .timing(let news):
      // A lamp for hits is as urgent as one for beats.
      send([AddressSpace.message(news).printable], at: nil, to: audience, for: .urgent)
    case .guarded(_, outline: nil), .finished, .host: break
    }
  }

  /// Who is told.
  private struct Audience {
    /// Those who hear everything.
    let peers: [OSCPeer]
    /// The addresses that others hear.
    let listeners: [OSCPeer: Set<String>]
  }

  private func send(
    _ messages: [OSCMessage], at time: OSCTime?, to audience: Audience, for purpose: OSCOutbox.Purpose
  ) {
    for peer in audience.peers { server.send(messages, at: time, to: peer, for: purpose) }
    for (peer, addresses) in audience.listeners {
      let heard = messages.filter { addresses.contains($0.address) }
      if !heard.isEmpty { server.send(heard, at: time, to: peer, for: purpose) }
    }
  }
}
