import Engine
import Glibc
import MusicTime
import Validation

/// Converts another program's tempo map to the parts of a session.
///
/// Sections begin on bar lines: at markers, and where the meter or the tempo changes. A bar in which the tempo changes has a
/// tempo for each beat. If a tempo in thousandths rounds to the file's tempo, it is used: it is probably the tempo that the
/// program rounded. Other tempos are rounded, and the remarks report the error.
struct MapConverter {
  private let map: ForeignMap
  private let fit: TempoFit
  /// Whether a tempo that would have to be rounded becomes a list, in which every beat is in time.
  private let isExact: Bool
  private(set) var parts: [SessionPart] = []
  private(set) var remarks: [String] = []
  /// How badly the tempos fit: counts rounded tempos first, and then decimals.
  private(set) var penalty = 0
  private var tempoCount = 0
  /// The session's time at the present point, in microseconds.
  private var exact = 0.0
  /// The largest difference between the session's beats and the file's, in microseconds.
  private var worst = 0.0
  /// The tick up to which a search has found no ramp.
  private var seen = 0

  /// Half a frame at 48 kHz, in microseconds. Smaller errors are inaudible.
  private static let halfFrame = 500_000.0 / 48_000

  init(_ map: ForeignMap, isTracked: Bool, isExact: Bool) throws(ImportError) {
    self.map = map
    self.isExact = isExact
    fit = TempoFit(map: map, isTracked: isTracked)
    let blocks = MapBlocks(map)
    remarks = blocks.remarks
    for block in blocks.blocks { try convert(block) }
    if worst >= 2 * MapConverter.halfFrame {
      remarks.append(
        "in total, beats are up to \(MapConverter.frames(worst)) away from their time by the file's tempos")
    }
  }

  private func refuse(_ block: MapBlocks.Block, at tick: Int, _ what: String, allowed: String)
    -> ImportError
  {
    let bar = block.firstBar + (tick - block.start) / block.barTicks
    return ImportError(file: map.file, place: "bar \(bar)", what: what, allowed: allowed)
  }

  private mutating func convert(_ block: MapBlocks.Block) throws(ImportError) {
    guard !block.isPart else { return try addRest(block) }
    var at = block.start
    while at < block.end {
      if let end = try addRamp(block, from: at) {
        at = end
        continue
      }
      let run = fit.run(from: at, to: block.end, exact: exact, beat: block.beatTicks)
      let bars = ((run?.end ?? at) - at) / block.barTicks
      guard bars > 0, let run else {
        at = try addList(block, from: at)
        continue
      }
      let end = at + bars * block.barTicks
      if run.tempo == nil, isExact, try rounding(block, from: at, to: end) > MapConverter.halfFrame {
        at = try addList(block, from: at, to: end)
      } else {
        try addConstant(block, run.tempo, from: at, bars: bars)
        at = end
      }
    }
  }

  /// Adds an incomplete bar that no meter fits.
  private mutating func addRest(_ block: MapBlocks.Block) throws(ImportError) {
    let length = map.microseconds(at: block.end) - exact
    let milliseconds = max(1, Int((length / 1_000).rounded()))
    let tempo = try tempo(
      block, at: block.start, beats: 1, microseconds: block.microseconds(map) / block.beats)
    add(block, at: block.start, .constant(tempo), .milliseconds(milliseconds))
    exact += Double(milliseconds) * 1_000
    note(block.end)
  }

  // MARK: One tempo

  /// The error of a tempo in thousandths at the end of a stretch, in microseconds.
  private func rounding(_ block: MapBlocks.Block, from at: Int, to end: Int) throws(ImportError) -> Double {
    let length = map.microseconds(at: end) - map.microseconds(at: at)
    let beats = Double(end - at) / Double(block.beatTicks)
    let tempo = try tempo(block, at: at, beats: beats, microseconds: length)
    return abs(beats * TempoFit.minute / Double(tempo.thousandths) - length)
  }

