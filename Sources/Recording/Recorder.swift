import Engine
import Realtime
import Synchronization

/// Records what the player hears and plays, on a thread of its own: a disk that is slow holds nothing up but the recording.
package final class Recorder: @unchecked Sendable {
  // `@unchecked`: `desk` is used by the recording thread alone once it runs.

  /// A capture has room for so many seconds, during which the disk may be busy.
  package static let patience = 5
  /// The most inputs beside the click: FLAC has eight channels.
  package static let mostInputs = 7
  private static let interval = Duration.milliseconds(50)

  private var desk: RecordingDesk
  private let state: Mutex<State>
  private let warn: @Sendable (String) -> Void
  private let wakeup = MonotonicSemaphore()
  private let isStopping = Atomic<Bool>(false)
  private let thread = Mutex<NamedThread?>(nil)

  /// What threads exchange.
  private struct State {
    var wish = RecordingDesk.Wish()
    var entries: [RecordingDesk.Entry] = []
    var files = 0
  }

  /// Where the audio of a take is.
  package struct Place: Equatable, Sendable {
    /// The path of the file.
    package var file: String
    /// Of the take's beginning, in seconds from the file's.
    package var seconds: Double
    /// How much of the take is silent or missing there, in seconds.
    package var lost: Double
  }

  /// - Parameters:
  ///   - capture: the inputs, and the click as the last one.
  ///   - folder: an existing folder.
  ///   - inputs: the names of the inputs.
  ///   - warn: called on the recording thread, with a sentence.
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

  /// - Throws: if the system has no thread left.
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

  /// Records from now on, or ends the file.
  /// - Parameters:
  ///   - start: the number of the start that is recorded; nil if nothing is. Another one begins another file.
  ///   - title: of the music; another one begins another file.
  ///   - offsets: beyond JACK's latencies, how late each input is, in milliseconds.
  /// - Thread: any but audio
  package func record(start: Int?, title: String, offsets: [Int: Double]) {
    state.withLock { $0.wish = RecordingDesk.Wish(start: start, title: title, offsets: offsets) }
  }

  /// Completes the file that is open, for a limited time.
  /// - Returns: how many files were recorded.
  package func finish(within limit: Duration) -> Int {
    isStopping.store(true, ordering: .releasing)
    wakeup.signal()
    if let thread = thread.withLock({ $0 }) { _ = thread.hasEnded(within: limit) }
    return state.withLock { $0.files }
  }

  /// Where the audio between two frames is; nil if it was not recorded.
  /// - Parameters:
  ///   - begin: the frame at which the first stroke was played.
  ///   - end: that of the last one.
  /// - Thread: any but audio
  package func place(from begin: Int64, to end: Int64) -> Place? {
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
    let wish = state.withLock { $0.wish }
    report(desk.pass(wish))
  }

  private func report(_ problems: [String]) {
    state.withLock { ($0.entries, $0.files) = (desk.entries, desk.files) }
    for problem in problems { warn("recording: \(problem)") }
  }
}
