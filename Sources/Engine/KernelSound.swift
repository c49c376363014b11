import MIDI
import MusicTime
import Synchronization

/// Beginning clips and mixing them.
extension Kernel {
  @_noLocks
  mutating func beginOnsets(at clock: Int64, _ notes: MIDILine?) {
    while isRolling, playhead.nextFrame <= clock + shift {
      if channels.pointee.isEnding.load(ordering: .relaxed) { return playhead.rest() }
      if playhead.isAtEnd { return finish(at: clock) }
      let (onset, section) = (playhead.onset, playhead.section)
      if playhead.isAtSectionStart, let cue = section.cue {
        begin(cue, .cue, gain: section.gains.buses.cue)
        beginNote(.cue, strength: section.gains.buses.cue, at: clock, on: notes)
        tell(.beat(beat(.cue, strength: 1, at: clock)))
      }
      let isSilent = section.silence.isSilent(bar: playhead.sectionBar)
      let strength = isSilent ? 0 : onset.strength * section.gains.buses[onset.role]
      if strength > 0 {
        begin(section.clips[onset.role], onset.role, gain: strength)
        beginNote(onset.role, strength: strength, at: clock, on: notes)
      }
      if onset.role != .subdivision || tellsSubdivisions {
        tell(.beat(beat(onset.role, strength: strength, at: clock)))
      }
      playhead.advance()
    }
  }

  @_noLocks
  private mutating func begin(_ samples: UnsafeBufferPointer<Float>, _ role: Role, gain: Float) {
    let generation = playhead.score.pointee.generation
    if !voices.begin(samples, role: role, gain: gain, generation: generation) {
      channels.pointee.droppedClips.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// The next onset as an event.
  @_noLocks
  private func beat(_ role: Role, strength: Float, at clock: Int64) -> Event.Beat {
    Event.Beat(
      frame: clock, bar: playhead.shownBar, beat: playhead.onset.beat + 1, section: playhead.sectionIndex,
      sectionBar: playhead.sectionBar, role: role, strength: strength)
  }

  /// The score is over. A transport may roll on; nothing more begins there.
  @_noLocks
  private mutating func finish(at clock: Int64) {
    playhead.rest()
    tell(.finished(clock))
    if timelineRole == .free { stop(at: clock) }
  }

  @_noLocks
  mutating func mix(_ outputs: Outputs, _ range: Range<Int>, at clock: Int64) {
    guard voices.count > 0 else { return }
    let roles = voices.mix(into: outputs, from: range.lowerBound, frames: range.count)
    if roles.contains(.accent) { sum(.accent, outputs, range, at: clock) }
    if roles.contains(.beat) { sum(.beat, outputs, range, at: clock) }
    if roles.contains(.subdivision) { sum(.subdivision, outputs, range, at: clock) }
    if roles.contains(.cue) { sum(.cue, outputs, range, at: clock) }
    gains.master.apply(to: outputs.out + range.lowerBound, count: range.count, at: clock)
  }

  /// Adds a role at its volume to the mix.
  @_noLocks
  private func sum(_ role: Role, _ outputs: Outputs, _ range: Range<Int>, at clock: Int64) {
    let bus = outputs.buses[role] + range.lowerBound
    gains.buses[role].apply(
      to: bus, addingTo: outputs.out + range.lowerBound, count: range.count, at: clock)
  }
}
