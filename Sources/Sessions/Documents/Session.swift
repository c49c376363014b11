import Control
import Engine
import MusicTime
import TimeCheck
import Timecode

/// A song or practice plan, as its document defines it. Each value is valid on its own; `plan()` checks combinations.
package struct Session: Equatable, Sendable {
  /// "" if the document has none.
  package var title: String
  /// nil for none.
  package var countIn: CountIn?
  package var cycles: Cycles
  /// Values for sections that don't set their own.
  package var defaults: SectionStyle
  /// Sections and groups, in order.
  package var parts: [SessionPart]
  package var voice: VoiceSettings
  /// The timecode at its start; nil for the setting's.
  package var timecode: Timecode?
  /// The saved nudge: by how much all tempos are moved, in thousandths of a beat a minute.
  package var nudge = 0

  package init(
    title: String = "", countIn: CountIn? = nil, cycles: Cycles = .times(1),
    defaults: SectionStyle = SectionStyle(),
    parts: [SessionPart], voice: VoiceSettings = VoiceSettings(), timecode: Timecode? = nil
  ) {
    self.title = title
    self.countIn = countIn
    self.cycles = cycles
    self.defaults = defaults
    self.parts = parts
    self.voice = voice
    self.timecode = timecode
  }
}

/// How often the whole list of sections is played.
package enum Cycles: Hashable, Sendable {
  /// At least once.
  case times(Int)
  case forever
}

/// One entry of `sections`.
package enum SessionPart: Equatable, Sendable {
  case section(SessionSection)
  case group(SectionGroup)
}

/// Sections that are repeated together.
package struct SectionGroup: Equatable, Sendable {
  /// At least 1.
  package var repeats: Int
  /// Take precedence over the session's defaults.
  package var defaults: SectionStyle
  package var parts: [SessionPart]

  package init(repeats: Int, defaults: SectionStyle = SectionStyle(), parts: [SessionPart]) {
    self.repeats = repeats
    self.defaults = defaults
    self.parts = parts
  }
}

/// One section of a document.
package struct SessionSection: Equatable, Sendable {
  /// "" if the section has no name.
  package var name: String
  /// The target name for jumps; nil if there is none.
  package var label: String?
  /// nil if a tempo list gives the length.
  package var length: SectionLength?
  package var style: SectionStyle
  /// A part of the bar that is removed step by step.
  @Rare package var dropOut: DropOut?
  /// A cue at the section's start.
  package var cue: CuePlan?
  /// How a coach changes the tempo; nil for no coach.
  @Rare package var advance: Advance?
  /// The goal that ends the section, whose length is then open; nil for none.
  @Rare package var goal: TimingGoal?

  package init(
    name: String = "", label: String? = nil, length: SectionLength?, style: SectionStyle = SectionStyle(),
    dropOut: DropOut? = nil, cue: CuePlan? = nil, advance: Advance? = nil, goal: TimingGoal? = nil
  ) {
    self.name = name
    self.label = label
    self.length = length
    self.style = style
    self.dropOut = dropOut
    self.cue = cue
    self.advance = advance
    self.goal = goal
  }
}

/// The count-in, which plays before the first section.
package struct CountIn: Hashable, Sendable {
  /// Never open.
  package var length: SectionLength
  /// Whether a voice counts instead of the clicks: the beats of a bar, or the seconds down to zero.
  package var isSpoken: Bool

  package init(length: SectionLength, isSpoken: Bool = false) {
    self.length = length
    self.isSpoken = isSpoken
  }
}
