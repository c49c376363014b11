import Engine
import Realtime
import Synchronization

/// The thread that applies all updates to the settings and makes all scores.
///
/// It reads the clock, takes requests from the queue, and has its `Stage` give them to the `ConductorCore`. The thread wakes for
/// requests, for scheduled changes, and when the engine is about to send an event: the process callback makes no system call, so
/// it can't wake another thread.
package final class Conductor: @unchecked Sendable {
  // `@unchecked`: `stage` is used by the thread that makes the conductor until `start`, and by the conductor's own from then on.
  // Simulations, which have one thread, call `begin`, `turn`, `deadline` and `end` instead. All else is constant or locked.

  package typealias Observer = @Sendable (Report) -> Void

  /// Where every source of change pushes.
  package let updates = UpdateQueue()

  private var stage: Stage
  private let isStopping = Atomic<Bool>(false)
  private let hasEnded = MonotonicSemaphore()
  private let answerCounter = Mutex(AnswerCounter())
  private let observers = Mutex<[Listener]>([])

  private struct Listener: Sendable {
    let receive: Observer
    let needsSubdivisions: @Sendable () -> Bool
    let needsForecast: @Sendable () -> Bool
  }

  /// Counts lost answers. In a struct, as a closure that a mutex holds by itself gets another layer around it each time it is
  /// read, which a day of turns would make too deep to call.
  private struct AnswerCounter: Sendable {
    var count: @Sendable () -> Int = { 0 }
  }

  /// - Parameter channels: the connections to the engine, which `makeKernel` gives to it.
  /// - Throws: the sound reader's error if there is nothing to play.
  package init(_ configuration: Configuration, channels: UnsafePointer<Channels>) throws {
    stage = try Stage(configuration, channels: channels, updates: updates)
  }

  /// The engine that plays what this conductor says. Made once, before `start`.
  package func makeKernel() -> Kernel { stage.makeKernel() }

  /// Adds an observer. It is called on the conductor's thread and must not wait.
  /// - Parameter needsSubdivisions: whether it listens to the parts of beats at the moment. If nobody does they are not
  ///   reported, as each of them wakes the conductor.
  /// - Parameter needsForecast: whether it wants to hear of beats ahead at the moment.
  package func observe(
    needsSubdivisions: @escaping @Sendable () -> Bool = { true },
    needsForecast: @escaping @Sendable () -> Bool = { false }, _ observer: @escaping Observer
  ) {
    let listener = Listener(
      receive: observer, needsSubdivisions: needsSubdivisions, needsForecast: needsForecast)
    observers.withLock { $0.append(listener) }
  }

  /// Sets how `Health.droppedAnswers` is counted.
  /// - Parameter count: returns the number since the start. Called on the conductor's thread; it must not wait.
  /// - Thread: any
  package func countDroppedAnswers(by count: @escaping @Sendable () -> Int) {
    answerCounter.withLock { $0.count = count }
  }

  // MARK: The thread

  /// Starts the conductor's thread.
  /// - Throws: if the system has no thread left.
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

  /// Ends the conductor's thread, after what was asked for before, and saves the settings.
  /// - Returns: whether it ended within a second.
  package func stop() -> Bool {
    isStopping.store(true, ordering: .releasing)
    updates.push(Request(.query { _ in }))
    return hasEnded.wait(for: .seconds(1))
  }

  // MARK: Turns

  /// Hands the host over, as the first step.
  func begin(host: any AudioHost, at now: Instant) {
    noteListeners()
    // The stage keeps the closure, and the conductor the stage.
    stage.begin(host: host, at: now) { [unowned self] report in
      for observer in observers.withLock({ $0 }) { observer.receive(report) }
    }
  }

  /// When the next turn is due, unless a request comes before.
  func deadline(at now: Instant) -> Instant { stage.deadline(at: now) }

  /// Does all that is due, with what was drained from the queue.
  func turn(_ drained: (requests: [Request], refused: Int), at now: Instant) {
    noteListeners()
    stage.turn(drained, at: now, droppedAnswers: answerCounter.withLock { $0 }.count())
  }

  /// Handles the last requests and saves the settings.
  func end(_ drained: (requests: [Request], refused: Int), at now: Instant) {
    noteListeners()
    stage.end(drained, at: now, droppedAnswers: answerCounter.withLock { $0 }.count())
  }

  /// Has the engine report the parts of beats, and beats ahead, as long as somebody listens to them.
  private func noteListeners() {
    let listeners = observers.withLock { $0 }
    stage.setReportsSubdivisions(listeners.contains { $0.needsSubdivisions() })
    stage.setReportsAhead(listeners.contains { $0.needsForecast() })
  }
}
