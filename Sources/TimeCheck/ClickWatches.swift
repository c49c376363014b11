/// Which microphones hear the click instead of a player.
struct ClickWatches: Sendable {
  private let sampleRate: Int
  private var watches: [HitSource: ClickWatch] = [:]
  /// Those of which somebody was told.
  private var told: Set<HitSource> = []

  init(sampleRate: Int) { self.sampleRate = sampleRate }

  /// Whether one hears the click for certain.
  var haveFound: Bool { watches.values.contains(where: \.isFound) }

  /// Notes a hit: of an input that is not calibrated before any gate, else one that the gate lets through.
  /// - Parameter clicks: those that sound near it.
  /// - Returns: whether the click was found with it; and whether that is to be told, which is so once for an input.
  mutating func note(_ hit: Hit, clicks: [Int64], isCalibrated: Bool) -> (isFound: Bool, isNews: Bool) {
    let new = ClickWatch(sampleRate: sampleRate, isCalibrated: isCalibrated)
    let isFound = watches[hit.source, default: new].note(hit: hit.frame, clicks: clicks)
    return (isFound, isFound && told.insert(hit.source).inserted)
  }

  /// Whether all that an input has heard may be the click.
  func isSuspect(_ source: HitSource) -> Bool { watches[source]?.isSuspect == true }

  /// Whether what an input hears is a player's, as far as is known.
  func isPlayer(_ source: HitSource) -> Bool { watches[source]?.isPlayer ?? true }

  /// Begins anew with the inputs for which that is so.
  mutating func forget(where isKnown: (HitSource) -> Bool = { _ in true }) {
    watches = watches.filter { !isKnown($0.key) }
  }
}
