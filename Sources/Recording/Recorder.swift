import Engine
import MusicTime
import Realtime
import Synchronization

/// Records what the player hears and plays, on a thread of its own, so that a slow disk delays only the recording.
package final class Recorder: @unchecked Sendable {
  // `@unchecked`: once the thread runs, only the thread uses `desk`.

  /// The size of a recorder's capture in seconds: how long the disk may be busy without a loss.
  package static let patience = 5
  /// The most inputs beside the click: FLAC has at most eight channels.
  package static let mostInputs = 7
  private static let interval = Duration.milliseconds(50)

  private var desk: RecordingDesk
  private let state: Mutex<State>
  private let warn: @Sendable (String) -> Void
  private let wakeup = MonotonicSemaphore()
  private let isStopping = Atomic<Bool>(false)
  private let thread = Mutex<NamedThread?>(nil)

  /// The data shared by the threads.
  private struct State {
    var request = RecordingDesk.Request()
    var entries: [RecordingDesk.Entry] = []
    var files = 0
  }

  /// The place of a take's audio.
  package struct Place: Equatable, Sendable {
    /// The path of the file.
    package var file: String
    /// The start of the take, in seconds from the file's start.
    package var seconds: Double
    /// How much of the take is silent or missing in the file, in seconds.
    package var lost: Double
  }

  /// - Parameters:
  ///   - capture: its inputs are `inputs`, then the click.
  ///   - folder: the path of an existing folder.
  ///   - inputs: the names of the inputs, at most `mostInputs`.
  ///   - warn: called on the recorder's thread, with a sentence for the user.
  package init(
    _ capture: UnsafePointer<Capture>, folder: String, inputs: [String],
    warn: @escaping @Sendable (String) -> Void
  ) {
    precondition(inputs.count <= Recorder.mostInputs)
    desk = RecordingDesk(
      capture, folder: folder, inputs: inputs, now: { Instant.now.onWallClock / 1_000_000 })
    state = Mutex(State())
    self.warn = warn
  }

  /// Starts the thread.
  /// - Throws: `NamedThread.StartError` if the system creates no thread.
  /// - Thread: any
  package func start() throws(NamedThread.StartError) {
    let started = try NamedThread("recorder") { [self] in
      while !isStopping.load(ordering: .acquiring) {
        pass()
        _ = wakeup.wait(for: Recorder.interval)
      }
      pass()
      report(desk.finish())
    }
    thread.withLock { $0 = started }
  }

  /// Sets what is recorded from now on.
  /// - Parameters:
  ///   - start: the number of the music's start; nil to end the file, one second later. Another number begins a new file.
  ///   - title: the title of the music. Another title begins a new file.
  ///   - offsets: the calibration offsets of the inputs in milliseconds, by their indices.
  /// - Thread: any but audio
  package func record(start: Int?, title: String, offsets: [Int: Double]) {
    state.withLock { $0.request = RecordingDesk.Request(start: start, title: title, offsets: offsets) }
  }

  /// Ends the thread, which completes the open file. Waits a limited time for that.
  /// - Returns: how many files were begun.
  /// - Thread: any but audio and the recorder's
  package func finish(within limit: Duration) -> Int {
    isStopping.store(true, ordering: .releasing)
    wakeup.signal()
    if let thread = thread.withLock({ $0 }) { _ = thread.hasEnded(within: limit) }
    return state.withLock { $0.files }
  }

  /// The place of the audio between two frames; nil if it was not recorded, or in none of the last 16 files.
  /// - Parameters:
  ///   - begin: the frame of the first hit, with latency and calibration subtracted, as `Hit.frame`.
  ///   - end: the frame of the last hit.
  /// - Thread: any but audio
  package func place(from begin: ClockFrame, to end: ClockFrame) -> Place? {
    let entries = state.withLock { $0.entries }
    guard
      let entry = entries.last(where: {
        $0.begin <= begin && ($0.isOpen || begin < $0.begin + Int64($0.written))
      })
    else { return nil }
    let (first, last) = (Int(begin - entry.begin), Int(max(end, begin) - entry.begin))
    let silent = entry.gaps.reduce(0) { $0 + $1.clamped(to: first..<last).count }
    let missing = entry.isOpen ? 0 : max(last - entry.written, 0)
    let rate = Double(entry.sampleRate)
    return Place(file: entry.path, seconds: Double(first) / rate, lost: Double(silent + missing) / rate)
  }

  private func pass() {
    let request = state.withLock { $0.request }
    report(desk.pass(request))
  }

  private func report(_ problems: [String]) {
    state.withLock { ($0.entries, $0.files) = (desk.entries, desk.files) }
    for problem in problems { warn("recording: \(problem)") }
  }
}
