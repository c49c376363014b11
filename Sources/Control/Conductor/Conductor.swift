import Engine
import Realtime
import Synchronization

/// The thread that applies all updates to the settings and builds all scores.
///
/// It reads the clock, takes requests from the queue, and passes them to its `CoreRunner`, which passes them to the `ConductorCore`.
/// The thread wakes for requests, for scheduled changes, and when the engine is about to send an event: the process callback
/// makes no system call, so it can't wake another thread.
package final class Conductor: @unchecked Sendable {
  // `@unchecked`: until `start`, only the thread that makes the conductor uses `runner`; from then on, only the conductor's
  // thread. Simulations, which have one thread, call `begin`, `turn`, `deadline` and `end` instead. All other properties are
  // constant or locked.

  package typealias Observer = @Sendable (Report) -> Void

  /// The queue into which all sources push their requests.
  package let updates = UpdateQueue()

  private var runner: CoreRunner
  private let isStopping = Atomic<Bool>(false)
  private let hasEnded = MonotonicSemaphore()
  private let answerCounter = Mutex(AnswerCounter())
  private let observers = Mutex<[Listener]>([])

  private struct Listener: Sendable {
    let receive: Observer
    let needsSubdivisions: @Sendable () -> Bool
    let needsForecast: @Sendable () -> Bool
  }

  /// Counts lost answers. The closure is in a struct because a mutex that holds a closure directly adds a layer around it at
  /// each read. After a day of turns the layers would be too deep to call.
  private struct AnswerCounter: Sendable {
    var count: @Sendable () -> Int = { 0 }
  }

  /// - Parameter channels: the connections to the engine. `makeKernel` passes them to the kernel.
  /// - Throws: the sound reader's error if no sound set can be read.
  package init(_ configuration: Configuration, channels: UnsafePointer<Channels>) throws {
    runner = try CoreRunner(configuration, channels: channels, updates: updates)
  }

  /// Makes the engine that plays this conductor's scores. Call it once, before `start`.
  package func makeKernel() -> Kernel { runner.makeKernel() }

  /// Adds an observer. It is called on the conductor's thread and must not block.
  /// - Parameter needsSubdivisions: whether the observer wants subdivisions at the moment. If no observer wants them, they are
  ///   not reported, because each of them wakes the conductor.
  /// - Parameter needsForecast: whether the observer wants forecast beats at the moment.
  /// - Thread: any. The conductor's thread calls `needsSubdivisions` and `needsForecast` at each turn.
  package func observe(
    needsSubdivisions: @escaping @Sendable () -> Bool = { true },
    needsForecast: @escaping @Sendable () -> Bool = { false }, _ observer: @escaping Observer
  ) {
    let listener = Listener(
      receive: observer, needsSubdivisions: needsSubdivisions, needsForecast: needsForecast)
    observers.withLock { $0.append(listener) }
  }

  /// Sets how `Health.droppedAnswers` is counted.
  /// - Parameter count: returns the number since the start. Called on the conductor's thread; it must not block.
  /// - Thread: any
  package func countDroppedAnswers(by count: @escaping @Sendable () -> Int) {
    answerCounter.withLock { $0.count = count }
  }

  // MARK: The thread

  /// Starts the conductor's thread.
  /// - Throws: `NamedThread.StartError` if the system can't start a thread.
  package func start(host: any AudioHost) throws(NamedThread.StartError) {
    try NamedThread("conductor") { [self] in
      begin(host: host, at: .now)
      while !isStopping.load(ordering: .acquiring) {
        let drained = updates.drain(until: deadline(at: .now))
        turn(drained, at: .now)
      }
      end(updates.drain(until: .distantPast), at: .now)
      hasEnded.signal()
    }
  }

  /// Ends the conductor's thread after it has handled all earlier requests and saved the settings. Waits for at most a second.
  /// - Returns: whether the thread ended within a second.
  /// - Thread: any but the conductor's
  package func stop() -> Bool {
    isStopping.store(true, ordering: .releasing)
    updates.push(Request(.query { _ in }))
    return hasEnded.wait(for: .seconds(1))
  }

  // MARK: Turns

  /// Sets the host and handles the first inputs. Call it before all turns.
  func begin(host: any AudioHost, at now: Instant) {
    noteListeners()
    // The runner keeps the closure, and the conductor the runner.
    runner.begin(host: host, at: now) { [unowned self] report in
      for observer in observers.withLock({ $0 }) { observer.receive(report) }
    }
  }

  /// When the next turn is due, unless a request arrives earlier.
  func deadline(at now: Instant) -> Instant { runner.deadline(at: now) }

  /// Handles the drained requests and everything that is due.
  func turn(_ drained: (requests: [Request], refused: Int), at now: Instant) {
    noteListeners()
    runner.turn(drained, at: now, droppedAnswers: answerCounter.withLock { $0 }.count())
  }

  /// Handles the last requests and saves the settings.
  func end(_ drained: (requests: [Request], refused: Int), at now: Instant) {
    noteListeners()
    runner.end(drained, at: now, droppedAnswers: answerCounter.withLock { $0 }.count())
  }

  /// Makes the engine report subdivisions and forecast beats only while an observer wants them.
  private func noteListeners() {
    let listeners = observers.withLock { $0 }
    runner.setReportsSubdivisions(listeners.contains { $0.needsSubdivisions() })
    runner.setReportsAhead(listeners.contains { $0.needsForecast() })
  }
}
