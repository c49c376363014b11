import Engine
import Synchronization

/// What the main thread has to know of a run.
final class RunState: Sendable {
  private let currentRole: Mutex<TransportRole>
  private let finished = Atomic<Bool>(false)

  init(role: TransportRole) { currentRole = Mutex(role) }

  /// The role on the transport as it stands.
  var role: TransportRole {
    get { currentRole.withLock { $0 } }
    set { currentRole.withLock { $0 = newValue } }
  }

  /// Whether the bars that were asked for are over.
  var hasFinished: Bool {
    get { finished.load(ordering: .relaxed) }
    set { finished.store(newValue, ordering: .relaxed) }
  }
}