  private mutating func addConstant(
    _ block: MapBlocks.Block, _ known: Tempo?, from at: Int, bars: Int
  ) throws(ImportError) {
    let end = at + bars * block.barTicks
    let beats = Double(end - at) / Double(block.beatTicks)
    let length = map.microseconds(at: end) - map.microseconds(at: at)
    let tempo =
      if let known { known } else { try self.tempo(block, at: at, beats: beats, microseconds: length) }
    try add(block, at: at, .constant(tempo), bars: bars)
    exact += beats * TempoFit.minute / Double(tempo.thousandths)
    let error = abs(beats * TempoFit.minute / Double(tempo.thousandths) - length)
    let written = MapConverter.decimal(beats * 60e6 / length)
    penalty += known == nil ? 10_000 : tempo.decimals
    if error >= 2 * MapConverter.halfFrame {
      let bar = block.firstBar + (at - block.start) / block.barTicks
      let cost = "\(MapConverter.frames(error)) after \(bars == 1 ? "its bar" : "its \(bars) bars")"
      if known == nil {
        remarks.append(
          "bar \(bar): tempo \(written) is rounded to \(tempo), because tempos have three decimals: \(cost). With --exact each beat is in time"
        )
      } else if !fit.isTracked {
        remarks.append(
          "bar \(bar): tempo \(tempo), which the file rounds to \(written): the file's own beats would be off by \(cost)"
        )
      }
    }
    note(end)
  }

  // MARK: Ramps

  /// - Returns: the tick of the ramp's end; nil if there is none.
  private mutating func addRamp(_ block: MapBlocks.Block, from at: Int) throws(ImportError) -> Int? {
    let index = map.tempo(at: at)
    guard case .ramp = map.tempos[index].curve, let end = map.end(ofTempo: index) else {
      guard at >= seen, map.tempos[index].tick == at, map.rounding > 0 else { return nil }
      let (ramp, seen) = fit.ramp(from: at, to: block.end, exact: exact, beat: block.beatTicks)
      self.seen = seen
      guard let ramp, (ramp.end - at) % block.barTicks == 0 else { return nil }
      let beats = Double(ramp.end - at) / Double(block.beatTicks)
      try add(block, at: at, .ramp(from: ramp.from, to: ramp.to), bars: (ramp.end - at) / block.barTicks)
      exact += TempoFit.time(beats, beats, Double(ramp.from.thousandths), Double(ramp.to.thousandths))
      penalty += ramp.from.decimals + ramp.to.decimals
      note(ramp.end)
      return ramp.end
    }
    // Its whole bars are a ramp. The rest is a list.
    let bars = (min(end, block.end) - at) / block.barTicks
    guard bars > 0 else { return nil }
    let last = at + bars * block.barTicks
    let (from, to) = (try tempo(block, at: at, in: index), try tempo(block, at: last, in: index))
    let beats = Double(last - at) / Double(block.beatTicks)
    let time = TempoFit.time(beats, beats, Double(from.thousandths), Double(to.thousandths))
    let error = abs(time - (map.microseconds(at: last) - map.microseconds(at: at)))
    guard !isExact || error <= MapConverter.halfFrame else { return try addList(block, from: at, to: last) }
    let tempo = from == to ? SectionTempo.constant(from) : .ramp(from: from, to: to)
    try add(block, at: at, tempo, bars: bars)
    exact += time
    if error >= 2 * MapConverter.halfFrame {
      let bar = block.firstBar + (at - block.start) / block.barTicks
      remarks.append(
        "bar \(bar): the ramp's tempos are rounded to \(from) and \(to): \(MapConverter.frames(error)) at its end. With --exact each beat is in time"
      )
    }
    note(last)
    return last
  }

  /// The tempo of a curve at a tick, to a thousandth.
  private func tempo(_ block: MapBlocks.Block, at tick: Int, in index: Int) throws(ImportError) -> Tempo {
    let length = map.end(ofTempo: index).map { map.quarters($0 - map.tempos[index].tick) }
    let quarter = map.tempos[index].curve.quarter(
      after: map.quarters(tick - map.tempos[index].tick), of: length)
    return try tempo(block, at: tick, beats: 1, microseconds: quarter * map.quarters(block.beatTicks))
  }

  // MARK: A tempo for each beat

