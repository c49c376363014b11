import MusicTime

/// How late an input hears the click, beyond the latencies that JACK knows.
package struct Calibration: Equatable, Sendable {
  /// The short name of the input's JACK port.
  package var port: String
  /// The first port to which it was connected; empty if there was none.
  package var device: String
  /// The mode of the audio input: each detector has a delay of its own. nil for notes, and if it was not saved.
  package var mode: ListeningSetup.Mode?
  /// The server's period at the measurement, in frames.
  package var period: Int
  /// In frames per second.
  package var sampleRate: Int
  /// Subtracted from the time of each hit, in milliseconds.
  package var offset: Double
  /// The standard deviation of the measured times, in milliseconds.
  package var spread: Double
  /// The largest peak with which the input heard the click, full scale is 1; 0 if it was not measured.
  package var bleed: Float
  /// The click that was heard; nil if it was not saved.
  package var click: Click?

  /// What determines the level of a click before the speakers.
  package struct Click: Equatable, Sendable {
    /// The volume of the loudest beat, 0…1.
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

  /// The peak with which the input hears a click, computed from its volume; the measured peak if one of the clicks is not
  /// known.
  package func bleed(of click: Click?) -> Float {
    guard let click, let measured = self.click, measured.volume > 0 else { return bleed }
    return bleed * Float(min(click.volume / measured.volume, 1_000))
  }

  /// Whether it was measured with this port, device, mode, period and sample rate.
  package func fits(
    port: String, device: String, mode: ListeningSetup.Mode?, period: Int, sampleRate: Int
  ) -> Bool {
    self.port == port && self.device == device && (self.mode == nil || self.mode == mode)
      && self.period == period && self.sampleRate == sampleRate
  }
}

/// A calibration in progress: an input hears some clicks, with the player silent.
package struct ClickCalibration: Equatable, Sendable {
  /// How many clicks are sent, and how many of them the input must hear.
  package static let (clicks, fewest) = (8, 6)
  /// The largest standard deviation of a valid measurement, in milliseconds.
  package static let widest = 5.0
  /// The latest and the earliest time at which an input may hear a click, after and before the click's own time, in seconds. It
  /// is heard early if JACK reports more latency than there is.
  private static let (longest, earliest) = (0.4, 0.1)

  /// The input that is calibrated.
  package let source: HitSource
  private let sampleRate: Int
  private var onsets: [ClockFrame] = []
  private var hits: [Hit] = []

  package init(of source: HitSource, sampleRate: Int) {
    (self.source, self.sampleRate) = (source, sampleRate)
  }

  /// Notes a click. Clicks after the eighth are ignored.
  /// - Parameter frame: the clock frame at which it leaves the speakers.
  package mutating func note(click frame: ClockFrame) {
    if left > 0 { onsets.append(frame) }
  }

  /// Notes a sound; those of other inputs are ignored.
  package mutating func note(_ hit: Hit) {
    if hit.source == source, hits.count < 1_000 { hits.append(hit) }
  }

  /// How many clicks have not been sent yet.
  package var left: Int { ClickCalibration.clicks - onsets.count }

  /// The clock frame after which the result is known; nil before the last click was sent.
  package var end: ClockFrame? {
    left == 0 ? onsets.last.map { $0 + frames(2 * ClickCalibration.longest + 0.4) } : nil
  }

  /// The median and standard deviation of the clicks' delays, in milliseconds, and the largest peak. Call it after `end`.
  package func result() -> Result<(offset: Double, spread: Double, bleed: Float), CalibrationError> {
    let shortest = zip(onsets, onsets.dropFirst()).map { $1 - $0 }.min() ?? frames(1)
    // Clicks may be closer together, because the tempo may change during the calibration.
    let longest = max(
      min(frames(ClickCalibration.longest), shortest - frames(ClickCalibration.earliest) - 1), 0)
    var (lates, levels): ([Double], [Float]) = ([], [])
    var found: [ClockFrame] = []
    for onset in onsets {
      let range = (onset - frames(ClickCalibration.earliest))...(onset + longest)
      let near = hits.filter { range.contains($0.frame) }
      // Echoes of the room are softer, and follow at once.
      let loudest = near.reduce(0) { max($0, $1.strength) }
      guard let first = near.filter({ $0.strength >= 0.9 * loudest }).min(by: { $0.frame < $1.frame }) else {
        continue
      }
      found.append(first.frame)
      lates.append(Double(first.frame - onset) / Double(sampleRate) * 1_000)
      levels.append(first.strength)
    }
    guard lates.count >= ClickCalibration.fewest else { return .failure(.heard(lates.count)) }
    let strays = hits.count { hit in !found.contains { abs(hit.frame - $0) < frames(0.15) } }
    guard strays <= 2 else { return .failure(.strange(strays)) }
    let middle = Middle(of: lates)
    guard middle.spread <= ClickCalibration.widest else { return .failure(.spread(middle.spread)) }
    return .success((middle.median, middle.spread, levels.max() ?? 0))
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }
}
