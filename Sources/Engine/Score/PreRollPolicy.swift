import MusicTime

/// How much is counted before the music begins, wherever it begins.
package struct PreRollPolicy: BitwiseCopyable, Hashable, Sendable {
  /// The maximum length of a pre-roll in seconds, unless one bar is longer: a transport must not seem to hang.
  package static let limit = 60.0

  /// The minimum number of bars; 0 for none.
  package var bars = 0
  /// The minimum length in seconds, rounded up to whole bars; 0 for none.
  package var seconds = 0.0

  package init() {}

  /// - Thread: any, audio
  package var isOn: Bool { @_noLocks get { bars > 0 || seconds > 0 } }

  /// The number of bars to count.
  /// - Parameter bar: the length of one, in seconds.
  /// - Thread: audio
  @_noLocks
  func count(ofBars bar: Double) -> Int {
    guard bar > 0 else { return 0 }
    let most = max(1, Int(min(PreRollPolicy.limit / bar, 1_000)))
    let wanted = min(seconds / bar, 1_000)
    let whole = Int(wanted)
    return min(max(bars, Double(whole) < wanted ? whole + 1 : whole), most)
  }
}
