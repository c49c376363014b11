import OSC
import OSCControl

/// What the program reports from a time on, in words, for a reader who studies a fault: beats, errors, and values that change.
struct Trace {
  /// In nanoseconds of the simulated clock.
  let since: UInt64
  private(set) var lines: [String] = []
  private var values: [String: [OSCArgument]] = [:]

  init(since: UInt64) { self.since = since }

  private static let events: Set = ["/tactus/beat", "/tactus/error"]
  /// Messages that are left out, because they change all the time.
  private static let frequent = ["/tactus/progress", "/tactus/beat/", "/tactus/pong"]

  mutating func note(_ messages: [OSCMessage], at now: UInt64) {
    for message in messages where !Trace.frequent.contains(where: message.address.hasPrefix) {
      let hasChanged = values.updateValue(message.arguments, forKey: message.address) != message.arguments
      guard now >= since, hasChanged || Trace.events.contains(message.address) else { continue }
      let words = message.arguments.map { argument in
        argument.text ?? argument.integer.map { "\($0)" } ?? argument.number.map { "\($0)" } ?? "?"
      }
      let milliseconds = (now - Simulation.beginning) / 1_000_000
      lines.append("at \(Double(milliseconds) / 1_000) s: \(message.address) \(words.joined(separator: " "))")
    }
  }
}
