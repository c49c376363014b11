import Engine
import Realtime
import Synchronization
import TimeCheck

/// The thread that listens: it takes what the process callback has captured, and tells hits.
package final class Listener: @unchecked Sendable {
  // `@unchecked`: `bank` is used by the listening thread alone once it runs.

  /// What other threads ask of the detectors.
  private struct Wishes {
    var bleeds: [Int: Float] = [:]
    var controls: TriggerControls
    var areNew = true
  }

  /// The longest time between two looks. A callback can wake nobody, so this adds to what a display waits.
  private static let interval = Duration.milliseconds(3)

  private var bank: EarBank
  private let wishes: Mutex<Wishes>
  private let receive: @Sendable ([Hit]) -> Void
  private let warn: @Sendable (String) -> Void
  /// Whether there is a microphone, and nothing to hear it with.
  private let lacksMicrophones: Bool
  private let isStopping = Atomic<Bool>(false)
  private let wakeup = MonotonicSemaphore()
  private let capture: UnsafePointer<Capture>

  /// - Parameters:
  ///   - controls: how triggers are heard at first.
  ///   - receive: called with new hits, on the listening thread.
  ///   - warn: called with a warning for the user, on the listening thread.
  package init(
    _ capture: UnsafePointer<Capture>, _ setup: ListeningSetup, _ controls: TriggerControls,
    receive: @escaping @Sendable ([Hit]) -> Void, warn: @escaping @Sendable (String) -> Void
  ) {
    self.capture = capture
    bank = EarBank(capture, setup)
    lacksMicrophones = !EarBank.hearsMicrophones && setup.inputs.contains { $0.mode == .mic }
    wishes = Mutex(Wishes(controls: controls))
    (self.receive, self.warn) = (receive, warn)
  }

  /// - Throws: if the system has no thread left.
  package func start() throws(NamedThread.StartError) {
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
  package func setBleed(_ levels: [Int: Float]) {
    wishes.withLock { ($0.bleeds, $0.areNew) = (levels, true) }
  }

  /// Sets how triggers are heard.
  /// - Thread: any
  package func setControls(_ controls: TriggerControls) {
    wishes.withLock { ($0.controls, $0.areNew) = (controls, true) }
  }

  private func pass() {
    let new: Wishes? = wishes.withLock { wishes in
      defer { wishes.areNew = false }
      return wishes.areNew ? wishes : nil
    }
    if let new {
      for (input, bleed) in new.bleeds { bank.setBleed(bleed, of: input) }
      bank.setControls(new.controls)
    }
    let heard = bank.listen()
    if !heard.hits.isEmpty { receive(heard.hits) }
    for fault in heard.faults { warn(fault) }
    if heard.lost > 0 {
      warn("listening: \(heard.lost) frames were not heard, as the machine was too busy; hits are missing")
    }
    if heard.lostNotes > 0 {
      warn(
        "listening: \(heard.lostNotes) notes were not heard: too many at once, or the machine was too busy")
    }
  }
}
