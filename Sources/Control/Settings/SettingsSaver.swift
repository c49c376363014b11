import Realtime
import Synchronization

/// Writes settings to disk on a work queue, one after the other. Of those that arrive during a write, only the last are
/// written.
final class SettingsSaver: Sendable {
  typealias Write = @Sendable (Settings) throws -> Void

  private struct State {
    var saved: Settings?
    var waiting: Settings?
    var isWriting = false
    var hasFailed = false
  }

  private let write: Write
  /// Called with the reason when a save fails, and with nil when the next one succeeds. On any thread.
  private let report: @Sendable (_ failure: String?) -> Void
  private let queue: any WorkQueue
  private let state: Mutex<State>

  /// - Parameters:
  ///   - saved: the settings that are already on disk; nil if there are none.
  ///   - queue: the work queue that writes.
  init(
    _ write: @escaping Write, saved: Settings?, on queue: any WorkQueue,
    report: @escaping @Sendable (_ failure: String?) -> Void
  ) {
    self.write = write
    self.queue = queue
    self.report = report
    state = Mutex(State(saved: saved))
  }

  /// Writes settings on the work queue.
  /// - Thread: control
  func save(_ settings: Settings) {
    let isIdle = state.withLock { state in
      defer { state.isWriting = true }
      state.waiting = settings
      return !state.isWriting
    }
    if isIdle { queue.run { self.writeAll() } }
  }

  /// Waits until the current write has finished, then writes settings unless they are on disk already.
  /// - Thread: control
  func finish(_ settings: Settings) {
    queue.finish()
    if state.withLock({ $0.saved != settings }) { attempt(settings) }
  }

  private func writeAll() {
    while let next = takeNext() { attempt(next) }
  }

  private func takeNext() -> Settings? {
    state.withLock { state in
      let next = state.waiting.take()
      state.isWriting = next != nil
      return next
    }
  }

  private func attempt(_ settings: Settings) {
    do {
      try write(settings)
      let hadFailed = state.withLock { state in
        defer { (state.saved, state.hasFailed) = (settings, false) }
        return state.hasFailed
      }
      if hadFailed { report(nil) }
    } catch {
      state.withLock { $0.hasFailed = true }
      report("\(error)")
    }
  }
}
