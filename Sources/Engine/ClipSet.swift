import MusicTime

/// One clip for each role: a sound set, at one sample rate.
public typealias ClipSet = PerRole<Clip>

/// The samples of a clip set as the process callback sees them.
typealias SoundingClips = PerRole<UnsafeBufferPointer<Float>>
