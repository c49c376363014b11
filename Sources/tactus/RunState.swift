import Control
import Engine
import Synchronization

/// The state of a run that the main thread needs.
/// - Thread: any but audio
final class RunState: Sendable {
  private let currentRole: Mutex<SyncMode>
  private let playing = Atomic<Bool>(false)
  private let port = Mutex<UInt16?>(nil)
  private let take = Mutex<[String]>([])
  private let uncalibrated = Atomic<Bool>(false)
  private let finished = Atomic<Bool>(false)
  private let ending = Atomic<Bool>(false)

  private let queue = Mutex<UpdateQueue?>(nil)

  init(role: SyncMode) { currentRole = Mutex(role) }

  /// The current role.
  var role: SyncMode {
    get { currentRole.withLock { $0 } }
    set { currentRole.withLock { $0 = newValue } }
  }

  /// The conductor's queue for warnings; nil before there is a conductor.
  var updates: UpdateQueue? {
    get { queue.withLock { $0 } }
    set { queue.withLock { $0 = newValue } }
  }

  /// Whether the music plays; in roles that share the transport, whether it rolls.
  var isPlaying: Bool {
    get { playing.load(ordering: .relaxed) }
    set { playing.store(newValue, ordering: .relaxed) }
  }

  /// The port of the web page; nil if there is none.
  var webPort: UInt16? {
    get { port.withLock { $0 } }
    set { port.withLock { $0 = newValue } }
  }

  /// The summary of the last take, in sentences.
  var lastTake: [String] {
    get { take.withLock { $0 } }
    set { take.withLock { $0 = newValue } }
  }

  /// Whether the requested calibration has failed.
  var hasFailedToCalibrate: Bool {
    get { uncalibrated.load(ordering: .relaxed) }
    set { uncalibrated.store(newValue, ordering: .relaxed) }
  }

  /// Whether the run is ending, and the panel has left the terminal.
  var isEnding: Bool {
    get { ending.load(ordering: .relaxed) }
    set { ending.store(newValue, ordering: .relaxed) }
  }

  /// Whether the run ends because the music has ended: the given bars, or the given session.
  var hasFinished: Bool {
    get { finished.load(ordering: .relaxed) }
    set { finished.store(newValue, ordering: .relaxed) }
  }
}
