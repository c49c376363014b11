import Control
import MusicTime
import Synchronization

/// klick's setters.
extension KlickRemote {
  /// Changes klick's variables, and says what that asks of the conductor.
  /// - Parameter whenDone: whether the values are pushed as the conductor has made them.
  func perform(
    _ change: KlickEndpoint.Change, _ arguments: OSCArguments, _ endpoint: KlickEndpoint,
    pushing values: [KlickValue], whenDone: Bool
  ) throws -> [Request] {
    do {
      // Tried on a copy, so that the map that it may need is read while nobody waits.
      var trial = state.withLock { $0.klick }
      _ = try change(&trial, arguments)
      let song = try trial.wish.map(host.readMap)
      let (orders, pushes) = try state.withLock { state in
        var klick = state.klick
        var orders = try change(&klick, arguments)
        if let song { orders += klick.open(song) }
        state.klick = klick
        state.pending += 1
        for value in KlickValue.allCases
        where value != .currentTempo && !(value == .sound && klick.awaitsFiles) {
          state.told[value] = value.arguments(klick)
        }
        let isAwaited = whenDone || (values == [.sound] && klick.awaitsFiles)
        return (orders, isAwaited ? [] : values.map { $0.message(klick) })
      }
      let outcome = KlickOutcome()
      let done = Request(
        .query { [weak self] snapshot in
          let values = whenDone || outcome.isRefused ? values : []
          self?.settle(snapshot, pushing: outcome.isRefused ? [] : pushes, anyway: values)
        }, refuse: { [weak self] in self?.lose(endpoint.address, $0) })
      return orders.map { request($0, endpoint.address, outcome) } + [done]
    } catch {
      // klick answers a number that it doesn't take with the one that stays, and a text that it doesn't with nothing.
      if arguments.arguments.allSatisfy({ $0.text == nil }) { push(values) }
      throw error
    }
  }

  func request(_ order: KlickState.Order, _ address: String, _ outcome: KlickOutcome) -> Request {
    if case .update(.set(.sound(let name))) = order.content {
      return Request(order.content, refuse: { [weak self] in self?.loseSound(name, reason: $0) })
    }
    return Request(
      order.content, at: order.time,
      refuse: { [weak self] reason in
        outcome.refuse()
        self?.complain(address, reason)
      })
  }

  /// The queue was full.
  func lose(_ address: String, _ reason: String) {
    state.withLock { $0.pending -= 1 }
    complain(address, reason)
  }

  private func loseSound(_ name: String, reason: String) {
    let files = state.withLock { $0.klick.loseSound(name) }
    complain(KlickNamespace.root + "config/set_sound", reason)
    push([.sound])
    // The reason names the files that fail.
    let failed = files.filter { reason.contains($0) }
    push(
      (failed.isEmpty ? files : failed).map {
        OSCMessage(KlickNamespace.root + "config/sound_loading_failed", .string($0))
      })
  }
}

/// Whether the conductor has refused something of what a message asked of it.
final class KlickOutcome: Sendable {
  private let refused = Atomic<Bool>(false)

  var isRefused: Bool { refused.load(ordering: .acquiring) }

  func refuse() { refused.store(true, ordering: .releasing) }
}
