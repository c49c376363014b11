import MusicTime

/// A map divided into blocks of whole bars with one meter each, at markers and changes of the meter.
struct MapBlocks {
  struct Block {
    let start: Int
    let end: Int
    /// From 1, counted from the map's start.
    let firstBar: Int
    let meter: Meter
    let beat: BeatUnit
    /// Ticks of a beat.
    let beatTicks: Int
    /// Ticks of a bar; more than the block has if it is an incomplete bar that no meter fits.
    let barTicks: Int
    var name = ""

    var isPart: Bool { barTicks > end - start }
  }

  private(set) var blocks: [Block] = []
  private(set) var remarks: [String] = []
  private let map: ForeignMap
  private var bar = 1

  init(_ map: ForeignMap) {
    self.map = map
    for (index, signature) in map.signatures.enumerated() {
      let isLast = index + 1 == map.signatures.count
      span(signature, to: isLast ? max(map.end, signature.tick) : map.signatures[index + 1].tick, isLast)
    }
    cut(at: markers())
  }

  private mutating func span(_ signature: ForeignMap.Signature, to end: Int, _ isLast: Bool) {
    let bar = ticks(signature.meter.barLength)
    var bars = (end - signature.tick) / bar
    var rest = (end - signature.tick) % bar
    if isLast, rest > 0 || bars == 0 {
      // Programs write the end of the last note, or the last change, as the end.
      if rest > 0 {
        remarks.append("bar \(self.bar + bars): the file ends in this bar, which is played to its end")
      }
      (bars, rest) = (bars + 1, 0)
    }
    add(signature.meter, click: signature.click, from: signature.tick, bars: bars)
    guard rest > 0 else { return }
    if let meter = MapBlocks.meter(of: Rational(rest, 4 * map.quarter), like: signature.meter) {
      add(meter, click: nil, from: end - rest, bars: 1)
    } else {
      remarks.append(
        "bar \(self.bar): it is cut short where no meter fits, and becomes a section of thousandths of a second"
      )
      let beat = signature.meter.note
      blocks.append(
        Block(
          start: end - rest, end: end, firstBar: self.bar, meter: signature.meter, beat: beat,
          beatTicks: ticks(beat.length), barTicks: bar))
      self.bar += 1
    }
  }

  /// A click of several notes becomes the beat unit. A click of a quarter is ignored, because programs write it for any meter.
  private mutating func add(_ meter: Meter, click: BeatUnit?, from start: Int, bars: Int) {
    guard bars > 0 else { return }
    var beat = meter.note
    if let click, click.length != Rational(1, 4) {
      let notes = click.length * Rational(meter.unit)
      if notes.denominator == 1, meter.count % notes.numerator == 0 { beat = click }
    }
    let length = ticks(meter.barLength)
    blocks.append(
      Block(
        start: start, end: start + bars * length, firstBar: bar, meter: meter, beat: beat,
        beatTicks: ticks(beat.length), barTicks: length))
    bar += bars
  }

  /// The meter of a short bar, in the notes of its neighbours if it has a whole number of them.
  private static func meter(of length: Rational, like meter: Meter) -> Meter? {
    let notes = length * Rational(meter.unit)
    if notes.denominator == 1, let meter = try? Meter(notes.numerator, meter.unit) { return meter }
    return try? Meter(length.numerator, length.denominator)
  }

  private func ticks(_ length: Rational) -> Int { length.numerator * 4 * map.quarter / length.denominator }

  /// The markers, moved to the nearest bar lines, in order.
  private mutating func markers() -> [(tick: Int, names: [String])] {
    var found: [(tick: Int, names: [String])] = []
    var index = 0
    for marker in map.markers {
      while index < blocks.count - 1, blocks[index].end <= marker.tick { index += 1 }
      let block = blocks[index]
      let length = min(block.barTicks, block.end - block.start)
      let bars = (marker.tick - block.start + length / 2) / length
      let tick = block.start + bars * length
      guard tick < map.end, marker.tick < map.end else {
        remarks.append("the marker \(MapBlocks.shown(marker.name)) at the end begins no section")
        continue
      }
      if tick != marker.tick {
        remarks.append(
          "bar \(block.firstBar + bars): the marker \(MapBlocks.shown(marker.name)) is not on a bar line; its section begins with this bar"
        )
      }
      if found.last?.tick == tick {
        found[found.count - 1].names.append(marker.name)
      } else {
        found.append((tick, [marker.name]))
      }
    }
    return found
  }

  private static func shown(_ name: String) -> String { "'\(name.prefix(40))'" }

  /// Divides the blocks at the markers.
  private mutating func cut(at markers: [(tick: Int, names: [String])]) {
    var cut: [Block] = []
    var next = 0
    for block in blocks {
      var start = block.start
      var name = ""
      while next < markers.count, markers[next].tick < block.end {
        let (tick, names) = markers[next]
        if tick > start { cut.append(block.part(from: start, to: tick, name)) }
        (start, name) = (tick, names.joined(separator: " / "))
        next += 1
      }
      cut.append(block.part(from: start, to: block.end, name))
    }
    blocks = cut
  }
}

extension MapBlocks.Block {
  /// - Parameters:
  ///   - from: a bar line of the block.
  ///   - name: the name of the section.
  fileprivate func part(from start: Int, to end: Int, _ name: String) -> Self {
    Self(
      start: start, end: end, firstBar: firstBar + (start - self.start) / barTicks, meter: meter, beat: beat,
      beatTicks: beatTicks, barTicks: barTicks, name: name)
  }
}
