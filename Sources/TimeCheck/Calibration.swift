/// How late an input hears what leaves the speakers, beyond the latencies that JACK knows.
package struct Calibration: Equatable, Sendable {
  /// The JACK port of the input, and what it is connected to.
  package var port: String
  package var device: String
  /// How an audio input was listened to: each detector has a delay of its own. nil for notes, and where it was not noted.
  package var mode: ListeningSetup.Mode?
  /// Of the server, when it was measured: frames of a cycle, and frames a second.
  package var period: Int
  package var sampleRate: Int
  /// In milliseconds: what is taken from each hit's time, and how far the measured ones scattered.
  package var offset: Double
  package var spread: Double
  /// The peak with which the click was heard.
  package var bleed: Float
  /// What was heard; nil where that was not noted.
  package var click: Click?

  /// What decides how loud a click is before the speakers.
  package struct Click: Equatable, Sendable {
    /// 0…1, of the loudest beat.
    package var volume: Double
    /// The sound's name.
    package var sound: String

    package init(volume: Double, sound: String) { (self.volume, self.sound) = (volume, sound) }
  }

  package init(
    port: String, device: String, mode: ListeningSetup.Mode? = nil, period: Int, sampleRate: Int,
    offset: Double, spread: Double, bleed: Float, click: Click? = nil
  ) {
    (self.mode, self.click) = (mode, click)
    (self.port, self.device, self.period, self.sampleRate) = (port, device, period, sampleRate)
    (self.offset, self.spread, self.bleed) = (offset, spread, bleed)
  }

  /// The peak with which a click is heard that is as loud as its volume says.
  package func bleed(of click: Click?) -> Float {
    guard let click, let measured = self.click, measured.volume > 0 else { return bleed }
    return bleed * Float(min(click.volume / measured.volume, 1_000))
  }

  /// Whether it was measured under these circumstances.
  package func fits(
    port: String, device: String, mode: ListeningSetup.Mode?, period: Int, sampleRate: Int
  ) -> Bool {
    self.port == port && self.device == device && (self.mode == nil || self.mode == mode)
      && self.period == period && self.sampleRate == sampleRate
  }
}

/// A calibration while it is measured: some clicks that an input hears, with the player silent.
package struct CalibrationRun: Equatable, Sendable {
  /// How many clicks are heard, and how many of them must come back.
  package static let (clicks, fewest) = (8, 6)
  /// The largest standard deviation of a sound measurement, in milliseconds.
  package static let widest = 5.0
  /// The longest way from the speaker through the input, and how far a click may seem to come back before it was sent, as where
  /// JACK tells more latency than there is; in seconds.
  private static let (longest, earliest) = (0.4, 0.1)

  package let source: HitSource
  private let sampleRate: Int
  private var onsets: [Int64] = []
  private var hits: [Hit] = []

  package init(of source: HitSource, sampleRate: Int) {
    (self.source, self.sampleRate) = (source, sampleRate)
  }

  /// Notes a click, unless there were enough.
  /// - Parameter frame: the clock frame at which it leaves the speakers.
  package mutating func note(click frame: Int64) {
    if left > 0 { onsets.append(frame) }
  }

  package mutating func note(_ hit: Hit) {
    if hit.source == source, hits.count < 1_000 { hits.append(hit) }
  }

  /// How many clicks are still to be sent.
  package var left: Int { CalibrationRun.clicks - onsets.count }

  /// The clock frame after which the last click has come back; nil before it was sent.
  package var end: Int64? {
    left == 0 ? onsets.last.map { $0 + frames(2 * CalibrationRun.longest + 0.4) } : nil
  }

  /// The median of what came back: offset, spread and level.
  package func result() -> Result<(offset: Double, spread: Double, bleed: Float), CalibrationError> {
    let shortest = zip(onsets, onsets.dropFirst()).map { $1 - $0 }.min() ?? frames(1)
    // Clicks may be too close together, as where the tempo is changed meanwhile.
    let longest = max(min(frames(CalibrationRun.longest), shortest - frames(CalibrationRun.earliest) - 1), 0)
    var (lates, levels): ([Double], [Float]) = ([], [])
    var found: [Int64] = []
    for onset in onsets {
      let range = (onset - frames(CalibrationRun.earliest))...(onset + longest)
      let heard = hits.filter { range.contains($0.frame) }
      // What the room sends back is softer, and follows at once.
      let loudest = heard.reduce(0) { max($0, $1.strength) }
      guard let first = heard.filter({ $0.strength >= 0.9 * loudest }).min(by: { $0.frame < $1.frame }) else {
        continue
      }
      found.append(first.frame)
      lates.append(Double(first.frame - onset) / Double(sampleRate) * 1_000)
      levels.append(first.strength)
    }
    guard lates.count >= CalibrationRun.fewest else { return .failure(.heard(lates.count)) }
    let strays = hits.count { hit in !found.contains { abs(hit.frame - $0) < frames(0.15) } }
    guard strays <= 2 else { return .failure(.strange(strays)) }
    let middle = Middle(of: lates)
    guard middle.spread <= CalibrationRun.widest else { return .failure(.spread(middle.spread)) }
    return .success((middle.median, middle.spread, levels.max() ?? 0))
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }
}
