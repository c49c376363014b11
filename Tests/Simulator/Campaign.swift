import CMalloc
import Foundation
import Synchronization

/// Runs one seed after the other, for hours if asked, and prints progress lines.
struct Campaign {
  private let options: Options
  private var totals = Totals()
  private let begin = ContinuousClock.now
  private var lastNews = ContinuousClock.now
  /// The time between two progress lines.
  private static let pause = Duration.seconds(60)
  /// Allocated memory in bytes after the first seeds.
  private var memory: Int?
  private static let warmUp = 3
  /// Bytes by which it may grow afterwards.
  private static let largestGrowth = 4 << 20
  /// Whether a signal has requested the end; the current seed is finished first.
  private static let isAsked = Atomic<Bool>(false)

  init(_ options: Options) { self.options = options }

  /// - Returns: whether no fault was found.
  mutating func run() throws -> Bool {
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Campaign.isAsked.store(true, ordering: .relaxed) }
    }
    var seed = options.seed
    for _ in 0..<options.runs where !Campaign.isAsked.load(ordering: .relaxed) {
      let history = History(
        seed: seed, minutes: options.minutes, subject: options.subject, isPipeWire: options.isPipeWire)
      let outcome = try Simulation(history, flaw: options.flaw).run()
      totals.add(outcome, of: history)
      if options.isVerbose {
        say("seed \(seed): \(outcome.digest.text), \(outcome.counts), \(allocatedMemory >> 10) KB")
      }
      if outcome.fault != nil {
        let shrinker = Shrinker(flaw: options.flaw, patience: options.patience, traced: options.traced)
        say(try shrinker.report(history, outcome))
      }
      if totals.seeds == Campaign.warmUp { memory = allocatedMemory }
      if outcome.fault != nil, !options.keepsGoing { break }
      tellNews(seed)
      seed += 1
    }
    return conclude()
  }

  /// Prints a progress line if it is due.
  private mutating func tellNews(_ seed: UInt64) {
    guard ContinuousClock.now - lastNews > Campaign.pause else { return }
    lastNews = .now
    let passed = (ContinuousClock.now - begin) / .seconds(1)
    say("\(totals), \(Int(totals.hours * 3_600 / passed)) times real time")
  }

  private func conclude() -> Bool {
    say("\(totals)")
    say("deeds: \(totals.deedCounts)")
    say("judged: \(totals.sum.counts)")
    let growth = memory.map { allocatedMemory - $0 } ?? 0
    say(
      "memory: \(allocatedMemory >> 20) MB, \(growth >> 20) MB more than after \(Campaign.warmUp) seeds")
    if growth > Campaign.largestGrowth { say("FAULT: the memory grows") }
    return totals.failed.isEmpty && growth <= Campaign.largestGrowth
  }

  /// The allocated memory in bytes. The process may have more: memory that was freed between allocations.
  private var allocatedMemory: Int {
    let info = mallinfo2()
    return Int(info.uordblks + info.hblkhd)
  }

  private func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
}

/// The results of several seeds. Totals of ranges of seeds can be added, digests too, because they are sums.
struct Totals {
  private(set) var first: UInt64 = 0
  private(set) var seeds = 0
  private(set) var sum = Outcome()
  private(set) var digest: UInt64 = 0
  private(set) var deeds: [Deed.Kind: Int] = [:]
  /// The seeds that have failed.
  private(set) var failed: [UInt64] = []

  var hours: Double { Double(sum.time / 1_000_000_000) / 3_600 }

  mutating func add(_ outcome: Outcome, of history: History) {
    if seeds == 0 { first = history.seed }
    seeds += 1
    sum.add(outcome)
    var own = outcome.digest
    own.add(history.seed)
    digest &+= own.value
    for happening in history.happenings.prefix(outcome.deeds) { deeds[happening.deed.kind, default: 0] += 1 }
    if outcome.fault != nil { failed.append(history.seed) }
  }

  /// The deeds that happened, most frequent first.
  var deedCounts: String {
    deeds.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
      .map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", ")
  }
}

extension Totals: CustomStringConvertible {
  var description: String {
    let faults =
      failed.isEmpty
      ? "no fault" : "faults with seeds " + failed.map { "\($0)" }.joined(separator: ", ")
    let digits = String(digest, radix: 16)
    return
      "seeds \(first)…\(first + UInt64(max(seeds, 1)) - 1): \((hours * 100).rounded() / 100) hours, \(faults), "
      + "digest " + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
