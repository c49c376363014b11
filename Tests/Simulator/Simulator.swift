import Foundation

/// Runs the whole program in simulated time, from seeds, and looks for faults.
///
///     Simulator [--seed N] [--runs N] [--minutes N] [--flaw NAME] [--patience N] [--trace SECONDS] [--leaders | --connections | --transport | --sessions] [--pipewire] [--keep-going] [--verbose]
///     Simulator --sets N [--seed N]
@main
struct Simulator {
  static func main() {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      if options.sets > 0 {
        var campaign = SetCampaign()
        let seeds = options.seed..<options.seed + UInt64(options.sets)
        exit(
          try campaign.run(seeds) { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) } ? 0 : 1)
      }
      var campaign = Campaign(options)
      exit(try campaign.run() ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("simulator: \(error)\n".utf8))
      exit(error is Options.Wrong ? 64 : 70)
    }
  }
}

/// The options of the command line.
struct Options {
  /// The first seed, and the number of seeds.
  var seed: UInt64 = 1
  var runs = 1
  /// Number of sets of ten songs for a drummer; 0 for a campaign of faults.
  var sets = 0
  /// Simulated minutes per seed.
  var minutes = 60
  var flaw: Flaw?
  /// The maximum number of runs for shortening a history.
  var patience = 300
  /// For how many seconds before a fault the program's reports are printed.
  var traced = 0
  /// Whether the campaign continues after a fault.
  var keepsGoing = false
  /// The subject of the histories.
  var subject = Subject.everything
  /// Whether the server is PipeWire.
  var isPipeWire = false
  /// Whether it prints a line for each seed.
  var isVerbose = false

  struct Wrong: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: some Sequence<String>) throws(Wrong) {
    var rest = arguments.makeIterator()
    while let option = rest.next() {
      switch option {
      case "--keep-going": keepsGoing = true
      case "--verbose": isVerbose = true
      case "--leaders": subject = .leaders
      case "--connections": subject = .connections
      case "--transport": subject = .transport
      case "--sessions": subject = .sessions
      case "--pipewire": isPipeWire = true
      default:
        guard let value = rest.next() else { throw Wrong(description: "\(option): must have a value") }
        try set(option, value)
      }
    }
  }

  private mutating func set(_ option: String, _ value: String) throws(Wrong) {
    switch (option, UInt64(value)) {
    case ("--seed", let number?): seed = number
    case ("--runs", let number?) where 1...10_000_000 ~= number: runs = Int(number)
    case ("--sets", let number?) where 1...10_000_000 ~= number: sets = Int(number)
    case ("--minutes", let number?) where 1...100_000 ~= number: minutes = Int(number)
    case ("--patience", let number?) where 0...100_000 ~= number: patience = Int(number)
    case ("--trace", let number?) where 1...100_000 ~= number: traced = Int(number)
    case ("--flaw", _):
      guard let flaw = Flaw(rawValue: value) else {
        throw Wrong(
          description: "--flaw \(value): must be one of "
            + Flaw.allCases.map(\.rawValue).joined(separator: ", "))
      }
      self.flaw = flaw
    default:
      throw Wrong(
        description:
          "\(option) \(value): must be --seed, --runs, --sets, --minutes, --flaw, --patience, --trace, --leaders, --connections, --transport, --sessions, --pipewire, --keep-going or --verbose"
      )
    }
  }
}
