import Control
import MusicTime
import OSC
import Realtime
import Synchronization

/// klick's setters.
extension KlickRemote {
  /// Changes klick's variables. If the change needs a map, the map is read first.
  /// - Parameter whenDone: whether the values are reported only when the conductor has changed them.
  /// - Returns: the requests to the conductor.
  /// - Throws: the error of `change`. klick's variables are unchanged then.
  func perform(
    _ change: @escaping KlickEndpoint.Change, _ arguments: OSCArguments, _ endpoint: KlickEndpoint,
    pushing values: [KlickValue], whenDone: Bool, at now: Instant
  ) throws -> [Request] {
    let change = Change(
      make: change, arguments: arguments, endpoint: endpoint, values: values, whenDone: whenDone)
    do {
      // A trial on a copy shows whether the change needs a map.
      var trial = state.withLock { $0.klick }
      _ = try change.make(&trial, arguments, now)
      guard let request = trial.map.request else { return try commit(change, nil, at: now) }
      state.withLock { $0.backlog.isReading = true }
      // The map is read after a query, so that the conductor handles earlier requests first.
      return [
        Request(
          .query { [weak self] _ in self?.readMap(request, for: change) },
          refuse: { [weak self] in
            guard let self else { return }
            complain(endpoint.address, $0)
            reading.run { self.handleBacklog() }
          })
      ]
    } catch {
      undo(change)
      throw error
    }
  }

  /// Reads a map and makes the change that needs it. Then handles the messages that arrived meanwhile.
  private func readMap(_ request: KlickMapRequest, for change: Change) {
    reading.run { [self] in
      do {
        updates.push(try commit(change, host.readMap(request), at: clock.now()))
      } catch {
        undo(change)
        complain(change.endpoint.address, error)
      }
      handleBacklog()
    }
  }

  /// Handles the messages that waited for a map, until one of them needs another map.
  private func handleBacklog() {
    state.withLock { $0.backlog.isReading = false }
    while let (message, peer) = state.withLock({ $0.backlog.next() }) {
      updates.push(handle(message, from: peer, at: clock.now()))
    }
  }

  /// A change of klick's variables, and the values to report after it.
  private struct Change: Sendable {
    let make: KlickEndpoint.Change
    let arguments: OSCArguments
    let endpoint: KlickEndpoint
    let values: [KlickValue]
    let whenDone: Bool
  }

  /// Makes a change.
  /// - Parameter song: the map that the change needs; nil if it needs none.
  private func commit(_ change: Change, _ song: KlickSong?, at now: Instant) throws -> [Request] {
    let (values, whenDone, address) = (change.values, change.whenDone, change.endpoint.address)
    let (orders, pushes) = try state.withLock { state in
      var klick = state.klick
      var orders = try change.make(&klick, change.arguments, now)
      if let song { orders += klick.open(song) }
      state.klick = klick
      state.pending += 1
      for value in KlickValue.allCases
      where value != .currentTempo && !(value == .sound && klick.awaitsFiles) {
        state.sent[value] = value.arguments(klick)
      }
      let isAwaited = whenDone || (values == [.sound] && klick.awaitsFiles)
      return (orders, isAwaited ? [] : values.map { $0.message(klick) })
    }
    let outcome = KlickOutcome()
    let done = Request(
      .query { [weak self] snapshot in
        let values = whenDone || outcome.isRefused ? values : []
        self?.settle(snapshot, pushing: outcome.isRefused ? [] : pushes, anyway: values)
      }, refuse: { [weak self] in self?.lose(address, $0) })
    return orders.map { request($0, address, outcome) } + [done]
  }

  /// Handles a change that could not be made. Like klick, answers an invalid number with the present one, and an invalid text
  /// with nothing.
  private func undo(_ change: Change) {
    if change.arguments.arguments.allSatisfy({ $0.text == nil }) { push(change.values) }
  }

  /// The request of an order. A refusal is reported for `address` and recorded in `outcome`.
  func request(_ order: KlickOrder, _ address: String, _ outcome: KlickOutcome) -> Request {
    if case .update(.set(let setting)) = order.content, let name = setting.value(of: Parameters.sound) {
      return Request(order.content, refuse: { [weak self] in self?.loseSound(name, reason: $0) })
    }
    return Request(
      order.content, at: order.time,
      refuse: { [weak self] reason in
        outcome.refuse()
        self?.complain(address, reason)
      })
  }

  /// Handles a refused query: the queue was full.
  func lose(_ address: String, _ reason: String) {
    state.withLock { $0.pending -= 1 }
    complain(address, reason)
  }

  private func loseSound(_ name: String, reason: String) {
    let files = state.withLock { $0.klick.loseSound(name) }
    complain(KlickNamespace.root + "config/set_sound", reason)
    push([.sound])
    // Reports both files, so that a peer does not learn which of them exists.
    push(files.map { OSCMessage(KlickNamespace.root + "config/sound_loading_failed", .string($0)).printable })
  }
}

/// Whether the conductor has refused a request of a message.
/// - Thread: any
final class KlickOutcome: Sendable {
  private let refused = Atomic<Bool>(false)

  var isRefused: Bool { refused.load(ordering: .acquiring) }

  func refuse() { refused.store(true, ordering: .releasing) }
}
