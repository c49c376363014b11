import Control
import Engine
import MusicTime

/// How a section sounds. Values that are nil come from the enclosing defaults.
package struct SectionStyle: Equatable, Sendable {
  /// Constant, a ramp, a ladder or a list; in beat units per minute.
  package var tempo: SectionTempo?
  package var meter: Meter?
  package var beatUnit: BeatUnit?
  package var groups: Groups?
  package var subdivisions: [Subdivision: Volume]?
  package var accents: AccentPattern?
  package var volumes: [Fader: Volume]?
  /// The name of a built-in sound set, or the path of a folder.
  package var sound: String?
  /// A CSS name or `#rrggbb`, for displays. Only its form has been checked.
  package var colour: String?
  /// The layers in order of their numbers, from 1.
  package var layers: [StyledLayer]?
  /// Silent as a whole, in gaps or at random.
  @Rare package var silence: SilencePlan?
  /// The values of parameters that sections set in their text form.
  @Rare private var values: [Parameter: ParameterValue]?

  package init() {}

  /// The value of a parameter that sections set in its text form.
  subscript(parameter: Parameter) -> ParameterValue? {
    get { values?[parameter] }
    set {
      var changed = values ?? [:]
      changed[parameter] = newValue
      values = changed.isEmpty ? nil : changed
    }
  }

  /// The same with the parameter's type.
  package subscript<Value>(parameter: TypedParameter<Value>) -> Value? {
    get { self[parameter.parameter].flatMap { try? Value($0, of: parameter.parameter) } }
    set { self[parameter.parameter] = newValue?.parameterValue }
  }

  package var swing: Swing? { self[Parameters.swing] }

  /// The parameters that it sets in their text form, in the order of their keys.
  var parameters: [(key: String, parameter: Parameter, value: ParameterValue)] {
    guard let values else { return [] }
    return values.map { (key: $0.key.sectionKey ?? $0.key.name, parameter: $0.key, value: $0.value) }
      .sorted { $0.key < $1.key }
  }

  /// This style, with its nil values taken from `base`.
  ///
  /// Accents and groups of `base` are not taken if they don't fit this style's bar, or if this style has its own groups.
  func over(_ base: SectionStyle) -> SectionStyle {
    var style = base
    if tempo != nil { style.tempo = tempo }
    if sound != nil { style.sound = sound }
    if colour != nil { style.colour = colour }
    if silence != nil { style.silence = silence }
    if layers != nil { style.layers = layers }
    if subdivisions != nil { style.subdivisions = subdivisions }
    if let values { style.values = (base.values ?? [:]).merging(values) { $1 } }
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

  var gains: Gains {
    var gains = Gains { volumes?[$0] ?? .full }
    for (index, layer) in (layers ?? []).enumerated() { gains.layers[index] = layer.volume.gain }
    return gains
  }

  var layerPlans: [LayerPlan] { (layers ?? []).enumerated().map { LayerPlan($0 + 1, $1.layer) } }
}
