import MusicTime

/// Finds out whether an input still hears the click as in its calibration. With headphones on, or on a trigger, it does not.
///
/// A click is heard if a sound comes at its time, about as loud as in the calibration. It is not heard if there is no sound, or
/// only a soft one at another time. A louder stroke can hide the click: then nothing is known.
struct BleedWatch: Sendable {
  /// After `silent` consecutive clicks without a sound the click counts as not heard, after `alike` consecutive sounds like a
  /// click as heard.
  private static let (silent, alike) = (6, 6)
  /// Of the last `looks` clicks that no loud stroke has hidden, at least `fewest` must be heard.
  private static let (looks, fewest) = (12, 5)
  /// The largest distance of a sound from the click's time, in seconds.
  private static let reach = 0.001_5
  /// The peak of a sound that may be the click, and the peak from which a stroke hides it, as multiples of the calibrated peak.
  private static let (loudness, loud): (ClosedRange<Float>, Float) = (0.4...1.33, 2)
  /// Sounds are compared from `shadow` before a click, because the detector may ignore the click after them, to `length` after
  /// it, in seconds. Triggers have a mask time of up to half a second.
  private static let (shadow, triggerShadow, length) = (0.110, 0.510, 0.040)

  /// Whether the input hears the click; true until the clicks show otherwise.
  private(set) var hearsClick = true
  private var silent = 0
  private var alike = 0
  /// For each of the last clicks, whether it was heard.
  private var last: [Bool] = []
  private let sampleRate: Double

  init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

  /// How long after a click its sound may still arrive, in seconds: on a busy machine the listener runs late.
  static let patience = 1.000
  /// How long sounds are kept, in seconds.
  static let memory = 3.0

  /// Notes a click that is as loud as in the calibration.
  /// - Parameters:
  ///   - frame: the clock frame at which it leaves the speakers.
  ///   - sounds: the sounds of the input around it, with the calibrated offset subtracted.
  ///   - bleed: the peak of the click in the calibration.
  ///   - isTrigger: whether a trigger detector processes the input.
  /// - Returns: whether `hearsClick` has changed.
  mutating func note(click frame: ClockFrame, sounds: [Hit], bleed: Float, isTrigger: Bool) -> Bool {
    let shadow = isTrigger ? BleedWatch.triggerShadow : BleedWatch.shadow
    let near = sounds.filter {
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

  private func isAlike(_ hit: Hit, _ click: ClockFrame, _ bleed: Float) -> Bool {
    abs(hit.frame - click) <= frames(BleedWatch.reach)
      && BleedWatch.loudness.contains(hit.strength / bleed)
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * sampleRate) }
}

/// Finds out which inputs still hear the click as in their calibrations.
struct BleedWatches: Sendable {
  /// The most clicks, and the most sounds, that are kept.
  private static let limit = 512

  private let sampleRate: Int
  private var watches: [HitSource: BleedWatch] = [:]
  /// Clicks whose sound may still arrive, and the sounds around them.
  private var clicks: [ClockFrame] = []
  private var sounds: [Hit] = []

  init(sampleRate: Int) { self.sampleRate = sampleRate }

  /// Whether an input hears the click, as far as is known.
  func hearsClick(_ source: HitSource) -> Bool { watches[source]?.hearsClick ?? true }

  /// Notes a click that is as loud as in a calibration.
  /// - Parameter frame: the clock frame at which it leaves the speakers.
  mutating func note(click frame: ClockFrame) {
    if clicks.count < BleedWatches.limit { clicks.append(frame) }
  }

  /// Notes a sound of an audio input, before the gate, with the calibrated offset subtracted.
  mutating func note(_ hit: Hit) {
    if sounds.count < BleedWatches.limit { sounds.append(hit) }
  }

  /// Examines the clicks whose sound must have arrived by now.
  /// - Parameters:
  ///   - frame: the clock frame up to which sound was captured. Sounds that are still with the listener are covered by
  ///     `patience`.
  ///   - bleeds: the peaks with which the inputs would hear the click as in their calibrations.
  ///   - isTrigger: whether a trigger detector processes an input.
  /// - Returns: the inputs that have begun to hear the click, or no longer hear it.
  mutating func settle(
    heardUpTo frame: ClockFrame, _ bleeds: [HitSource: Float], isTrigger: (HitSource) -> Bool
  ) -> Set<HitSource> {
    let ready = clicks.prefix { $0 + frames(BleedWatch.patience) < frame }
    var changed: Set<HitSource> = []
    for (source, bleed) in bleeds where bleed > 0 && !ready.isEmpty {
      let own = sounds.filter { $0.source == source }
      for click in ready {
        let isNew = watches[source, default: BleedWatch(sampleRate: sampleRate)].note(
          click: click, sounds: own, bleed: bleed, isTrigger: isTrigger(source))
        if isNew { changed.insert(source) }
      }
    }
    clicks.removeFirst(ready.count)
    let begin = frame - frames(BleedWatch.memory)
    sounds.removeAll { $0.frame < begin }
    return changed
  }

  /// Forgets everything: all inputs count as hearing the click.
  mutating func reset() { self = BleedWatches(sampleRate: sampleRate) }

  /// Forgets what is known of some inputs: they count as hearing the click.
  mutating func forget(where isKnown: (HitSource) -> Bool) { watches = watches.filter { !isKnown($0.key) } }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * Double(sampleRate)) }
}
