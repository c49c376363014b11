import Engine

/// Keeps the clip sets alive that the engine may still read, and no others.
struct HeldClips {
  private struct Held {
    let generation: Int
    let set: ClipSet
    let song: PreparedSong?
    /// The clips of the metronome's layers.
    let layers: LayerClips
    /// The song that follows.
    let successor: PreparedSong?
    /// Number of published scores with this set, without those that the engine has not taken.
    var published = 0
  }

  private var held: [Held]

  /// - Parameter set: the clip set of the engine's first score.
  init(_ set: ClipSet, song: PreparedSong? = nil, layers: LayerClips = [:]) {
    held = [Held(generation: 1, set: set, song: song, layers: layers, successor: nil, published: 1)]
  }

  /// The set for new scores, and its generation.
  var newest: (set: ClipSet, song: PreparedSong?, layers: LayerClips, generation: Int) {
    (held.last!.set, held.last!.song, held.last!.layers, held.last!.generation)
  }

  var count: Int { held.count }

  mutating func add(
    _ set: ClipSet, song: PreparedSong? = nil, layers: LayerClips = [:], successor: PreparedSong? = nil
  ) {
    held.append(
      Held(generation: newest.generation + 1, set: set, song: song, layers: layers, successor: successor))
  }

  /// Notes that a score with the newest set has been published.
  mutating func notePublished() { held[held.count - 1].published += 1 }

  /// Notes that the engine has not taken a published score.
  mutating func noteUntaken(generation: Int) {
    guard let index = held.firstIndex(where: { $0.generation == generation }) else { return }
    held[index].published -= 1
  }

  /// Releases the sets that no score brought to the engine, and those that are older than all sets in use.
  mutating func release(before oldest: Int) {
    let newest = newest.generation
    held.removeAll { $0.generation != newest && ($0.published == 0 || $0.generation < oldest) }
  }
}
