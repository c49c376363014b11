import Engine

/// The clip sets that the engine may still read; each is kept alive for as long, and no longer.
struct HeldClips {
  private struct Held {
    let generation: Int
    let set: ClipSet
    let song: PreparedSong?
    /// Scores with this set that went to the engine and did not come back untaken.
    var published = 0
  }

  private var held: [Held]
  /// The generation of the score that went out last: the one that comes back if it was not taken.
  private var lastPublished = 1

  /// - Parameter set: that of the engine's first score.
  init(_ set: ClipSet, song: PreparedSong? = nil) {
    held = [Held(generation: 1, set: set, song: song, published: 1)]
  }

  /// The set for the scores to come, and its generation.
  var newest: (set: ClipSet, song: PreparedSong?, generation: Int) {
    (held.last!.set, held.last!.song, held.last!.generation)
  }

  var count: Int { held.count }

  mutating func add(_ set: ClipSet, song: PreparedSong? = nil) {
    held.append(Held(generation: newest.generation + 1, set: set, song: song))
  }

  /// A score with the newest set went out; the one before may have come back untaken.
  mutating func didPublish(replacingUntaken: Bool) {
    if replacingUntaken, let index = held.firstIndex(where: { $0.generation == lastPublished }) {
      held[index].published -= 1
    }
    lastPublished = newest.generation
    held[held.count - 1].published += 1
  }

  /// Lets go of the sets that no score brought to the engine, and of those older than all that it reads.
  mutating func release(before oldest: Int) {
    let newest = newest.generation
    held.removeAll { $0.generation != newest && ($0.published == 0 || $0.generation < oldest) }
  }
}
