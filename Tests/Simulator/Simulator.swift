import Foundation

/// Runs the whole program in simulated time, from seeds, and looks for faults.
///
///     Simulator [--seed N] [--runs N] [--minutes N] [--flaw NAME] [--quiet]
@main
struct Simulator {
  static func main() {
    let options: Options
    do { options = try Options(CommandLine.arguments.dropFirst()) } catch {
      FileHandle.standardError.write(Data("simulator: \(error)\n".utf8))
      exit(64)
    }
    do {
      exit(try options.run() ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("simulator: \(error)\n".utf8))
      exit(70)
    }
  }
}

/// What the command line asks for.
struct Options {
  var seed: UInt64 = 1
  var runs = 1
  var minutes = 60
  var flaw: Flaw?
  var isQuiet = false

  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: some Sequence<String>) throws(Wrong) {
    var rest = arguments.makeIterator()
    while let option = rest.next() {
      if option == "--quiet" {
        isQuiet = true
        continue
      }
      guard let value = rest.next() else { throw Wrong(description: "\(option): must have a value") }
      switch (option, UInt64(value)) {
      case ("--seed", let number?): seed = number
      case ("--runs", let number?) where 1...10_000_000 ~= number: runs = Int(number)
      case ("--minutes", let number?) where 1...100_000 ~= number: minutes = Int(number)
      case ("--flaw", _):
        guard let flaw = Flaw(rawValue: value) else {
          throw Wrong(
            description: "--flaw \(value): must be one of "
              + Flaw.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.flaw = flaw
      default:
        throw Wrong(description: "\(option) \(value): must be --seed, --runs, --minutes, --flaw or --quiet")
      }
    }
  }

  /// - Returns: whether no fault was found.
  func run() throws -> Bool {
    var total = Outcome()
    var memory = 0
    for seed in seed..<seed + UInt64(runs) {
      let history = History(seed: seed, minutes: minutes)
      let outcome = try Simulation(history, flaw: flaw).run()
      total.add(outcome)
      if !isQuiet { say("seed \(seed): \(outcome.digest.text), \(outcome.summary)") }
      guard outcome.fault == nil else {
        say(try Shrinker(flaw: flaw).report(history, outcome))
        return false
      }
      // What the first runs need is not given back.
      if seed == self.seed + 2 { memory = residentMemory }
    }
    let hours = Double(total.time / 3_600_000_000) / 1_000
    say(
      "\(runs) runs from seed \(seed) on, \(hours) hours, without a fault: \(total.digest.text), \(total.summary)"
    )
    let growth = memory == 0 ? 0 : (residentMemory - memory) / 1_048_576
    say("memory: \(residentMemory / 1_048_576) MB, \(growth) MB more than after three runs")
    return growth < Options.longestGrowth
  }

  /// Megabytes by which the process may grow.
  private static let longestGrowth = 64

  /// Bytes of memory that the process has.
  private var residentMemory: Int {
    let numbers = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return (numbers.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4_096
  }

  private func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
}

extension Outcome {
  fileprivate var summary: String {
    "\(lives) lives, \(beats) onsets told, \(judged) judged exactly, \(near) nearly, \(ordered) in order, "
      + "\(starts) dated starts, \(clips) clips, \(saves) saves, \(steps) steps"
  }

  fileprivate mutating func add(_ other: Outcome) {
    time += other.time
    digest.add(other.digest.value)
    beats += other.beats
    judged += other.judged
    near += other.near
    ordered += other.ordered
    starts += other.starts
    clips += other.clips
    saves += other.saves
    lives += other.lives
    steps += other.steps
  }
}
