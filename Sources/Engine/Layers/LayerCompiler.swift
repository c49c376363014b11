import MusicTime

/// Compiles the layers of a score's sections. Sections with the same layers in the same bar share them.
struct LayerCompiler {
  private struct Key: Hashable {
    let plans: [LayerPlan]
    let bar: UnsafePointer<BarLayout.Onset>
    /// The section's own sound.
    let sound: String
  }

  private var known: [Key: UnsafeBufferPointer<SectionLayer>] = [:]
  /// The section built last, with the values that decide whether its layers continue.
  private var before: (section: Score.Section, source: Int, isCountIn: Bool)?

  /// All compiled layers, each list once.
  var all: [UnsafeBufferPointer<SectionLayer>] { Array(known.values) }

  /// The layers of a section.
  /// - Parameters:
  ///   - bar: its bar, whose address identifies it.
  ///   - clips: the clips of a sound set by its name; for nil, those of the section.
  mutating func layers(
    of plan: SectionPlan, _ bar: UnsafePointer<BarLayout.Onset>, clips: (String?) -> SoundingClips
  ) -> UnsafeBufferPointer<SectionLayer> {
    guard !plan.layers.isEmpty else { return UnsafeBufferPointer(start: nil, count: 0) }
    let key = Key(plans: plan.layers, bar: bar, sound: plan.sound)
    if let layers = known[key] { return layers }
    let layers = UnsafeMutableBufferPointer<SectionLayer>.allocate(capacity: plan.layers.count)
    for (index, layer) in plan.layers.enumerated() {
      layers.initializeElement(
        at: index, to: SectionLayer(layer, in: plan.layout, clips: clips(layer.layer.sound)))
    }
    known[key] = UnsafeBufferPointer(layers)
    return UnsafeBufferPointer(layers)
  }

  /// The phases of a section's layers at its start: a layer continues through plans with the same `source`, and through all
  /// sections if it never restarts. The caller owns them; empty if all are 0.
  func phases(
    of plan: SectionPlan, _ layers: UnsafeBufferPointer<SectionLayer>
  ) -> UnsafeBufferPointer<Int128> {
    let none = UnsafeBufferPointer<Int128>(start: nil, count: 0)
    guard let before, !before.isCountIn else { return none }
    let phases = layers.map { layer -> Int128 in
      guard layer.rhythm.pulsesPerBar == 0, let index = before.section.layer(layer.rhythm.index) else {
        return 0
      }
      let old = before.section.layers[index]
      guard old.rhythm.pulsesPerBar == 0, old.rhythm.isEndless == layer.rhythm.isEndless,
        layer.rhythm.isEndless || plan.source == before.source
      else { return 0 }
      return before.section.phase(after: old, from: before.section.phase(index))
    }
    guard phases.contains(where: { $0 != 0 }) else { return none }
    let copy = UnsafeMutableBufferPointer<Int128>.allocate(capacity: phases.count)
    _ = copy.initialize(from: phases)
    return UnsafeBufferPointer(copy)
  }

  /// Records a section that has been built.
  mutating func note(_ section: Score.Section, of plan: SectionPlan) {
    before = (section, plan.source, plan.isCountIn)
  }
}
