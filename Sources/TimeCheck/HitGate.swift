/// Lets through one hit for each stroke, and none that is the click itself.
package struct HitGate: Sendable {
  /// Nothing is another stroke for so long after one, at the same place: 30 ms.
  package static let refractory = 0.030
  /// Of a module's notes only what comes closer is a double trigger: both strokes of a flam are heard.
  package static let noteRefractory = 0.008
  /// A click may seem to be heard so long before it sounds, as measured latencies scatter: 8 ms.
  package static let lead = 0.008
  /// The click is heard for so long.
  private static let clickLength = 0.040

  private let sampleRate: Double
  private var last: [Stroke: Int64] = [:]

  private struct Stroke: Hashable {
    let source: HitSource
    /// Each drum of a MIDI kit is a place of its own.
    let drum: Drum?
  }

  package init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

  /// - Parameters:
  ///   - hit: in the order in which hits of a source come.
  ///   - clicks: when the clicks nearby arrive in the hit's input, as clock frames.
  ///   - bleed: the peak with which they do.
  ///   - isTrigger: whether it comes from a trigger, whose detector has a mask time of its own.
  package mutating func admits(
    _ hit: Hit, clicks: [Int64] = [], bleed: Float = 0, isTrigger: Bool = false
  ) -> Bool {
    // The level decides before the refractory time: otherwise the click would take the stroke's place.
    if bleed > 0, hit.strength < 2 * bleed, clicks.contains(where: { isDuring($0, hit) }) { return false }
    let stroke = Stroke(source: hit.source, drum: hit.drum)
    let refractory = hit.source == .notes ? HitGate.noteRefractory : isTrigger ? 0 : HitGate.refractory
    if let last = last[stroke], abs(hit.frame - last) < frames(refractory) { return false }
    last[stroke] = hit.frame
    return true
  }

  /// Whether a hit that is refused for the click's sake is louder than the click alone: most likely a stroke.
  package func hides(_ hit: Hit, behind clicks: [Int64], bleed: Float) -> Bool {
    hit.strength > 1.3 * bleed && hit.strength < 2 * bleed && clicks.contains { isDuring($0, hit) }
  }

  /// Forgets all strokes: the clock has jumped.
  package mutating func reset() { last = [:] }

  private func isDuring(_ click: Int64, _ hit: Hit) -> Bool {
    let passed = hit.frame - click
    return passed > -frames(HitGate.lead) && passed < frames(HitGate.clickLength)
  }

  private func frames(_ seconds: Double) -> Int64 { Int64(seconds * sampleRate) }
}
