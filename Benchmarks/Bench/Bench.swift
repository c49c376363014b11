import ArgumentParser
import EngineBench
import Foundation

@main
enum Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    // Commands that the benchmarks run. They are handled first because valgrind cannot run Swift's concurrency.
    case "empty-client": runEmptyClient()
    case "listen": try runListen(arguments[2], Array(arguments.dropFirst(2)))
    case "engine": try QuietRun.render(.init(rawValue: arguments[2])!, periods: Int(arguments[3])!)
    default:
      Task {
        await Bench.main()
        exit(0)
      }
      dispatchMain()
    }
  }
}

/// Measures Tactus against its peers, side by side.
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure Tactus against its peers.",
    discussion: "Run it by `make bench`: JACK servers and ports are its own then.",
    subcommands: [Run.self, Docs.self], defaultSubcommand: Run.self)

  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run benchmarks: all, or those that are named.")

    @Argument(help: "\(benchmarks.map(\.name).joined(separator: ", ")).") var names: [String] = []
    @Option(help: "The folder for JSON and plots.") var output = "bench-results"
    @Flag(help: "Measure for seconds instead of minutes: for a first look, not for publication.") var quick =
      false

    func validate() throws {
      for name in names where !benchmarks.contains(where: { $0.name == name }) {
        let all = benchmarks.map(\.name).joined(separator: ", ")
        throw ValidationError("no benchmark is called \(name); there are \(all)")
      }
    }

    func run() async throws {
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
      for benchmark in benchmarks where names.isEmpty || names.contains(benchmark.name) {
        let machine = Machine.now()
        do {
          var report = try await benchmark.measure(quick)
          report.machine = machine
          say(report.text)
          try report.write(to: output)
        } catch {
          // A benchmark that cannot run here must not stop the others.
          say("\n== \(benchmark.name): not measured: \(error)")
        }
      }
      say("\nJSON and plots: \(output)")
    }
  }

  struct Docs: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the last results into docs/benchmarks.md.")

    @Argument(help: "The document.") var path = "docs/benchmarks.md"
    @Option(help: "The folder with the results.") var output = "bench-results"

    func run() throws {
      // `make browser` writes these results.
      let browser = ["page", "crowd"]
      let reports = (benchmarks.map(\.name) + browser).compactMap { name in
        (try? Data(contentsOf: URL(filePath: "\(output)/\(name).json")))
          .flatMap { try? JSONDecoder().decode(Report.self, from: $0) }
      }
      guard !reports.isEmpty else { throw ValidationError("there are no results in \(output)") }
      var text = try String(contentsOfFile: path, encoding: .utf8)
      // The benchmarks of listening have a table of their own: they need drums, libraries and programs of their own.
      let listening: Set = ["hearing", "listening"]
      let others = listening.union(browser)
      try write(reports.filter { !others.contains($0.name) }, between: "measured", into: &text)
      try write(reports.filter { listening.contains($0.name) }, between: "heard", into: &text)
      try write(reports.filter { browser.contains($0.name) }, between: "served", into: &text)
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Replaces the table between two marks, unless there are no reports.
    private func write(_ reports: [Report], between mark: String, into text: inout String) throws {
      guard !reports.isEmpty else { return }
      guard let begin = text.range(of: "<!-- \(mark) -->\n"), let end = text.range(of: "<!-- /\(mark) -->")
      else { throw ValidationError("\(path) has no <!-- \(mark) --> and <!-- /\(mark) -->") }
      text.replaceSubrange(begin.upperBound..<end.lowerBound, with: measuredTable(reports))
    }
  }
}

/// Prints a line at once, also into a pipe: a benchmark takes minutes.
private func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

/// A benchmark's name and function; `quick` makes it take seconds instead of minutes.
struct Benchmark {
  let name: String
  let measure: @Sendable (_ quick: Bool) async throws -> Report
}

let benchmarks = [
  Benchmark(name: "exactness", measure: Exactness.measure),
  Benchmark(name: "render", measure: RenderSpeed.measure),
  Benchmark(name: "callback", measure: CallbackCost.measure),
  Benchmark(name: "control", measure: ControlLatency.measure),
  Benchmark(name: "mixing", measure: Mixing.measure),
  Benchmark(name: "scale", measure: Scale.measure),
  Benchmark(name: "footprint", measure: Footprint.measure),
  Benchmark(name: "hearing", measure: HearingQuality.measure),
  Benchmark(name: "listening", measure: ListeningCost.measure),
]

/// All claims as a Markdown table, and the machine on which they were measured.
private func measuredTable(_ reports: [Report]) -> String {
  let rows = reports.flatMap(\.claims).map { claim in
    let verdict = claim.isMet.map { claim.isSpoiled ? "no verdict" : $0 ? "met" : "**missed**" }
    let goal = verdict.map { "\(claim.goal): \($0)" } ?? claim.goal
    return "| \(claim.what) | \(claim.figure) | \(claim.peers) | \(goal) |"
  }
  let places = reports.compactMap(\.machine)
  let machines = Set(places.map { "\($0.date) on \($0.description)" }).sorted().joined(separator: "; ")
  let loads = places.map(\.load)
  let load = String(format: "%.1f to %.1f", loads.min() ?? 0, loads.max() ?? 0)
  return """
    | What | Tactus | Others | Goal |
    | --- | --- | --- | --- |
    \(rows.joined(separator: "\n"))

    Measured \(machines); load average \(load) before each.

    """
}
