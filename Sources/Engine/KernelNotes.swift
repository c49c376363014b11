import MIDI
import MusicTime

/// Sending the click as notes.
extension Kernel {
  /// Sends what begins to sound as a note, louder where it is louder on its own port; nothing while the mix is silenced.
  /// - Parameter strength: the clip's gain, before the volumes.
  /// - Thread: audio
  @_noLocks
  mutating func beginNote(_ role: Role, strength: Float, at clock: Int64, on line: MIDILine?) {
    guard let line, gains.master.target > 0 else { return }
    let gain = strength * gains.buses[role].target
    guard gain > 0 else { return }
    let output = playhead.score.pointee.notes
    noteSender.begin(
      channel: output.channel, number: output.numbers[role],
      velocity: UInt8(max(1, min(127, gain * 127 + 0.5))),
      length: Int64(output.length) * Int64(playhead.score.pointee.sampleRate) / 1_000, at: clock, on: line)
  }
}
