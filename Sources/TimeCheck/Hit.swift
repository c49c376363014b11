/// A stroke that was heard.
package struct Hit: Equatable, Sendable {
  /// The clock frame at which it was played: that of its arrival at the port, less the latency before the port.
  package var frame: Int64
  /// Where it was heard.
  package var source: HitSource
  /// The number of its note; nil for audio.
  package var note: UInt8?
  /// What was struck, where that is known.
  package var drum: Drum?
  /// 0…1: the peak of the audio, or the note's velocity.
  package var strength: Float

  package init(frame: Int64, source: HitSource, note: UInt8? = nil, drum: Drum? = nil, strength: Float) {
    (self.frame, self.source, self.note) = (frame, source, note)
    (self.drum, self.strength) = (drum, strength)
  }
}

/// Where hits are heard.
package enum HitSource: Hashable, Sendable {
  /// An audio input, from 0.
  case input(Int)
  /// The MIDI port `hits`.
  case notes
}
