import Control
import Dispatch
import Engine
import Files
import Foundation
import Glibc
import MusicTime
import Panel
import Realtime
import Synchronization

/// What is told line by line: bar and beat as they sound, and what goes wrong; or events as JSON for a program.
///
/// Beats are told ahead of their sound; they are shown when they sound.
final class Display: Sendable {
  private let isJSON: Bool
  private let queue = DispatchQueue(label: "tactus.display")
  private let progress = SessionLine()
  private let onClosedOutput: @Sendable () -> Void
  private let isClosed = Atomic<Bool>(false)
  private let wasUnwritable = Atomic<Bool>(false)
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
    post { [self] in if !isJSON { write(text + "\n") } }
  }

  /// Something that went wrong, on standard error.
  func warn(_ text: String) {
    post { try? FileHandle.standardError.write(contentsOf: Data("tactus: \(text)\n".utf8)) }
  }

  /// Shows everything that is left; waits half a second for a slow reader.
  func flush() {
    let written = MonotonicSemaphore()
    queue.async { written.signal() }
    _ = written.wait(for: .milliseconds(500))
  }

  /// An observer of the conductor.
  /// - Parameter connection: where Tactus is to be found.
  /// - Thread: control
  func observe(_ report: Report, _ connection: () -> Connection) {
    switch report {
    case .warning(let text), .losses(let text): warn(text)
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
    } else if case .changed(_, let new) = report {
      post { [self] in progress.line = new.progress?.line ?? "" }
    }
  }

  /// What stands before the beat while a session plays; used on `queue` alone.
  private final class SessionLine: @unchecked Sendable {
    // `@unchecked`: touched on one serial queue.
    var line = ""
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

  private func show(_ beat: Event.Beat) {
    let mark = beat.strength == 0 ? "·" : beat.role == .accent ? "●" : beat.strength < 1 ? "◦" : "○"
    guard beat.role != .cue else { return }
    write("\(progress.line)bar \(beat.bar)  beat \(beat.beat)  \(mark)\n")
  }

  /// Where nobody reads any more that is an end; where there is no room, as on a full disk, it is said once and played on.
  private func write(_ text: String) {
    var text = text
    let failure = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
    if failure == EPIPE {
      if !isClosed.exchange(true, ordering: .relaxed) { onClosedOutput() }
    } else if !wasUnwritable.exchange(failure != 0, ordering: .relaxed), failure != 0 {
      warn("output: \(String(cString: strerror(failure))): playing on without it")
    }
  }
}
