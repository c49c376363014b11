import Foundation
import TestBench

/// Where and when a benchmark ran.
struct Machine: Codable {
  var date: String
  var description: String
  /// The load average of the minute before.
  var load: Double

  static func now() -> Machine {
    var loads = [0.0]
    getloadavg(&loads, 1)
    let date = Date().formatted(.iso8601.year().month().day())
    let cores = ProcessInfo.processInfo.activeProcessorCount
    return Machine(
      date: date, description: "\(cores) cores, \(processor), jackd's dummy driver", load: loads[0])
  }

  private static var processor: String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
      ?? "unknown processor"
  }
}
