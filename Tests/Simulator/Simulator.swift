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
    let reader = try OSCLine.makeReader()
    var total = Outcome()
    for seed in seed..<seed + UInt64(runs) {
      let history = History(seed: seed, minutes: minutes)
      let outcome = try Simulation(history, flaw: flaw, reader: reader).run()
      total.add(outcome)
      if !isQuiet {
        print(
          "seed \(seed): \(outcome.digest.text), \(outcome.lives) lives, \(outcome.beats) onsets told, "
            + "\(outcome.judged) judged exactly, \(outcome.near) nearly, \(outcome.ordered) in order, \(outcome.clips) clips, \(outcome.saves) saves"
        )
      }
      if outcome.fault != nil {
        print(try Shrinker(flaw: flaw, reader: reader).report(history, outcome))
        return false
      }
    }
    print(
      "\(runs) runs from seed \(seed) on: \(Double(total.time / 1_000_000_000) / 3_600) hours without a fault"
    )
    print(
      "digest \(total.digest.text), \(total.beats) onsets, \(total.judged) judged exactly, \(total.clips) clips"
    )
    return true
  }
}

extension Outcome {
  fileprivate mutating func add(_ other: Outcome) {
    time += other.time
    digest.add(other.digest.value)
    beats += other.beats
    judged += other.judged
    clips += other.clips
  }
}
