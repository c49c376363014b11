import Engine

/// The clip sets that the engine may still read. Each is kept alive for as long, and no longer.
struct HeldClips {
  private struct Held {
    let generation: Int
    let set: ClipSet
    let song: PreparedSong?
    /// Of the metronome's layers.
    let layers: LayerClips
    /// Scores with this set that were published and did not come back untaken.
    var published = 0
  }

  private var held: [Held]

  /// - Parameter set: that of the engine's first score.
  init(_ set: ClipSet, song: PreparedSong? = nil, layers: LayerClips = [:]) {
    held = [Held(generation: 1, set: set, song: song, layers: layers, published: 1)]
  }

  /// The set for the scores to come, and its generation.
  var newest: (set: ClipSet, song: PreparedSong?, layers: LayerClips, generation: Int) {
    (held.last!.set, held.last!.song, held.last!.layers, held.last!.generation)
  }

  var count: Int { held.count }

  mutating func add(_ set: ClipSet, song: PreparedSong? = nil, layers: LayerClips = [:]) {
    held.append(Held(generation: newest.generation + 1, set: set, song: song, layers: layers))
  }

  /// A score with the newest set is published.
  mutating func notePublished() { held[held.count - 1].published += 1 }

  /// A published score came back untaken.
  mutating func noteUntaken(generation: Int) {
    guard let index = held.firstIndex(where: { $0.generation == generation }) else { return }
    held[index].published -= 1
  }

  /// Releases the sets that no score brought to the engine, and those older than all that it reads.
  mutating func release(before oldest: Int) {
    let newest = newest.generation
    held.removeAll { $0.generation != newest && ($0.published == 0 || $0.generation < oldest) }
  }
}
