import MusicTime

/// Finds microphones that hear the click instead of a player.
struct ClickWatches: Sendable {
  private let sampleRate: Int
  private var watches: [HitSource: ClickWatch] = [:]
  /// The inputs that were reported.
  private var reported: Set<HitSource> = []

  init(sampleRate: Int) { self.sampleRate = sampleRate }

  /// Whether an input certainly hears the click.
  var haveFound: Bool { watches.values.contains(where: \.isFound) }

  /// Notes a hit: of a calibrated input after the gate, of other inputs before it.
  /// - Parameter clicks: the clock frames of the clicks near it.
  /// - Returns: whether the click is found now and was not before; and whether this must be reported, once for each input.
  mutating func note(_ hit: Hit, clicks: [ClockFrame], isCalibrated: Bool) -> (isFound: Bool, isNews: Bool) {
    let new = ClickWatch(sampleRate: sampleRate, isCalibrated: isCalibrated)
    let isFound = watches[hit.source, default: new].note(hit: hit.frame, clicks: clicks)
    return (isFound, isFound && reported.insert(hit.source).inserted)
  }

  /// Whether all hits of an input may be the click.
  func isSuspect(_ source: HitSource) -> Bool { watches[source]?.isSuspect == true }

  /// Whether the hits of an input are a player's; true if it has no hits yet.
  func isPlayer(_ source: HitSource) -> Bool { watches[source]?.isPlayer ?? true }

  /// Forgets the hits of some inputs; without an argument, of all.
  mutating func forget(where isKnown: (HitSource) -> Bool = { _ in true }) {
    watches = watches.filter { !isKnown($0.key) }
  }
}
