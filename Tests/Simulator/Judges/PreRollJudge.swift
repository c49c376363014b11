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

  /// Whether the next beat must be counted, or none until the next event; nil if neither is known.
  private var expected: Bool?
  /// Whether the music has begun since it last stood.
  private(set) var hasBegun = false
  /// Number of starts that were judged.
  private(set) var starts = 0
  /// Number of beats after moves that were judged.
  private(set) var beatsAfterMoves = 0

  /// Forgets the count, because an event may begin or end one, or change its length.
  mutating func forget() { counted = nil }

  /// Expects that the next beat is counted, because standing music is started, or that none is, because the transport is moved
  /// while it rolls; nil: expects nothing.
  mutating func expect(isCounted: Bool?) { expected = isCounted }

  /// Notes that the music stands: what is counted next is another count.
  mutating func noteStop() { (counted, isCounting, hasBegun) = (nil, false, false) }

  /// Notes missed cycles, after which a start may be a move.
  mutating func noteGap() { if expected == true { expected = nil } }

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
    if let what = judgeBegin(beat) { return what }
    guard !beat.isCounted else {
      if !isCounting, beat.beat == 1, beat.time >= wholeFrom { counted = (beat.bar, 0) }
      (isCounting, hasBegun) = (true, false)
      // After the whole bars come the beats before the music's place in its bar.
      if beat.bar < 1 { counted?.beats += 1 }
      return nil
    }
    defer { (counted, isCounting, hasBegun) = (nil, false, true) }
    guard beat.time >= settledAt, let counted else { return nil }
    judged += 1
    let bars = bars ?? 1 - counted.first
    guard counted.first == 1 - bars, counted.beats == bars * beats else {
      return
        "\(counted.beats) beats were counted from bar \(counted.first) on, should be \(bars) bars of \(beats)"
    }
    return nil
  }

  private mutating func judgeBegin(_ beat: Subscriber.Beat) -> String? {
    guard let expected, beat.time >= settledAt else { return nil }
    if expected {
      starts += 1
      self.expected = nil
      return beat.isCounted ? nil : "the music began without its pre-roll"
    }
    // Beats that were rendered before the move took effect may still be reported, so all beats until the next event are judged.
    beatsAfterMoves += 1
    return beat.isCounted ? "a transport that was moved while it rolled was counted for" : nil
  }
}
