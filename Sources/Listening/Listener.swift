import Engine
import Realtime
import Synchronization
import TimeCheck

/// The thread that listens: it takes what the process callback has captured, and tells hits.
package final class Listener: @unchecked Sendable {
  // `@unchecked`: `bank` is used by the listening thread alone once it runs.

  /// The longest time between two looks. A callback can wake nobody, so this adds to what a display waits.
  private static let interval = Duration.milliseconds(3)

  private var bank: EarBank
  private let bleeds: Mutex<[Int: Float]>
  private let hear: @Sendable ([Hit]) -> Void
  private let warn: @Sendable (String) -> Void
  /// Whether there is a microphone, and nothing to hear it with.
  private let lacksMicrophones: Bool
  private let isStopping = Atomic<Bool>(false)
  private let wakeup = MonotonicSemaphore()
  private let capture: UnsafePointer<Capture>

  /// - Parameters:
  ///   - hear: called with new hits, on the listening thread.
  ///   - warn: called with a warning for the user, on the listening thread.
  package init(
    _ capture: UnsafePointer<Capture>, _ setup: ListeningSetup,
    hear: @escaping @Sendable ([Hit]) -> Void, warn: @escaping @Sendable (String) -> Void
  ) {
    self.capture = capture
    bank = EarBank(capture, setup)
    lacksMicrophones = !EarBank.hearsMicrophones && setup.inputs.contains { $0.mode == .mic }
    bleeds = Mutex([:])
    (self.hear, self.warn) = (hear, warn)
  }

  /// - Throws: if the system has no thread left.
  package func start() throws(NamedThread.Refusal) {
    try NamedThread("listener") { [self] in
      if lacksMicrophones {
        warn("libaubio5 is not installed: a microphone is heard as a trigger, which misses soft strokes")
      }
      while !isStopping.load(ordering: .acquiring) {
        pass()
        _ = wakeup.wait(for: Listener.interval)
      }
    }
  }

  package func stop() {
    isStopping.store(true, ordering: .releasing)
    wakeup.signal()
  }

  /// Sets the peaks of the click itself in the inputs, by their indices.
  /// - Thread: any
  package func setBleed(_ levels: [Int: Float]) { bleeds.withLock { $0 = levels } }

  private func pass() {
    for (input, bleed) in bleeds.withLock({ $0 }) { bank.setBleed(bleed, of: input) }
    let heard = bank.listen()
    if !heard.hits.isEmpty { hear(heard.hits) }
    if heard.lost > 0 {
      warn("listening: \(heard.lost) frames were not heard, as the machine was too busy; hits are missing")
    }
    if heard.lostNotes > 0 {
      warn(
        "listening: \(heard.lostNotes) notes were not heard: too many at once, or the machine was too busy")
    }
  }
}
