import MusicTime

/// The definition of one section of a score.
///
/// A section of a document may become several plans with the same `source`, such as one for each step of a tempo ladder.
/// `Score.Sections` compiles plans, with the clips for the names and texts in them.
package struct SectionPlan: Sendable, Equatable {
  /// The index of the document's section, from 0, counted through cycles and repeats.
  package var source: Int
  /// "" if the section has no name.
  package var name: String
  /// The colour as written in the document; "" if it has none.
  package var colour: String
  /// The target name for jumps; nil if there is none.
  package var label: String?
  package var length: SectionLength
  /// Whether the document's section lasts until the user continues. All plans of the section have the same value.
  package let isOpen: Bool
  /// The section's bar.
  package var layout: BarLayout
  /// In beat units of `layout` per minute.
  package var tempo: TempoCurve
  /// The silent bars.
  package var silence: SilencePlan
  /// The layers, each number at most once.
  package var layers: [LayerPlan]
  /// The section's own volumes, multiplied by the user's.
  package var gains: Gains
  /// The name of a built-in sound set, or the path of a folder; "" for the clips of the whole score.
  package var sound: String
  /// The cue at its start.
  package var cue: CuePlan?
  /// Whether it is part of the count-in, whose bars come before bar 1.
  package var isCountIn: Bool
  /// The beat that a voice counts in this plan; nil if there is none.
  @Rare package var counted: CountedBeat?

  package init(
    source: Int = 0, name: String = "", colour: String = "", label: String? = nil, length: SectionLength,
    layout: BarLayout, tempo: TempoCurve, silence: SilencePlan = .never, gains: Gains = Gains(),
    sound: String = "sine", cue: CuePlan? = nil, isCountIn: Bool = false, layers: [LayerPlan] = []
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
    self.layers = layers
    self.gains = gains
    self.sound = sound
    self.cue = cue
    self.isCountIn = isCountIn
  }

  /// A section of one tempo.
  /// - Parameter bars: nil for no end.
  package init(layout: BarLayout, tempo: Tempo, bars: Int? = nil, silence: SilencePlan = .never) {
    self.init(
      length: bars.map { .bars($0) } ?? .open, layout: layout, tempo: .constant(tempo), silence: silence)
  }
}

/// A beat of a count-in that a voice counts. Its plan is only as long as the beat; this value describes the whole bar.
package struct CountedBeat: Sendable, Equatable {
  /// The bar of the count-in, from 1, and how many there are.
  package let bar: Int
  package let bars: Int
  /// From 1.
  package let beat: Int
  /// The bar's layout.
  package let layout: BarLayout

  package init(bar: Int, bars: Int, beat: Int, layout: BarLayout) {
    (self.bar, self.bars, self.beat, self.layout) = (bar, bars, beat, layout)
  }
}

/// A cue at a section's start, on the cue port.
package enum CuePlan: Hashable, Sendable {
  case chime
  /// A spoken text.
  case speech(String)
}