  /// Adds a list of tempos up to a tick or, if that is nil, up to the next bar from which on a whole bar has one tempo.
  /// - Returns: the tick of its end.
  private mutating func addList(
    _ block: MapBlocks.Block, from start: Int, to end: Int? = nil
  ) throws(ImportError) -> Int {
    var tempos: [Tempo] = []
    var at = start
    // An existing difference stays, unless the file's tempos compensate it.
    let before = fit.isTracked ? 0 : exact - map.microseconds(at: start)
    var inner = 0
    while at < end ?? block.end {
      if end == nil, at > start {
        let run = fit.run(from: at, to: block.end, exact: exact, beat: block.beatTicks)
        if (run?.end ?? at) - at >= block.barTicks { break }
      }
      let barEnd = at + block.barTicks
      while at < barEnd {
        // The last beat of a bar may be short.
        let next = min(at + block.beatTicks, barEnd)
        let beats = Double(next - at) / Double(block.beatTicks)
        let time = map.microseconds(at: next) + before - exact
        let tolerance = map.rounding * map.quarters(next - at)
        let known = TempoFit.roundest((time - tolerance) / beats, (time + tolerance) / beats)
        let tempo =
          if let known { known } else { try self.tempo(block, at: at, beats: beats, microseconds: time) }
        penalty += known?.decimals ?? 3
        exact += beats * TempoFit.minute / Double(tempo.thousandths)
        tempos.append(tempo)
        note(next)
        if map.tempo(at: next - 1) - map.tempo(at: at) > 0 { inner += 1 }
        at = next
      }
      guard tempos.count <= SessionLimits.tempos - tempoCount else {
        throw refuse(
          block, at: at, "map of more than \(SessionLimits.tempos) changing tempos", allowed: "a simpler map")
      }
    }
    tempoCount += tempos.count
    // The last tempo holds for the rest.
    while tempos.count > 1, tempos[tempos.count - 1] == tempos[tempos.count - 2] { tempos.removeLast() }
    let bars = (at - start) / block.barTicks
    try add(block, at: start, tempos.count == 1 ? .constant(tempos[0]) : .beats(tempos), bars: bars)
    if inner > 0 {
      remarks.append(
        "bar \(block.firstBar + (start - block.start) / block.barTicks): the tempo changes within \(inner) of the section's beats, which have their mean tempo: each begins in time"
      )
    }
    return at
  }

  // MARK: Sections

  private func tempo(
    _ block: MapBlocks.Block, at tick: Int, beats: Double, microseconds: Double
  ) throws(ImportError) -> Tempo {
    let thousandths = beats * TempoFit.minute / microseconds
    guard let tempo = try? Tempo(thousandths / 1_000) else {
      throw refuse(
        block, at: tick, "tempo \(MapConverter.decimal(thousandths / 1_000))",
        allowed: Tempo.allowed)
    }
    return tempo
  }

  private mutating func add(
    _ block: MapBlocks.Block, at tick: Int, _ tempo: SectionTempo, bars: Int
  ) throws(ImportError) {
    guard parts.count < SessionLimits.plans else {
      throw refuse(
        block, at: tick, "map of more than \(SessionLimits.plans) sections", allowed: "a simpler map")
    }
    guard bars <= SessionLimits.bars else {
      throw refuse(
        block, at: tick, "section of \(bars) bars", allowed: "at most \(SessionLimits.bars) bars long")
    }
    add(block, at: tick, tempo, .bars(bars))
  }

  private mutating func add(
    _ block: MapBlocks.Block, at tick: Int, _ tempo: SectionTempo, _ length: SectionLength
  ) {
    var style = SectionStyle()
    style.tempo = tempo
    style.meter = block.meter
    if block.beat != block.meter.note { style.beatUnit = block.beat }
    let name = tick == block.start ? block.name : ""
    parts.append(.section(SessionSection(name: name, length: length, style: style)))
  }

  private mutating func note(_ tick: Int) { worst = max(worst, abs(exact - map.microseconds(at: tick))) }

  // MARK: Words

  /// Microseconds in frames, as `29 frames at 48 kHz (0.6 ms)`.
  private static func frames(_ microseconds: Double) -> String {
    let frames = Int(min((microseconds * 0.048).rounded(), 1e15))
    return
      "\(frames) \(frames == 1 ? "frame" : "frames") at 48 kHz (\((microseconds / 10).rounded() / 100) ms)"
  }

  private static func decimal(_ number: Double) -> String {
    let digits = (number * 1e6).rounded() / 1e6
    return digits == digits.rounded() && abs(digits) < 1e15 ? "\(Int(digits))" : "\(digits)"
  }
}

extension MapBlocks.Block {
  var beats: Double { Double(end - start) / Double(beatTicks) }

  func microseconds(_ map: ForeignMap) -> Double { map.microseconds(at: end) - map.microseconds(at: start) }
}
