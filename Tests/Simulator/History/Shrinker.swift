import OSC
import OSCControl

/// Shortens a failing history as long as it fails in the same way, and reports it in words.
struct Shrinker {
  let flaw: Flaw?
  /// The maximum number of runs.
  var patience = 300
  /// For how many seconds before the fault the program's reports are printed.
  var traced = 0

  /// - Returns: the shortest history that was found, and its outcome.
  func shrink(_ history: History, _ outcome: Outcome) throws -> (History, Outcome) {
    guard let fault = outcome.fault else { return (history, outcome) }
    var (best, result) = (history, outcome)
    best.happenings.removeAll { $0.time > fault.time }
    var left = patience
    var size = max(best.happenings.count / 2, 1)
    while size >= 1, left > 0 {
      var start = 0
      var hasShrunk = false
      while start < best.happenings.count, left > 0 {
        var shorter = best
        shorter.happenings.removeSubrange(start..<min(start + size, shorter.happenings.count))
        left -= 1
        let outcome = try Simulation(shorter, flaw: flaw).run()
        if let found = outcome.fault, found.promise == fault.promise {
          (best, result, hasShrunk) = (shorter, outcome, true)
        } else {
          start += size
        }
      }
      if size == 1, !hasShrunk { break }
      size = max(size / 2, 1)
    }
    return (best, result)
  }

  /// The failure in words: the seed, the step, the fault, and the shortest history that causes it.
  func report(_ history: History, _ outcome: Outcome) throws -> String {
    guard let fault = outcome.fault else { return "no fault" }
    let (shortest, result) = try shrink(history, outcome)
    let end = result.fault?.time ?? fault.time
    var reports: [String] = []
    if traced > 0 {
      let start = end - min(end, UInt64(traced) * 1_000_000_000)
      reports = ["Reported before:"] + (try Simulation(shortest, flaw: flaw, traceStart: start).run().reports)
    }
    return """
      FAULT with seed \(history.seed) at step \(fault.step), \(Double(fault.time / 1_000_000) / 1_000) s: \(fault.promise.rawValue)
        \(fault.what)
      The shortest history found that leads to it (\(shortest.happenings.count) of \(history.happenings.count) deeds):
      \(shortest.reported(until: end).map { "  \($0)" }.joined(separator: "\n"))
        then: \(result.fault?.what ?? fault.what)
      \(reports.joined(separator: "\n  "))
      """
  }
}
