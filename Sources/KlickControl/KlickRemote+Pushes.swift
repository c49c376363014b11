import Control
import OSC
import Synchronization

/// Reports to klick's clients.
extension KlickRemote {
  /// Reports changes to the clients, and beats to the speed trainer.
  /// - Thread: control
  package func observe(_ report: Report) {
    switch report {
    case .changed(_, let now): adopt(now)
    case .beat(let beat, let time) where beat.role != .subdivision:
      let (orders, changes) = state.withLock { state in
        let orders = state.klick.handle(beatAt: time)
        return (orders, state.pending == 0 ? state.news() : [])
      }
      updates.push(orders.map { request($0, KlickNamespace.root, KlickOutcome()) })
      push(changes)
    default: break
    }
  }

  private func adopt(_ now: Snapshot) {
    let (orders, changes) = state.withLock { state in
      guard state.pending == 0 else { return ([KlickOrder](), [OSCMessage]()) }
      let orders = state.klick.adopt(now, at: clock.now())
      return (orders, state.news())
    }
    send(orders)
    push(changes)
  }

  /// Handles that the conductor has carried out the requests of a message.
  /// - Parameters:
  ///   - pushes: messages to send to the clients.
  ///   - values: values to report even if they are unchanged.
  /// - Thread: control
  func settle(_ now: Snapshot, pushing pushes: [OSCMessage] = [], anyway: [KlickValue] = []) {
    push(pushes)
    let (orders, changes) = state.withLock { state in
      state.pending -= 1
      guard state.pending == 0 || !anyway.isEmpty else { return ([KlickOrder](), [OSCMessage]()) }
      let orders = state.klick.adopt(now, at: clock.now())
      for value in anyway { state.sent[value] = nil }
      return (orders, state.news())
    }
    send(orders)
    push(changes)
  }

  /// Sends the conductor orders that follow from its own changes.
  private func send(_ orders: [KlickOrder]) {
    guard !orders.isEmpty else { return }
    state.withLock { $0.pending += 1 }
    let outcome = KlickOutcome()
    let done = Request(
      .query { [weak self] in self?.settle($0) },
      refuse: { [weak self] in self?.lose(KlickNamespace.root, $0) })
    updates.push(orders.map { request($0, KlickNamespace.root, outcome) } + [done])
  }

  func push(_ values: [KlickValue]) {
    push(state.withLock { state in values.map { $0.message(state.klick) } })
  }

  func push(_ messages: [OSCMessage]) {
    guard !messages.isEmpty else { return }
    for client in state.withLock({ $0.clients }) {
      // The address of a client on another machine may be forged, so it must earn its reports.
      server.send(messages, to: client, for: client.remoteAddress == nil ? .news : .answer())
    }
  }
}
