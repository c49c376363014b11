import Control
import PracticeLog
import Realtime
import Recording
import TimeCheck

/// The practice log of a run.
extension PlaySession {
  /// The logger for the run's takes; nil if Tactus does not listen, or if the run must not be logged.
  static func logger(
    _ options: Play, _ settings: Settings, _ display: Display, _ updates: UpdateQueue, _ state: RunState
  ) -> TakeLogger? {
    guard settings.listening.isOn, !options.listening.noLog else { return nil }
    guard LogDatabase.isIncluded else {
      if settings[Parameters.keepsLog] {
        display.warn("takes are not kept: this Tactus was built without the practice log")
      }
      return nil
    }
    return TakeLogger(.own, isOn: settings[Parameters.keepsLog]) { text in
      // Before the end the panel may control the terminal and shows the warning. At the end it is gone.
      if state.isEnding { display.warn(text) } else { updates.push(Request(.problem(text))) }
    }
  }

  /// Writes the remaining takes and prints what the run has kept. Call it after the last take.
  func finishLog() {
    guard let logger else { return }
    // SQLite waits five seconds for another program.
    let (kept, lost) = logger.finish(within: .seconds(6))
    if lost > 0 {
      display.warn("\(lost) \(lost == 1 ? "take was" : "takes were") not kept in the practice log")
    }
    guard kept.takes > 0 else { return }
    let figures = kept.words.isEmpty ? "" : ": \(kept.words)"
    display.say("\(kept.amount)\(figures). Kept in \(LogFile.own.path): tactus log shows it.")
  }
}

extension TakeLogger {
  /// Logs the take of a report, with the place of its recording.
  /// - Thread: control
  func observe(_ report: Report, _ setup: ListeningSetup, _ recorder: Recorder?) {
    switch report {
    case .changed(let old, let new):
      let keepsLog = new.settings[Parameters.keepsLog]
      if keepsLog != old.settings[Parameters.keepsLog] { turn(on: keepsLog) }
    case .timing(.take(let report)):
      var take = LoggedTake(report, now: Instant.now.onWallClock / 1_000_000)
      if let recorder, let first = report.take.entries.first, let last = report.take.entries.last,
        let place = recorder.place(from: first.frame, to: last.frame)
      {
        take.recording = LoggedTake.Recorded(file: place.file, seconds: place.seconds, lost: place.lost)
      }
      keep(take, LoggedHit.hits(of: report.take, setup))
    default: break
    }
  }
}
