/// Finds out whether an input still hears the click as in its calibration: with headphones on, or on a trigger, it hears none.
///
/// Clicks near which nothing at all is heard tell that it does not. What is heard where the click would be, and as loud, time and
/// again, tells that it does.
struct BleedWatch: Sendable {
  /// So many clicks in a row without a sound; and so many in a row with what may be the click itself.
  private static let (silent, alike) = (6, 8)
  /// How far from its time the click is heard at most, in seconds.
  private static let reach = 0.003
  /// How loud it is then, as a part of what it was in the calibration.
  private static let loudness: ClosedRange<Float> = 0.4...1.33
  /// A sound from so long before a click on may hide it, and one until so long after it may be it; in seconds.
  private static let (shadow, length) = (0.110, 0.040)

  /// Whether the click is taken to be heard.
  private(set) var hearsClick = true
  private var silent = 0
  private var alike = 0
  private let sampleRate: Double

  init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

  /// How long after a click all is known of it, in seconds: a listener on a busy machine comes late.
  static let patience = 0.500
  /// For how long what was heard is kept, in seconds.
  static let memory = 2.0

  /// Notes a click of full loudness.
  /// - Parameters:
  ///   - heard: what the input heard around it, less its calibrated lateness.
  ///   - bleed: the peak that it had in the calibration.
  /// - Returns: whether `hearsClick` is another now.
  mutating func note(click frame: Int64, heard: [Hit], bleed: Float) -> Bool {
    let near = heard.filter {
      $0.frame > frame - frames(BleedWatch.shadow) && $0.frame < frame + frames(BleedWatch.length)
    }
    if near.isEmpty {
      (silent, alike) = (silent + 1, 0)
    } else if near.contains(where: { isAlike($0, frame, bleed) }) {
      (silent, alike) = (0, alike + 1)
    } else {
      // A stroke covers it: nothing is known.
      alike = 0
    }
    let was = hearsClick
    if silent >= BleedWatch.silent { hearsClick = false }
    if alike >= BleedWatch.alike { hearsClick = true }
    return hearsClick != was
  }

  private func isAlike(_ hit: Hit, _ click: Int64, _ bleed: Float) -> Bool {
    abs(hit.frame - click) <= frames(BleedWatch.reach)
      && BleedWatch.loudness.contains(hit.strength / bleed)
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * sampleRate) }
}

/// Which inputs still hear the click as in their calibrations.
struct BleedWatches: Sendable {
  /// The most clicks and sounds that wait.
  private static let limit = 512

  private let sampleRate: Int
  private var watches: [HitSource: BleedWatch] = [:]
  /// Clicks of which not all is known yet, and what was heard around them.
  private var clicks: [Int64] = []
  private var heard: [Hit] = []

  init(sampleRate: Int) { self.sampleRate = sampleRate }

  func hearsClick(_ source: HitSource) -> Bool { watches[source]?.hearsClick ?? true }

  /// Notes a click as loud as those of a calibration, by the frame at which it leaves the speakers.
  mutating func note(click frame: Int64) {
    if clicks.count < BleedWatches.limit { clicks.append(frame) }
  }

  /// Notes what an audio input heard, before any gate, less its calibrated lateness.
  mutating func note(_ hit: Hit) {
    if heard.count < BleedWatches.limit { heard.append(hit) }
  }

  /// Looks at the clicks of which all is known.
  /// - Parameters:
  ///   - frame: the frame that has been heard.
  ///   - bleeds: the peaks that the click had in the inputs' calibrations.
  /// - Returns: whether an input is another now.
  mutating func settle(heardUpTo frame: Int64, _ bleeds: [HitSource: Float]) -> Bool {
    let ready = clicks.prefix { $0 + frames(BleedWatch.patience) < frame }
    var hasChanged = false
    for (source, bleed) in bleeds where bleed > 0 && !ready.isEmpty {
      let own = heard.filter { $0.source == source }
      for click in ready {
        let isNew = watches[source, default: BleedWatch(sampleRate: sampleRate)].note(
          click: click, heard: own, bleed: bleed)
        hasChanged = hasChanged || isNew
      }
    }
    clicks.removeFirst(ready.count)
    let begin = frame - frames(BleedWatch.memory)
    heard.removeAll { $0.frame < begin }
    return hasChanged
  }

  /// Takes all inputs to hear the click again.
  mutating func reset() { self = BleedWatches(sampleRate: sampleRate) }

  /// Takes those inputs to hear the click again for which that is so.
  mutating func forget(where isKnown: (HitSource) -> Bool) { watches = watches.filter { !isKnown($0.key) } }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }
}
