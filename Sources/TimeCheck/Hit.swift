import MusicTime

/// A detected stroke.
package struct Hit: Equatable, Sendable {
  /// The clock frame at which it was played: the frame of its arrival at the port, minus the capture latency. `HitIntake` also
  /// subtracts the calibration offset.
  package var frame: ClockFrame
  /// The input that detected it.
  package var source: HitSource
  /// The number of its MIDI note; nil for audio.
  package var note: UInt8?
  /// The drum; nil if it is not known.
  package var drum: Drum?
  /// The peak of the audio, where full scale is 1, or the note's velocity, 0…1.
  package var strength: Float

  package init(frame: ClockFrame, source: HitSource, note: UInt8? = nil, drum: Drum? = nil, strength: Float) {
    (self.frame, self.source, self.note) = (frame, source, note)
    (self.drum, self.strength) = (drum, strength)
  }
}

/// An input in which hits are detected.
package enum HitSource: Hashable, Sendable {
  /// The index of an audio input, from 0.
  case input(Int)
  /// The MIDI port `hits`.
  case notes
}
