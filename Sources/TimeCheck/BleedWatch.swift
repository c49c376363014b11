/// Finds out whether an input still hears the click as in its calibration: with headphones on, or on a trigger, it hears none.
///
/// A click that is heard is at its place, and about as loud as it was. Where nothing is, or something soft elsewhere, none is heard.
/// A stroke that is louder hides it, and tells nothing.
struct BleedWatch: Sendable {
  /// How often in a row nothing tells that the click is not heard, and what may be the click itself that it is.
  private static let (silent, alike) = (6, 6)
  /// Of the last clicks that no loud stroke has hidden, so many must have been heard.
  private static let (looks, fewest) = (12, 5)
  /// How far from its time the click is heard at most, in seconds.
  private static let reach = 0.001_5
  /// How loud it is then, as a part of what it was in the calibration; and how loud a stroke is that hides it.
  private static let (loudness, loud): (ClosedRange<Float>, Float) = (0.4...1.33, 2)
  /// A sound from so long before a click on may hide it, as triggers have a mask time of up to half a second, and one until so long
  /// after it may be it; in seconds.
  private static let (shadow, triggerShadow, length) = (0.110, 0.510, 0.040)

  /// Whether the click is taken to be heard.
  private(set) var hearsClick = true
  private var silent = 0
  private var alike = 0
  /// Whether the last clicks were heard.
  private var last: [Bool] = []
  private let sampleRate: Double

  init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

  /// How long after a click all is known of it, in seconds: a listener on a busy machine comes late.
  static let patience = 1.000
  /// For how long what was heard is kept, in seconds.
  static let memory = 3.0

  /// Notes a click of full loudness.
  /// - Parameters:
  ///   - heard: what the input heard around it, less its calibrated lateness.
  ///   - bleed: the peak that it had in the calibration.
  /// - Returns: whether `hearsClick` is another now.
  mutating func note(click frame: Int64, heard: [Hit], bleed: Float, isTrigger: Bool) -> Bool {
    let shadow = isTrigger ? BleedWatch.triggerShadow : BleedWatch.shadow
    let near = heard.filter {
      $0.frame > frame - frames(shadow) && $0.frame < frame + frames(BleedWatch.length)
    }
    let isHeard = near.contains { isAlike($0, frame, bleed) }
    if !isHeard, near.contains(where: { $0.strength >= BleedWatch.loud * bleed }) {
      (silent, alike) = (0, 0)
      return false
    }
    silent = near.isEmpty ? silent + 1 : 0
    alike = isHeard ? alike + 1 : 0
    last = Array((last + [isHeard]).suffix(BleedWatch.looks))
    let was = hearsClick
    let isRare = last.count == BleedWatch.looks && last.count { $0 } < BleedWatch.fewest
    if silent >= BleedWatch.silent || isRare { hearsClick = false }
    if alike >= BleedWatch.alike { hearsClick = true }
    if hearsClick != was { last = [] }
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
  ///   - frame: the frame up to which sound has come in, as far as is known: `patience` allows for the way through the listener.
  ///   - bleeds: the peaks that the click had in the inputs' calibrations.
  ///   - isTrigger: whether an input is heard as a trigger.
  /// - Returns: the inputs that are other than before.
  mutating func settle(
    heardUpTo frame: Int64, _ bleeds: [HitSource: Float], isTrigger: (HitSource) -> Bool
  ) -> Set<HitSource> {
    let ready = clicks.prefix { $0 + frames(BleedWatch.patience) < frame }
    var changed: Set<HitSource> = []
    for (source, bleed) in bleeds where bleed > 0 && !ready.isEmpty {
      let own = heard.filter { $0.source == source }
      for click in ready {
        let isNew = watches[source, default: BleedWatch(sampleRate: sampleRate)].note(
          click: click, heard: own, bleed: bleed, isTrigger: isTrigger(source))
        if isNew { changed.insert(source) }
      }
    }
    clicks.removeFirst(ready.count)
    let begin = frame - frames(BleedWatch.memory)
    heard.removeAll { $0.frame < begin }
    return changed
  }

  /// Takes all inputs to hear the click again.
  mutating func reset() { self = BleedWatches(sampleRate: sampleRate) }

  /// Takes those inputs to hear the click again for which that is so.
  mutating func forget(where isKnown: (HitSource) -> Bool) { watches = watches.filter { !isKnown($0.key) } }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }
}
