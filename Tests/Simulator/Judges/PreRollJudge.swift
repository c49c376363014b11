/// Judges whether the requested number of whole bars is counted before the music begins.
struct PreRollJudge {
  /// The first bar of the count, and its beats so far; nil if there is no count, or if something has changed since it began.
  private var counted: (first: Int, beats: Int)?
  private(set) var isCounting = false
  /// Number of counts that were judged.
  private(set) var judged = 0

  /// Until when counts may be cut short, and until when counts may begin that are cut short later.
  private var settledAt: UInt64 = 0
  private var wholeFrom: UInt64 = 0

  /// When music was started that must be counted for; nil if none was, or if something has changed since.
  private var startedAt: UInt64?

  /// Forgets the count, because an event may begin or end one, or change its length.
  mutating func forget() { (counted, startedAt) = (nil, nil) }

  /// Notes that standing music with a pre-roll is started: its next beat must be counted.
  mutating func noteStart(at time: UInt64) { startedAt = time }

  /// Notes that counts may be cut short until a time.
  mutating func unsettle(until time: UInt64) { settledAt = max(settledAt, time) }

  /// Notes that counts that begin before a time may be cut short: another meter or missed cycles take beats from them.
  mutating func forget(begunBefore time: UInt64) {
    forget()
    wholeFrom = max(wholeFrom, time)
  }

  /// - Parameters:
  ///   - bars: how many are to be counted; nil if that is not known.
  ///   - beats: of a bar.
  /// - Returns: what is wrong; nil if nothing is.
  mutating func judge(_ beat: Subscriber.Beat, bars: Int?, of beats: Int) -> String? {
    guard !beat.isCounted else {
      if !isCounting, beat.beat == 1, beat.time >= wholeFrom { counted = (beat.bar, 0) }
      (isCounting, startedAt) = (true, nil)
      // After the whole bars come the beats before the music's place in its bar.
      if beat.bar < 1 { counted?.beats += 1 }
      return nil
    }
    defer { (counted, isCounting, startedAt) = (nil, false, nil) }
    guard beat.time >= settledAt else { return nil }
    if let startedAt, beat.time > startedAt { return "the music began without its pre-roll" }
    guard let counted else { return nil }
    judged += 1
    let bars = bars ?? 1 - counted.first
    guard counted.first == 1 - bars, counted.beats == bars * beats else {
      return
        "\(counted.beats) beats were counted from bar \(counted.first) on, should be \(bars) bars of \(beats)"
    }
    return nil
  }
}
