import Control
import MusicTime
import Validation

/// A layer of a section, with its volume.
package struct StyledLayer: Hashable, Sendable {
  package var layer: Layer
  package var volume: Volume

  package init(_ layer: Layer, volume: Volume = .full) { (self.layer, self.volume) = (layer, volume) }
}

/// Reads the keys `layers` and `polyrhythm`.
struct LayerReader {
  let log: FaultLog
  /// Reads the name of a sound set.
  let sound: (Node) -> String?

  /// The layers of a section, in order; nil if neither key is present.
  func layers(_ fields: Fields) -> [StyledLayer]? {
    var layers = fields["layers"].map(list)
    if let node = fields["polyrhythm"], let polyrhythm = polyrhythm(node) {
      layers = (layers ?? []) + [StyledLayer(polyrhythm.layer)]
    }
    if let layers, layers.count > Layer.numbers.count {
      let mark = (fields["layers"] ?? fields["polyrhythm"])?.mark
      log.report(mark, "\(layers.count) layers", allowed: "at most \(Layer.numbers.count)")
    }
    return layers.map { Array($0.prefix(Layer.numbers.count)) }
  }

  private func polyrhythm(_ node: Node) -> Polyrhythm? {
    log.read(at: node.mark) { () throws(InvalidValue) in
      try Polyrhythm(text: readPlain(node, "polyrhythm", allowed: "pulses against beats, as in 3:4"))
    }
  }

  private func list(_ node: Node) -> [StyledLayer] {
    guard case .sequence(let list) = node else {
      log.report(node.mark, "layers \(node.shown)", allowed: "a list, as - {pulses: 5, over: bar}")
      return []
    }
    var names: Set<String> = []
    var layers: [StyledLayer] = []
    for node in list.items {
      guard let layer = layer(node) else { continue }
      if !layer.layer.name.isEmpty, !names.insert(layer.layer.name).inserted {
        log.report(
          node.mark, "name \(quoted(layer.layer.name)) twice", allowed: "different for every layer")
      }
      layers.append(layer)
    }
    return layers
  }

  private func layer(_ node: Node) -> StyledLayer? {
    guard let fields = Fields(node, of: "layer", known: DocumentKeys.layer, log),
      let rate = rate(fields)
    else { return nil }
    var layer = StyledLayer(Layer(rate))
    if let name = read("name", of: fields, { text throws(InvalidValue) in try Layer.name(text) }) {
      layer.layer.name = name
    }
    layer.layer.pattern = read("pattern", of: fields) { text throws(InvalidValue) in try Layer.pattern(text) }
    if let reset = read("reset", of: fields, { text throws(InvalidValue) in try Layer.reset(text) }) {
      layer.layer.reset = reset
    }
    layer.layer.note = read("note", of: fields) { text throws(InvalidValue) in try Layer.note(text) }
    layer.layer.sound = fields["sound"].flatMap(sound)
    if let node = fields["volume"] {
      let volume = log.read(at: node.mark) { () throws(InvalidValue) in try readVolume(node, "volume") }
      layer.volume = volume ?? .full
    }
    return layer
  }

  private func rate(_ fields: Fields) -> Layer.Rate? {
    let given = fields.keys(among: ["pulses", "over", "every"])
    guard given.contains(where: { $0.key == "every" }) else {
      let pulses = log.required("pulses", of: fields, allowed: "how many over a bar, or every with a note") {
        node throws(InvalidValue) in try readInteger(node, "pulses", Layer.pulses)
      }
      let span =
        fields["over"] == nil
        ? .bars(1)
        : read("over", of: fields) {
          text throws(InvalidValue) in try Layer.span(text)
        }
      guard let pulses, let span else { return nil }
      return .pulses(pulses, over: span)
    }
    for extra in given where extra.key != "every" {
      log.report(extra.mark, "\(extra.key) besides every", allowed: "pulses and over, or every")
    }
    return read("every", of: fields) { text throws(InvalidValue) in .every(try Layer.every(text)) }
  }

  private func read<T>(
    _ key: StaticString, of fields: Fields, _ body: (String) throws(InvalidValue) -> T
  ) -> T? {
    guard let node = fields[key] else { return nil }
    return log.read(at: node.mark) { () throws(InvalidValue) in
      try body(readPlain(node, "\(key)", allowed: "a single value"))
    }
  }
}
