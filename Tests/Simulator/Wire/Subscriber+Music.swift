/// The lengths of bars and beats, computed from the reported values.
extension Subscriber {
  /// The reported bar.
  var pattern: ExactBar.Pattern? {
    var pattern = ExactBar.Pattern()
    guard let tempo = number("tempo"), let notes = integer("meter"),
      let note = integer("meter", 1),
      let count = integer("beat-unit"), let unit = integer("beat-unit", 1),
      let swing = number("swing"), let accents = text("accents"), let groups = text("groups")
    else { return nil }
    pattern.thousandths = Int((tempo * 1_000).rounded())
    (pattern.notes, pattern.note) = (notes, note)
    if count > 0 { pattern.beatUnit = (count, unit) }
    pattern.swing = Int((swing * 1_000).rounded())
    pattern.accents = accents
    pattern.groups = groups.split(separator: "+").compactMap { Int($0) }
    for number in 2...9 {
      if let volume = self.number("subdivision/\(number)"), volume > 0 {
        pattern.subdivisions[number] = Float(volume)
      }
    }
    return pattern
  }

  /// The reported layers by number.
  var layers: [Int: LayerPattern] {
    var layers: [Int: LayerPattern] = [:]
    for number in LayerPattern.numbers {
      layers[number] = text("layer/\(number)").flatMap { LayerPattern($0) }
    }
    return layers
  }

  /// The longest bar to come, in nanoseconds.
  /// - Parameters:
  ///   - document: the open document; nil if there is none.
  ///   - beats: the beats of a bar without a document.
  func barTime(_ document: Document?, beats: Int) -> UInt64 {
    guard isSession, let document else { return beatTime * UInt64(beats) }
    let speed = Double(max(integer("speed") ?? 100, 10))
    return document.sections.map {
      UInt64(Double($0.notes) * 60e12 / Double($0.thousandths) * 100 / speed)
    }.max() ?? 0
  }

  /// The longest beat to come, in nanoseconds.
  var beatTime: UInt64 {
    if isSession { return UInt64(60e9 / 40 * 100 / Double(max(integer("speed") ?? 100, 10))) }
    return UInt64(60e9 / max(number("tempo") ?? 120, 1))
  }

  /// Whole notes of a beat without a document.
  var beatWholes: Double {
    let count = integer("beat-unit") ?? 0
    return count > 0
      ? Double(count) / Double(integer("beat-unit", 1) ?? 4) : 1 / Double(integer("meter", 1) ?? 4)
  }

  /// Whether a document is open.
  var isSession: Bool { text("session")?.isEmpty == false }
}
