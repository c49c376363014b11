import Glibc
import MusicTime
import TimeCheck

/// Detects the pulses of a drum trigger: a stroke begins where the signal rises above a threshold.
///
/// A stroke is reported after the scan time. The detector suits triggers: with a microphone it would miss strokes in the decay
/// of louder drums. A drum or cymbal that rings, with beating partials, remains one stroke until the signal exceeds its
/// `Resonance`.
package struct TriggerDetector: HitDetector {
  package var bleed: Float = 0
  /// May change at any time.
  package var controls: TriggerControls { didSet { floor = TriggerDetector.floor(controls) } }
  /// The lowest peak of a stroke; full scale is 1.
  private var floor: Float
  private let sampleRate: Double
  /// The last stroke's frame and peak.
  private var last: DetectedHit?
  /// The stroke in its scan time.
  private var rising: DetectedHit?
  private var resonance: Resonance
  /// The state of the high-pass filter, which removes a constant offset.
  private var (input, output) = (Float(0), Float(0))
  private let pole: Float

  package init(_ controls: TriggerControls = TriggerControls(), sampleRate: Int) {
    (self.controls, floor) = (controls, TriggerDetector.floor(controls))
    self.sampleRate = Double(sampleRate)
    // The cutoff is 20 Hz.
    pole = Float(1 - 2 * Double.pi * 20 / Double(sampleRate))
    resonance = Resonance(block: max(sampleRate / 1_000, 1))
  }

  private static func floor(_ controls: TriggerControls) -> Float {
    Float(pow(10, controls.threshold / 20))
  }

  /// A copy with other controls. A stroke in its scan time continues.
  func with(_ controls: TriggerControls) -> TriggerDetector {
    var detector = self
    detector.controls = controls
    return detector
  }

  package mutating func reset() {
    (last, rising) = (nil, nil)
    (input, output) = (0, 0)
    resonance.reset()
  }

  package mutating func receive(_ samples: [Float], at frame: ClockFrame) -> [DetectedHit] {
    var found: [DetectedHit] = []
    for (index, sample) in samples.enumerated() {
      let level = abs(filter(sample.sane))
      let now = frame + Int64(index)
      if var rising {
        rising.strength = max(rising.strength, level)
        resonance.rise(level)
        self.rising = rising
        if now - rising.frame >= frames(controls.scan) {
          if resonance.isStroke {
            found.append(rising)
            last = rising
            resonance.strike()
          }
          self.rising = nil
        }
      } else if level >= threshold(at: now) {
        rising = DetectedHit(frame: now, strength: level)
        resonance.beginRise(level)
      }
      resonance.take(level, isRising: rising != nil)
    }
    return found
  }

  private mutating func filter(_ sample: Float) -> Float {
    output = sample - input + pole * output
    input = sample
    return output
  }

  private func threshold(at frame: ClockFrame) -> Float {
    // A sound as soft as the click may be a stroke at another time, or the click of a calibration: `HitGate` decides.
    guard let last else { return floor }
    let passed = frame - last.frame
    // During the mask time of a bleeding click, a stroke that is clearly louder is detected.
    if passed < frames(controls.mask) { return last.strength < 2 * bleed ? 2 * bleed : .infinity }
    let halves = Double(passed - frames(controls.scan)) / sampleRate * 1_000 / TriggerControls.halfLife
    let base = max(floor, resonance.threshold)
    guard halves < 40 else { return base }
    return max(base, last.strength * Float(controls.retriggerCancel * exp2(-max(halves, 0))))
  }

  private func frames(_ milliseconds: Double) -> Int64 { Int64(milliseconds / 1_000 * sampleRate) }
}
