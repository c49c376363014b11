import Control
import Engine
import MusicTime

/// A song or practice plan as its document gives it. Each value is valid by itself.
public struct Session: Equatable, Sendable {
  public var title: String
  public var countIn: CountIn?
  public var cycles: Cycles
  /// Values for sections that don't set their own.
  public var defaults: SectionStyle
  /// Sections and groups, in order.
  public var parts: [SessionPart]
  public var voice: VoiceSettings

  public init(
    title: String = "", countIn: CountIn? = nil, cycles: Cycles = .times(1),
    defaults: SectionStyle = SectionStyle(),
    parts: [SessionPart], voice: VoiceSettings = VoiceSettings()
  ) {
    self.title = title
    self.countIn = countIn
    self.cycles = cycles
    self.defaults = defaults
    self.parts = parts
    self.voice = voice
  }
}

/// How often the whole list of sections is played.
public enum Cycles: Hashable, Sendable {
  /// At least once.
  case times(Int)
  case forever
}

/// One entry of `sections`.
public enum SessionPart: Equatable, Sendable {
  case section(SessionSection)
  case group(SectionGroup)
}

/// Sections that are repeated together.
public struct SectionGroup: Equatable, Sendable {
  /// At least 1.
  public var repeats: Int
  /// Override the session's defaults.
  public var defaults: SectionStyle
  public var parts: [SessionPart]

  public init(repeats: Int, defaults: SectionStyle = SectionStyle(), parts: [SessionPart]) {
    self.repeats = repeats
    self.defaults = defaults
    self.parts = parts
  }
}

/// One section of a document.
public struct SessionSection: Equatable, Sendable {
  /// "" if the section has no name.
  public var name: String
  /// The target name for jumps; nil if there is none.
  public var label: String?
  /// nil if a tempo list gives the length.
  public var length: SectionLength?
  public var style: SectionStyle
  /// A part of the bar that is removed step by step.
  public var dropOut: DropOut?
  /// A cue at the section's start.
  public var cue: CuePlan?

  public init(
    name: String = "", label: String? = nil, length: SectionLength?, style: SectionStyle = SectionStyle(),
    dropOut: DropOut? = nil, cue: CuePlan? = nil
  ) {
    self.name = name
    self.label = label
    self.length = length
    self.style = style
    self.dropOut = dropOut
    self.cue = cue
  }
}

/// What plays before the first section.
public struct CountIn: Hashable, Sendable {
  /// Never open.
  public var length: SectionLength
  /// Whether a voice counts instead of the clicks: the beats of a bar, or the seconds down to zero.
  public var isSpoken: Bool

  public init(length: SectionLength, isSpoken: Bool = false) {
    self.length = length
    self.isSpoken = isSpoken
  }
}
