import Control
import Dispatch
import Engine
import Files
import Glibc
import Panel
import Realtime
import Synchronization
import TimeCheck
import Validation

/// Prints bar and beat as they sound, and errors; or events as JSON for another program.
///
/// Beats are reported before they sound, and printed when they sound.
final class Display: Sendable {
  private let isJSON: Bool
  private let showsBeats: Bool
  private let queue = DispatchQueue(label: "tactus.display")
  private let progress = SessionLine()
  private let onClosedOutput: @Sendable () -> Void
  private let isClosed = Atomic<Bool>(false)
  private let wasUnwritable = Atomic<Bool>(false)
  private let isLost = Atomic<Bool>(false)
  private let startWarnings = Mutex<[String]>([])
  private let backlog = Backlog(limit: 10_000)

  /// - Parameters:
  ///   - isJSON: whether to print events as JSON instead of lines for the user.
  ///   - showsBeats: whether each beat gets a line, and each second of the pause before a song.
  ///   - onClosedOutput: called once on the display's queue when standard output's reader has closed it.
  init(isJSON: Bool, showsBeats: Bool, onClosedOutput: @escaping @Sendable () -> Void) {
    (self.isJSON, self.showsBeats) = (isJSON, showsBeats)
    self.onClosedOutput = onClosedOutput
  }

  /// Prints a line for the user on standard output; nothing with JSON.
  /// - Thread: any but audio
  func say(_ text: String) {
    post { [self] in if !isJSON { write(printable(text) + "\n") } }
  }

  /// Prints an error or warning on standard error.
  /// - Thread: any but audio
  func warn(_ text: String) { post { StandardError.write(text, prefix: "tactus: ") } }

  /// Warns before the panel covers the terminal. The panel shows the warning, too.
  /// - Thread: main
  func warnAtStart(_ text: String) {
    warn(text)
    startWarnings.withLock { $0.append(text) }
  }

  /// The warnings for the panel; once.
  func takeStartWarnings() -> [String] {
    startWarnings.withLock { warnings in
      defer { warnings = [] }
      return warnings
    }
  }

  /// Waits until everything queued is printed, at most half a second.
  func flush() {
    let written = MonotonicSemaphore()
    queue.async { written.signal() }
    _ = written.wait(for: .milliseconds(500))
  }

  /// Handles a report of the conductor.
  /// - Parameter connection: the current names and addresses.
  /// - Thread: control
  func observe(_ report: Report, _ connection: () -> Connection) {
    warn(of: report)
    if isJSON {
      for event in EventLine.events(of: report, connection) {
        if let line = event.line { post { [self] in write(line + "\n") } }
      }
    } else if case .timing(let news) = report {
      show(news)
    } else if showsBeats, case .beat(let beat, let time) = report, beat.role != .subdivision {
      post(at: DispatchTime(uptimeNanoseconds: time.nanoseconds)) { [self] in show(beat) }
    } else if showsBeats, case .changed(let old, let new) = report {
      post { [self] in progress.line = printable(new.progress?.line ?? "") }
      if let countdown = new.progress?.countdown, countdown != old.progress?.countdown {
        post { [self] in write(printable(countdown) + "\n") }
      }
    }
  }

  /// Prints what a report warns of.
  /// - Thread: control
  func warn(of report: Report) {
    switch report {
    case .warning(let text), .losses(let text), .guarded(let text, _): warn(text)
    case .host(.lost(let reason)):
      warn("\(reason): waiting for it to come back")
      isLost.store(true, ordering: .relaxed)
    case .host(.connected(let sampleRate)) where isLost.exchange(false, ordering: .relaxed):
      warn("the JACK server is back, at \(sampleRate) Hz")
    case .timing(.notCalibrated(let reason)): warn("calibration: \(reason)")
    case .host(.connected), .timing, .finished, .beat, .predicted, .withdrawn, .changed: break
    }
  }

  /// The text before the beat while a session plays.
  private final class SessionLine: @unchecked Sendable {
    // `@unchecked`: used only on one serial queue.
    var line = ""
  }

  /// Queues output, unless too much is queued already. Says what was left out when the reader has caught up.
  private func post(at time: DispatchTime? = nil, _ show: @escaping @Sendable () -> Void) {
    guard backlog.admits() else { return }
    let work = DispatchWorkItem { [self] in
      show()
      let lost = backlog.finish()
      if lost > 0 { warn(ofLost: lost) }
    }
    if let time { queue.asyncAfter(deadline: time, execute: work) } else { queue.async(execute: work) }
  }

  /// - Parameter lost: how many lines were left out.
  private func warn(ofLost lost: Int) {
    let text = "output: its reader was too slow: \(lost) lines were left out"
    StandardError.write(text, prefix: "tactus: ")
    if isJSON, let line = EventLine("warning", text: text).line { write(line + "\n") }
  }

  /// Prints the summary of a take, the result of a calibration, and other news.
  private func show(_ news: TimingNews) {
    let lines =
      switch news {
      case .hit, .notCalibrated: [String]()
      case .take(let report): (report.section.isEmpty ? [] : ["\(report.section):"]) + report.lines
      case .calibrating(let prompt): [prompt]
      case .calibrated(let calibration): calibration.lines
      case .coached(let report): [report.line]
      case .quiet(let report): [report.line]
      case .learned(let note, let drum): ["Note \(note) is now the \(drum.rawValue)."]
      }
    for line in lines { post { [self] in write(printable(line) + "\n") } }
  }

  private func show(_ beat: Event.Beat) {
    let mark = beat.strength == 0 ? "·" : beat.role == .accent ? "●" : beat.strength < 1 ? "◦" : "○"
    guard beat.role != .cue else { return }
    write("\(progress.line)bar \(beat.bar)  beat \(beat.beat)  \(mark)\n")
  }

  /// A closed output ends the run. After another error, such as a full disk, one warning is printed and the music continues.
  private func write(_ text: String) {
    var text = text
    let failure = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
    if failure == EPIPE {
      if !isClosed.exchange(true, ordering: .relaxed) { onClosedOutput() }
    } else if !wasUnwritable.exchange(failure != 0, ordering: .relaxed), failure != 0 {
      warn("output: \(String(cString: strerror(failure))): continuing without it")
    }
  }
}
