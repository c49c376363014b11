import Control
import Dispatch
import Engine
import Foundation
import MusicTime
import Synchronization

/// What the player reads: bar and beat as they sound, and what goes wrong; or events as JSON for a program.
///
/// Beats are told ahead of their sound; they are shown when they sound.
final class Display: Sendable {
  private let isJSON: Bool
  private let isTerminal = isatty(STDOUT_FILENO) != 0
  private let queue = DispatchQueue(label: "tactus.display")
  private let progress = SessionLine()
  private let onClosedOutput: @Sendable () -> Void
  private let isClosed = Atomic<Bool>(false)
  private let isLost = Atomic<Bool>(false)
  /// What waits to be shown; bounded, as a reader may read no further.
  private let waiting = Atomic<Int>(0)
  private static let mostWaiting = 10_000

  /// - Parameter onClosedOutput: called once, when nobody reads the output any more.
  init(isJSON: Bool, onClosedOutput: @escaping @Sendable () -> Void) {
    self.isJSON = isJSON
    self.onClosedOutput = onClosedOutput
  }

  /// A line for people, before the playing begins.
  func say(_ text: String) {
    post { [self] in
      guard !isJSON else { return }
      write(lineStart + text + "\n")
      if isTerminal { showStanding() }
    }
  }

  /// Something that went wrong, on standard error.
  func warn(_ text: String) {
    post { [self] in
      let start = isTerminal ? "\r\u{1B}[K" : ""
      try? FileHandle.standardError.write(contentsOf: Data("\(start)tactus: \(text)\n".utf8))
      if isTerminal { showStanding() }
    }
  }

  /// Shows everything that is left, and the cursor on a line of its own; waits half a second for a slow reader.
  func end() {
    let written = DispatchSemaphore(value: 0)
    queue.async { [self] in
      if isTerminal, !isJSON { write("\n") }
      written.signal()
    }
    _ = written.wait(timeout: .now() + .milliseconds(500))
  }

  /// An observer of the conductor.
  /// - Parameter connection: where Tactus is to be found.
  /// - Thread: control
  func observe(_ report: Report, _ connection: () -> Connection) {
    switch report {
    case .warning(let text): warn(text)
    case .host(.lost(let reason)):
      warn("\(reason): waiting for it to come back")
      isLost.store(true, ordering: .relaxed)
    case .host(.connected(let sampleRate)) where isLost.exchange(false, ordering: .relaxed):
      warn("the JACK server is back, at \(sampleRate) Hz")
    case .host(.connected), .finished, .beat, .changed: break
    }
    if isJSON {
      for event in EventLine.events(of: report, connection) {
        if let line = event.line { post { [self] in write(line + "\n") } }
      }
    } else if case .beat(let beat, let time) = report, beat.role != .subdivision {
      post(at: DispatchTime(uptimeNanoseconds: time)) { [self] in show(beat) }
    } else if case .changed(let old, let new) = report {
      let isShown = old.progress != new.progress || old.isPlaying != new.isPlaying
      post { [self] in
        progress.line = new.progress?.line ?? ""
        progress.standing = new.isPlaying ? nil : new.progress.map { $0.isPaused ? "paused" : "stopped" }
        if isShown { showStanding() }
      }
    }
  }

  /// What stands before the beat while a session plays; used on `queue` alone.
  private final class SessionLine: @unchecked Sendable {
    // `@unchecked`: touched on one serial queue.
    var line = ""
    /// What stands in the beat's place while it doesn't play; nil while it does.
    var standing: String?
  }

  /// Has something shown, unless too much waits already.
  private func post(at time: DispatchTime? = nil, _ show: @escaping @Sendable () -> Void) {
    guard waiting.load(ordering: .relaxed) < Display.mostWaiting else { return }
    waiting.add(1, ordering: .relaxed)
    let work = DispatchWorkItem { [self] in
      show()
      waiting.subtract(1, ordering: .relaxed)
    }
    if let time { queue.asyncAfter(deadline: time, execute: work) } else { queue.async(execute: work) }
  }

  private var lineStart: String { isTerminal ? "\r\u{1B}[K" : "" }

  private func show(_ beat: Event.Beat) {
    let mark = beat.strength == 0 ? "·" : beat.role == .accent ? "●" : beat.strength < 1 ? "◦" : "○"
    // A beat that was on its way when all stopped would hide that.
    guard beat.role != .cue, progress.standing == nil else { return }
    show("bar \(beat.bar)  beat \(beat.beat)  \(mark)")
  }

  /// Where the session stands while it doesn't play: a drummer sees which song waits.
  private func showStanding() {
    if let standing = progress.standing, !isJSON { show(standing) }
  }

  /// Shows the session's line and what comes behind it, in one row of the terminal.
  private func show(_ end: String) {
    guard isTerminal else { return write(progress.line + end + "\n") }
    var size = winsize()
    let columns =
      ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    let room = columns - 1 - end.count
    let line = progress.line
    write(lineStart + (line.count > room ? line.prefix(max(0, room - 2)) + "… " : line) + end)
  }

  private func write(_ text: String) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch {
      if !isClosed.exchange(true, ordering: .relaxed) { onClosedOutput() }
    }
  }
}
