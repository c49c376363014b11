import Foundation

/// Plays sets of ten songs, one after the other.
struct SetCampaign {
  private(set) var sets = 0
  private(set) var sum = PlayedSet.Outcome()
  private(set) var digest: UInt64 = 0
  /// The seeds that have failed, and their faults.
  private(set) var faults: [(seed: UInt64, what: String)] = []

  /// - Parameter say: receives a progress line about once a minute.
  /// - Returns: whether no fault was found.
  mutating func run(_ seeds: Range<UInt64>, say: (String) -> Void = { _ in }) throws -> Bool {
    var last = ContinuousClock.now
    for seed in seeds {
      add(try PlayedSet(seed: seed).run(), seed)
      if let (failed, what) = faults.last, failed == seed { say("set \(seed): FAULT: \(what)") }
      guard ContinuousClock.now - last > .seconds(60) else { continue }
      last = .now
      say("\(self)")
    }
    say("\(self)")
    return faults.isEmpty
  }

  private mutating func add(_ outcome: PlayedSet.Outcome, _ seed: UInt64) {
    sets += 1
    sum.presses += outcome.presses
    sum.beats += outcome.beats
    sum.clips += outcome.clips
    sum.time += outcome.time
    var own = outcome.digest
    own.add(seed)
    digest &+= own.value
    if let what = outcome.fault { faults.append((seed, what)) }
  }
}

extension SetCampaign: CustomStringConvertible {
  var description: String {
    let hours = (Double(sum.time) / 3.6e10).rounded() / 100
    let failed =
      faults.isEmpty ? "no fault" : "faults with seeds " + faults.map { "\($0.seed)" }.joined(separator: ", ")
    let digits = String(digest, radix: 16)
    return
      "\(sets) sets, \(sets * Gig.songCount) songs, \(failed): \(sum.presses) presses, \(sum.beats) beats judged, "
      + "\(sum.clips) clips, \(hours) hours, digest " + String(repeating: "0", count: 16 - digits.count)
      + digits
  }
}
