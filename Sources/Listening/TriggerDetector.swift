import Glibc

/// Detects the pulses of a drum trigger: the moment at which the signal rises above a threshold.
///
/// It tells a stroke after the scan time, within 2 ms. A microphone in the decay of louder drums would lose strokes to it.
package struct TriggerDetector: HitDetector {
  /// The four controls that drum modules have.
  package struct Controls: Equatable, Sendable {
    /// The peak below which nothing is a stroke; full scale is 1.
    package var threshold: Float = 0.03
    /// Time from the threshold to the end of the search for the peak, in milliseconds.
    package var scan = 2.0
    /// Time after a stroke in which nothing is another one, in milliseconds.
    package var mask = 20.0
    /// A stroke's echo is no other stroke while it is below this part of the stroke's peak, which halves in `halfLife` ms.
    package var retriggerCancel: Float = 0.5
    package var halfLife = 20.0

    package init() {}
  }

  package var bleed: Float = 0
  private let controls: Controls
  private let sampleRate: Double
  /// The last stroke's frame and peak.
  private var last: DetectedHit?
  /// The stroke whose peak is being searched.
  private var rising: DetectedHit?
  /// Of the high-pass filter, which takes a constant away.
  private var (input, output) = (Float(0), Float(0))
  private let pole: Float

  package init(_ controls: Controls = Controls(), sampleRate: Int) {
    self.controls = controls
    self.sampleRate = Double(sampleRate)
    // 20 Hz.
    pole = Float(1 - 2 * Double.pi * 20 / Double(sampleRate))
  }

  package mutating func reset() {
    (last, rising) = (nil, nil)
    (input, output) = (0, 0)
  }

  package mutating func hear(_ samples: [Float], at frame: Int64) -> [DetectedHit] {
    var found: [DetectedHit] = []
    for (index, sample) in samples.enumerated() {
      let level = abs(filter(sample.sane))
      let now = frame + Int64(index)
      if var rising {
        rising.strength = max(rising.strength, level)
        self.rising = rising
        if now - rising.frame >= frames(controls.scan) {
          found.append(rising)
          (last, self.rising) = (rising, nil)
        }
      } else if level >= threshold(at: now) {
        rising = DetectedHit(frame: now, strength: level)
      }
    }
    return found
  }

  private mutating func filter(_ sample: Float) -> Float {
    output = sample - input + pole * output
    input = sample
    return output
  }

  private func threshold(at frame: Int64) -> Float {
    // What is as soft as the click may be a stroke elsewhere, or a click that is measured: `HitGate` knows.
    let floor = controls.threshold
    guard let last else { return floor }
    let passed = frame - last.frame
    // The click hides no stroke that stands out of it.
    if passed < frames(controls.mask) { return last.strength < 2 * bleed ? 2 * bleed : .infinity }
    let halves = Double(passed - frames(controls.scan)) / sampleRate * 1_000 / controls.halfLife
    guard halves < 40 else { return floor }
    return max(floor, last.strength * controls.retriggerCancel * Float(exp2(-halves)))
  }

  private func frames(_ milliseconds: Double) -> Int64 { Int64(milliseconds / 1_000 * sampleRate) }
}
