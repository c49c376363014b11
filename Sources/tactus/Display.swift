import Control
import Dispatch
import Engine
import Foundation
import MusicTime

/// What the player reads: bar and beat as they sound, and what goes wrong; or events as JSON for a program.
///
/// Beats are told ahead of their sound; they are shown when they sound.
final class Display: Sendable {
  private let isJSON: Bool
  private let isTerminal = isatty(STDOUT_FILENO) != 0
  private let queue = DispatchQueue(label: "tactus.display")

  private let onClosedOutput: @Sendable () -> Void

  /// - Parameter onClosedOutput: called when nobody reads the output any more.
  init(isJSON: Bool, onClosedOutput: @escaping @Sendable () -> Void) {
    self.isJSON = isJSON
    self.onClosedOutput = onClosedOutput
  }

  /// A line for people, before the playing begins.
  func say(_ text: String) {
    queue.async { [self] in if !isJSON { write(lineStart + text + "\n") } }
  }

  /// Something that went wrong, on standard error.
  func warn(_ text: String) {
    queue.async { [self] in
      let start = isTerminal ? "\r\u{1B}[K" : ""
      FileHandle.standardError.write(Data("\(start)tactus: \(text)\n".utf8))
    }
  }

  /// Shows everything that is left, and the cursor on a line of its own.
  func end() {
    queue.sync { [self] in
      if isTerminal, !isJSON { write("\n") }
    }
  }

  /// An observer of the conductor.
  /// - Thread: control
  func observe(_ report: Report) {
    switch report {
    case .warning(let text): warn(text)
    case .host(.lost(let reason)): warn("\(reason): waiting for it to come back")
    case .host(.connected), .finished, .beat, .changed: break
    }
    if isJSON {
      if let line = EventLine(report)?.line { queue.async { [self] in write(line + "\n") } }
    } else if case .beat(let beat, let time) = report, beat.role != .subdivision {
      queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { [self] in show(beat) }
    }
  }

  private var lineStart: String { isTerminal ? "\r\u{1B}[K" : "" }

  private func show(_ beat: Event.Beat) {
    let mark = beat.strength == 0 ? "·" : beat.role == .accent ? "●" : beat.strength < 1 ? "◦" : "○"
    let text = "bar \(beat.bar)  beat \(beat.beat)  \(mark)"
    write(isTerminal ? lineStart + text : text + "\n")
  }

  private func write(_ text: String) {
    do { try FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) } catch { onClosedOutput() }
  }
}
