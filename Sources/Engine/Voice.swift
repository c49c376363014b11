import MusicTime

/// A clip that is sounding.
struct Voice: BitwiseCopyable {
  /// What is left of the clip.
  var samples: UnsafePointer<Float>
  var remaining: Int
  let role: Role
  let gain: Float
  /// The clip set that must stay in memory while the voice sounds.
  let generation: Int
}
