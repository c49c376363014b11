import MusicTime

/// Admits one hit for each stroke, and refuses the click itself.
package struct HitGate: Sendable {
  /// The refractory time after a stroke of a microphone, in seconds: a further hit in it belongs to the same stroke.
  package static let refractory = 0.030
  /// The refractory time of notes, in seconds: closer notes are double triggers. It is short enough for both strokes of a flam.
  package static let noteRefractory = 0.008
  /// An input may hear a click this long before the click's time, in seconds, because measured latencies scatter.
  package static let lead = 0.008
  /// How long an input hears a click, in seconds.
  private static let clickLength = 0.040

  private let sampleRate: Double
  private var last: [Stroke: ClockFrame] = [:]

  private struct Stroke: Hashable {
    let source: HitSource
    /// The drum of a note; each drum has a refractory time of its own.
    let drum: Drum?
  }

  package init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

  /// Whether a hit is a stroke of the player.
  /// - Parameters:
  ///   - hit: hits of a source must come in order of time.
  ///   - clicks: the clock frames of the clicks near it.
  ///   - bleed: the peak with which the hit's input hears the click, full scale is 1; 0 if it does not.
  ///   - isTrigger: whether it comes from a trigger. The detector of triggers has a mask time of its own.
  package mutating func admits(
    _ hit: Hit, clicks: [ClockFrame] = [], bleed: Float = 0, isTrigger: Bool = false
  ) -> Bool {
    // The level is checked before the refractory time: otherwise a click would suppress the stroke after it.
    if bleed > 0, hit.strength < 2 * bleed, clicks.contains(where: { isDuring($0, hit) }) { return false }
    let stroke = Stroke(source: hit.source, drum: hit.drum)
    let refractory = hit.source == .notes ? HitGate.noteRefractory : isTrigger ? 0 : HitGate.refractory
    if let last = last[stroke], abs(hit.frame - last) < frames(refractory) { return false }
    last[stroke] = hit.frame
    return true
  }

  /// Whether a hit that is refused because of a click is louder than the click alone, so that it is probably a stroke.
  package func hides(_ hit: Hit, behind clicks: [ClockFrame], bleed: Float) -> Bool {
    hit.strength > 1.3 * bleed && hit.strength < 2 * bleed && clicks.contains { isDuring($0, hit) }
  }

  /// Forgets all strokes. Call it when the clock has jumped.
  package mutating func reset() { last = [:] }

  private func isDuring(_ click: ClockFrame, _ hit: Hit) -> Bool {
    let passed = hit.frame - click
    return passed > -frames(HitGate.lead) && passed < frames(HitGate.clickLength)
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * sampleRate) }
}
