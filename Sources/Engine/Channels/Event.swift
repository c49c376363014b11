import MusicTime

/// What the engine reports to the control side.
package enum Event: BitwiseCopyable, Sendable {
  /// A beat or a subdivision, with the frame on which its click begins.
  case beat(Beat)
  /// A beat as it will begin unless something changes, reported half a second ahead; if a change has made it sooner, when it begins.
  case foretold(Beat)
  /// The beats that were foretold for this clock frame and later do not begin as they were. Those that do are foretold again.
  case revoked(ClockFrame)
  /// The music started at a clock frame.
  case started(ClockFrame)
  /// The music stopped at a clock frame.
  case stopped(ClockFrame)
  /// The music has stopped on a bar line, as `Command.Action.stopAtBar` asked; follows `stopped`.
  case stoppedAtBar(ClockFrame)
  /// The score ended at a clock frame.
  case finished(ClockFrame)
  /// In `follow`, `link` and `midiClock`: the leader's meter and tempo, when they change.
  case leader(Leader)
  /// In `follow`: the transport no longer has a timebase leader. In `midiClock`: the pulses have stopped.
  case leaderLeft
  /// In `lead`: another client has become the timebase leader.
  case leadLost
  /// In `lead` and `follow`, at a clock frame: the transport has to wait for the pre-roll for longer than PipeWire waits.
  case holdExpires(ClockFrame)

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
    /// Gain of the clip before the volumes, 0…1; 0 is a silent beat.
    package var strength: Float
    /// Whether its bar is silent.
    package var silence = BarSilence.none
    /// The number of the layer whose pulse it is; 0 if it is none.
    package var layer: UInt8 = 0
    /// Whether it is counted before the music begins.
    package var isPreRoll = false

    /// The role as messages show it.
    package var roleName: String { layer > 0 ? "layer" : role.name }

    /// The same beat, as another bar and beat.
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
    /// Whether a timebase leader declares something else, and this is how its position moves.
    package var isCounted = false

    /// - Thread: any, audio
    @_noLocks
    package init(count: Int, unit: Int, notesPerMinute: Double) {
      (self.count, self.unit, self.notesPerMinute) = (count, unit, notesPerMinute)
    }
  }
}
