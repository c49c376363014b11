import MusicTime

/// What one section of a score is made from.
///
/// A section of a document may become several of these (a coach's ladder is one a step): all with the same `source`.
public struct SectionPlan: Sendable, Equatable {
  /// The number of the document's section, from 0, counted through cycles and repeats.
  public var source: Int
  public var name: String
  /// As the document writes it; "" where it says nothing.
  public var colour: String
  /// For jumps; nil where there is none.
  public var label: String?
  public var length: SectionLength
  /// Whether the document's section lasts until somebody goes on, which each of its steps says.
  public let isOpen: Bool
  public var layout: BarLayout
  public var tempo: TempoCurve
  public var silence: SilencePlan
  /// Volumes of the section's own, under the player's.
  public var gains: Gains
  /// The name of a built-in sound set, or a folder.
  public var sound: String
  /// What is heard at its start.
  public var cue: CuePlan?
  /// Whether the section counts in: its bars come before bar 1.
  public var isCountIn: Bool

  public init(
    source: Int = 0, name: String = "", colour: String = "", label: String? = nil, length: SectionLength,
    layout: BarLayout, tempo: TempoCurve, silence: SilencePlan = .never, gains: Gains = Gains(),
    sound: String = "sine", cue: CuePlan? = nil, isCountIn: Bool = false
  ) {
    self.source = source
    self.name = name
    self.colour = colour
    self.label = label
    self.length = length
    isOpen = length == .open
    self.layout = layout
    self.tempo = tempo
    self.silence = silence
    self.gains = gains
    self.sound = sound
    self.cue = cue
    self.isCountIn = isCountIn
  }
}

/// What is heard at a section's start, on the cue port.
public enum CuePlan: Hashable, Sendable {
  case chime
  /// A text that a voice speaks.
  case speech(String)
}
