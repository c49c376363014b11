import Control
import MusicTime
import OSC
import Realtime

/// Reports to subscribers.
extension OSCRemote {
  /// Reports to the subscribers; an observer of the conductor.
  /// - Thread: control
  package func observe(_ report: Report) {
    other?.observe(report)
    let peers = subscribers.list.withLock { $0.current(now: clock.now()) }
    guard !peers.isEmpty else { return }
    switch report {
    case .beat(let beat, let time):
      var arguments: [OSCArgument] = [
        .int32(Int32(clamping: beat.bar)), .int32(Int32(beat.beat)), .string(beat.roleName),
        .float(beat.strength),
      ]
      if beat.layer > 0 { arguments.append(.int32(Int32(beat.layer))) }
      let message = OSCMessage("/tactus/beat", arguments: arguments)
      send([message], at: OSCTime(unixNanoseconds: clock.wallClock(time)), to: peers, for: .urgent)
    case .changed(let old, let new):
      let changes = AddressSpace.endpoints.compactMap { endpoint -> OSCMessage? in
        guard let value = endpoint.value, value(old) != value(new) else { return nil }
        return endpoint.answer(value(new))
      }
      let purpose = old.isPlaying == new.isPlaying ? OSCOutbox.Purpose.news : .urgent
      if !changes.isEmpty { send(changes, at: nil, to: peers, for: purpose) }
    case .warning(let text), .losses(let text), .guarded(_, outline: let text?):
      send([OSCMessage(AddressSpace.error, .string(""), .string(text))], at: nil, to: peers, for: .news)
    case .guarded(_, outline: nil), .finished, .host: break
    }
  }

  private func send(
    _ messages: [OSCMessage], at time: OSCTime?, to peers: [OSCPeer], for purpose: OSCOutbox.Purpose
  ) {
    for peer in peers { server.send(messages, at: time, to: peer, for: purpose) }
  }
}
