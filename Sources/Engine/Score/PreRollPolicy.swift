import MusicTime

/// How much is counted before the music begins, wherever it begins.
package struct PreRollPolicy: BitwiseCopyable, Hashable, Sendable {
  /// Seconds that a pre-roll lasts at most, unless one bar is longer: a transport must not seem to hang.
  package static let limit = 60.0

  /// Bars; 0 for none.
  package var bars = 0
  /// At least so many seconds, in whole bars.
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
