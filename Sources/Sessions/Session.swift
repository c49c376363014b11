import Control
import Engine
import MusicTime

/// A song or practice plan as its document says it, every value valid by itself.
public struct Session: Equatable, Sendable {
  public var title: String
  public var countIn: CountIn?
  public var cycles: Cycles
  /// What holds for every section that doesn't say otherwise.
  public var defaults: SectionStyle
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

/// How often the sections are played from first to last.
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

/// Sections that are played several times in a row.
public struct SectionGroup: Equatable, Sendable {
  /// At least 1.
  public var repeats: Int
  /// Over the session's defaults.
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
  public var name: String
  /// For jumps; nil where there is none.
  public var label: String?
  /// nil where a tempo for each beat says how long it is.
  public var length: SectionLength?
  public var style: SectionStyle
  /// What leaves the bar, step by step.
  public var dropOut: DropOut?
  /// What is heard at its start.
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

/// What is heard before the first section.
public struct CountIn: Hashable, Sendable {
  /// Never open.
  public var length: SectionLength
  /// Whether a voice counts in place of the clicks: the beats of a bar, or the seconds down to zero.
  public var isSpoken: Bool

  public init(length: SectionLength, isSpoken: Bool = false) {
    self.length = length
    self.isSpoken = isSpoken
  }
}
