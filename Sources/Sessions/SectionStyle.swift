import Control
import Engine
import MusicTime

/// How a section sounds. Values that are nil come from the enclosing defaults.
public struct SectionStyle: Equatable, Sendable {
  /// Constant, a ramp, a ladder or a list; in beat units per minute.
  public var tempo: SectionTempo?
  public var meter: Meter?
  public var beatUnit: BeatUnit?
  public var groups: Groups?
  public var subdivisions: [Subdivision: Volume]?
  public var accents: AccentPattern?
  public var swing: Swing?
  public var volumes: [Fader: Volume]?
  /// The name of a built-in sound set, or the path of a folder.
  public var sound: String?
  public var colour: String?
  /// Silent as a whole, in gaps or at random.
  public var silence: SilencePlan?

  public init() {}

  /// This style, with its nil values taken from `base`.
  ///
  /// Accents and groups of `base` are not taken if they don't fit this style's bar, or if this style has its own groups.
  func over(_ base: SectionStyle) -> SectionStyle {
    var style = base
    if tempo != nil { style.tempo = tempo }
    if swing != nil { style.swing = swing }
    if sound != nil { style.sound = sound }
    if colour != nil { style.colour = colour }
    if silence != nil { style.silence = silence }
    if subdivisions != nil { style.subdivisions = subdivisions }
    if let volumes { style.volumes = (base.volumes ?? [:]).merging(volumes) { $1 } }
    if meter != nil || beatUnit != nil {
      if meter != nil { style.meter = meter }
      if beatUnit != nil { style.beatUnit = beatUnit }
      let beats = style.beats
      if let accents = style.accents, accents.accents.count != beats { style.accents = nil }
      if let groups = style.groups, groups.beats != beats { style.groups = nil }
    }
    if groups != nil {
      style.groups = groups
      style.accents = nil
    }
    if accents != nil { style.accents = accents }
    return style
  }

  /// Beats in a bar; the last may be short.
  var beats: Int {
    let meter = meter ?? .common
    return BarLayout.beats(in: meter, unit: beatUnit ?? meter.note)
  }

  var gains: Gains { Gains { volumes?[$0] ?? .full } }
}
