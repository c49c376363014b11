import Engine
import Foundation
import MusicTime
import Realtime
import Synchronization

/// The only one that applies updates to the settings, and the only one that turns settings into a score.
///
/// It runs `ConductorCore` on a thread of its own, and is alone in reading the clock. The thread wakes for requests, for
/// scheduled changes, and when the engine is about to send an event: the process callback makes no system call, so it can't
/// wake another thread.
public final class Conductor: Sendable {
  public typealias Observer = @Sendable (Report) -> Void

  /// Where every source of change pushes.
  public let updates = UpdateQueue()

  private let state: ConductorCore
  private let isStopping = Atomic<Bool>(false)
  private let hasEnded = MonotonicSemaphore()
  private let answerCounter = Mutex(AnswerCounter())
  private let observers = Mutex<[(hear: Observer, hearsSubdivisions: @Sendable () -> Bool)]>([])

  /// Counts lost answers. In a struct, as a closure that a mutex holds by itself gets another layer around it each time it is
  /// read, which a day of turns would make too deep to call.
  private struct AnswerCounter: Sendable {
    var count: @Sendable () -> Int = { 0 }
  }

  /// What a conductor starts from.
  public struct Configuration: Sendable {
    public var settings: Settings
    /// Frames a second until the audio host says otherwise.
    public var sampleRate: Int
    /// Bars to play; nil for ever.
    public var bars: Int?
    /// Makes a queue for work that takes long, by its name.
    public var makeWorkQueue: @Sendable (_ name: String) -> any WorkQueue = { DispatchQueue(label: $0) }
    /// Reads a sound set, a built-in one or a folder.
    public var readSound: SoundReader
    /// Writes the settings to disk.
    public var save: @Sendable (Settings) throws -> Void
    /// What is on disk already; nil for nothing.
    public var saved: Settings?
    /// Whether the settings on disk stay as they are until the user saves, or changes a setting.
    public var keepsSaved = false
    /// What plays where the settings' sound set can't be read; nil for an error.
    public var fallbackSound: String?
    /// Speaks the texts of a session.
    public var speak: Speaker = { _, _, _ in
      throw InvalidValue("speech", "nobody", allowed: "somebody to speak")
    }
    /// Reads a session document.
    public var readSession: SessionReader = {
      throw InvalidValue("session", quoted($0), allowed: "a document that can be read")
    }
    /// Ableton Link; nil where there is none.
    public var link: (any LinkSession)?
    /// The session to begin with, and where.
    public var session: (setlist: Setlist, place: SessionPlace)?

    public init(
      settings: Settings, sampleRate: Int, bars: Int? = nil,
      readSound: @escaping SoundReader,
      save: @escaping @Sendable (Settings) throws -> Void
    ) {
      self.settings = settings
      self.sampleRate = sampleRate
      self.bars = bars
      self.readSound = readSound
      self.save = save
      saved = settings
    }
  }

  /// - Parameter channels: the lines to the engine, which `makeKernel` gives to it.
  /// - Throws: what reading the sound set threw.
  public init(_ configuration: Configuration, channels: UnsafePointer<Channels>) throws {
    state = try ConductorCore(configuration, channels: channels, updates: updates)
  }

  /// The engine that plays what this conductor says. Made once, before `start`.
  public func makeKernel() -> Kernel { state.makeKernel() }

  /// Adds an observer. It is called on the conductor's thread and must not wait.
  /// - Parameter hearsSubdivisions: whether it listens to the parts of beats at the moment. Where nobody does they are not
  ///   told, as each of them wakes the conductor.
  public func observe(
    hearsSubdivisions: @escaping @Sendable () -> Bool = { true }, _ observer: @escaping Observer
  ) {
    observers.withLock { $0.append((observer, hearsSubdivisions)) }
  }

  /// Has health tell how many answers were lost by whoever sends them.
  /// - Parameter count: how many since the start. Called on the conductor's thread; it must not wait.
  /// - Thread: any
  public func countDroppedAnswers(by count: @escaping @Sendable () -> Int) {
    answerCounter.withLock { $0.count = count }
  }

  /// Starts the conductor's thread.
  public func start(host: any AudioHost) {
    let thread = Thread { [self] in
      begin(host: host, at: Monotonic.now)
      while !isStopping.load(ordering: .acquiring) {
        let drained = updates.drain(until: deadline(at: Monotonic.now))
        turn(drained, at: Monotonic.now)
      }
      end(updates.drain(until: 0), at: Monotonic.now)
      hasEnded.signal()
    }
    thread.name = "conductor"
    thread.start()
  }

  /// Hands the host to the core, as the first step.
  /// - Parameter time: the present instant, by the monotonic clock.
  func begin(host: any AudioHost, at time: UInt64) {
    lookAround()
    state.begin(host: host, at: time) { [self] report in
      for observer in observers.withLock({ $0 }) { observer.hear(report) }
    }
  }

  /// When the next turn is due, unless a request comes before.
  func deadline(at time: UInt64) -> UInt64 { state.deadline(at: time) }

  /// Has the core do all that is due, with what was drained from the queue.
  func turn(_ drained: (requests: [Request], refused: Int), at time: UInt64) {
    lookAround()
    state.turn(drained.requests, refused: drained.refused, at: time)
  }

  /// Has the core handle the last requests and save the settings.
  func end(_ drained: (requests: [Request], refused: Int), at time: UInt64) {
    state.end(drained.requests, refused: drained.refused, at: time)
  }

  /// Tells the core what the observers want, and how many answers were lost.
  private func lookAround() {
    state.hearsSubdivisions = observers.withLock { $0 }.contains { $0.hearsSubdivisions() }
    state.note(droppedAnswers: answerCounter.withLock { $0 }.count())
  }

  /// Ends the conductor's thread, after what was asked for before, and saves the settings.
  /// - Returns: whether it ended within a second.
  public func stop() -> Bool {
    isStopping.store(true, ordering: .releasing)
    updates.push(Request(.query { _ in }))
    return hasEnded.wait(for: .seconds(1))
  }
}
