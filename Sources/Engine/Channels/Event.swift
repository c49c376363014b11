import MusicTime

/// What the engine reports to the control side.
package enum Event: BitwiseCopyable, Sendable {
  /// A beat or a subdivision, with the frame on which its click begins.
  case beat(Beat)
  /// A beat as it will begin unless something changes, reported half a second ahead; after a change that leaves less time,
  /// later, at the latest when the beat begins.
  case predicted(Beat)
  /// The beats that were predicted for this clock frame and later are no longer valid. Those that still begin are predicted
  /// again.
  case withdrawn(ClockFrame)
  /// The music started at a clock frame.
  case started(ClockFrame)
  /// The music stopped at a clock frame.
  case stopped(ClockFrame)
  /// The music has stopped on a bar line, as `Command.Action.stopAtBar` asked; follows `stopped`.
  case stoppedAtBar(ClockFrame)
  /// The score ended at a clock frame.
  case finished(ClockFrame)
  /// The score ended, and its successor began; between `stopped` and `started`.
  case succeeded(Succession)
  /// In `follow`, `link` and `midiClock`: the leader's meter and tempo, when they change.
  case leader(Leader)
  /// In `follow`: the transport no longer has a timebase leader. In `midiClock`: the pulses have stopped.
  case leaderLeft
  /// In `lead`: another client has become the timebase leader.
  case leadLost
  /// In `lead` and `follow`, at a clock frame: the transport must wait for the pre-roll for longer than PipeWire allows.
  case holdExpires(ClockFrame)

  /// The beginning of a score's successor.
  package struct Succession: BitwiseCopyable, Sendable {
    /// The clock frame on which the score ended and its successor begins.
    package let frame: ClockFrame
    /// How many successors have begun.
    package let number: Int
    /// The successor's piece of music.
    package let piece: Int
  }

  /// A beat or a subdivision.
  package struct Beat: BitwiseCopyable, Sendable {
    /// Clock frame of the click's first sample.
    package let frame: ClockFrame
    /// From 1; the bars of a count-in are 0, -1, …
    package let bar: Int
    /// From 1; a subdivision has the number of its beat.
    package let beat: Int
    /// The section of the score, from 0, and the bar of the section, from 1.
    package let section: Int
    package let sectionBar: Int
    /// The role whose clip begins. A layer's pulse counts as a subdivision.
    package let role: ClickRole
    /// Gain of the clip with the section's own volume, before the user's volumes; 0 is a silent beat.
    package var strength: Float
    /// Whether its bar is silent.
    package var silence = BarSilence.none
    /// The number of the layer whose pulse it is; 0 if it is none.
    package var layer: UInt8 = 0
    /// Whether it belongs to a pre-roll.
    package var isPreRoll = false

    /// The role's name in messages; `layer` for a layer's pulse.
    package var roleName: String { layer > 0 ? "layer" : role.name }

    /// The same beat with other bar and beat numbers.
    package func counted(bar: Int, beat: Int) -> Beat {
      Beat(
        frame: frame, bar: bar, beat: beat, section: section, sectionBar: sectionBar, role: role,
        strength: strength, silence: silence, layer: layer)
    }
  }

  /// The leader's meter and tempo. A MIDI clock has no meter and counts quarters: 0/4.
  package struct Leader: BitwiseCopyable, Equatable, Sendable {
    /// Notes in a bar; 0 for a MIDI clock.
    package let count: Int
    /// The note as a part of a whole note.
    package let unit: Int
    /// Notes of the meter's unit per minute.
    package let notesPerMinute: Double
    /// Whether these values are derived from how the timebase leader's position moves, because it declares other values.
    package var isCounted = false

    /// - Thread: any, audio
    @_noLocks
    package init(count: Int, unit: Int, notesPerMinute: Double) {
      (self.count, self.unit, self.notesPerMinute) = (count, unit, notesPerMinute)
    }
  }
}
