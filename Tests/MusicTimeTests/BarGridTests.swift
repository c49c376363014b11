import MusicTime
import TestNumbers
import Testing

@Suite("BarGrid")
struct BarGridTests {
  private static let rates = [44_100, 48_000, 88_200, 96_000, 192_000]

  private func grid(
    _ count: Int, _ unit: Int, beat: (Int, Int)? = nil, thousandths: Int = 120_000, rate: Int = 48_000,
    everything: Bool = false, swing: Double = 0
  ) throws -> BarGrid {
    let all = everything ? Dictionary(uniqueKeysWithValues: Subdivision.all.map { ($0, Float(1)) }) : [:]
    let layout = try BarLayout(
      meter: Meter(count, unit), beatUnit: beat.map { try BeatUnit($0.0, $0.1) }, subdivisions: all,
      swing: Swing(swing))
    return BarGrid(layout, tempo: try Tempo(thousandths: thousandths), sampleRate: rate)
  }

  /// Grids of every meter that the seed hits, with all that makes one fine.
  private func sample(_ seed: UInt64, _ times: Int, _ body: (BarGrid, Double) throws -> Void) throws {
    var numbers = Generator(seed: seed)
    for _ in 0..<times {
      let dots = [(1, 1), (3, 2), (7, 4)][numbers.number(0...2)]
      let thousandths = [1_000, 999_999, numbers.number(1_000...999_999)][numbers.number(0...2)]
      let rate = Self.rates[numbers.number(0...4)]
      let beat = (dots.0, dots.1 * numbers.number(1...99))
      let (count, unit) = (numbers.number(1...99), numbers.number(1...99))
      let grid = try grid(
        count, unit, beat: beat, thousandths: thousandths, rate: rate, everything: count % 8 == 0,
        swing: Double(numbers.number(0...1_000)) / 1_000)
      try body(grid, Double(60_000 * rate) / Double(thousandths))
    }
  }

  @Test("A position's time leads back to exactly that position, for bars before, at and long after the first")
  func positionToTime() throws {
    var numbers = Generator(seed: 1)
    try sample(2, 3_000) { grid, framesPerBeat in
      for bar in [1, 0, -1, 2, numbers.number(-100_000...100_000), numbers.number(-1_000_000...1_000_000)] {
        let short = UInt128(grid.stepsPerBar) << 64 / UInt128(grid.stepsPerBeat)
        for beats in [0, short / 3, short - 1, UInt128.random(in: 0..<short, using: &numbers)] {
          let position = Position(bar: bar, beats: beats)
          #expect(grid.position(at: grid.time(of: position)) == position)
        }
      }
    }
  }

  @Test(
    "A time's position leads back to that time within 2⁻⁶⁴ beats, for times before, at and long after the origin"
  )
  func timeToPosition() throws {
    var numbers = Generator(seed: 3)
    try sample(4, 3_000) { grid, framesPerBeat in
      for range in [1 << 4, 1 << 20, 1 << 44] {
        let frame = Int64(numbers.number(-range...range))
        let time = FrameDuration(raw: Int128(frame) << 64 + Int128(numbers.next()))
        let back = grid.time(of: grid.position(at: time))
        #expect(back <= time && Double((time - back).raw) <= framesPerBeat + 1)
      }
    }
  }

  @Test("The time of a beat, a step and a position that mean the same are one, and in order")
  func sameTime() throws {
    try sample(5, 1_000) { grid, _ in
      var last = FrameDuration(raw: .min)
      for bar in [-1_000_000, -1, 0, 1, 2, 1_000_000] {
        let time = grid.time(bar: bar, step: 0)
        #expect(time == grid.time(of: Position(bar: bar, beats: 0)) && last < time)
        #expect(grid.step(at: time) == (bar, 0))
        #expect(grid.step(at: time - FrameDuration(raw: 1)) == (bar - 1, grid.stepsPerBar - 1))
        last = time
      }
    }
  }

  @Test("A beat at 130 BPM and 44.1 kHz is where arithmetic says, an hour in")
  func byHand() throws {
    let grid = try grid(4, 4, thousandths: 130_000, rate: 44_100)
    // 7 800 beats an hour, 1 950 bars: exactly 3 600 · 44 100 frames.
    #expect(grid.time(bar: 1_951, step: 0) == FrameDuration(wholeFrames: 158_760_000))
    // One beat is 264 600/13 frames.
    #expect(grid.time(of: Position(bar: 1, beat: 2)).nearestFrames == 20_354)
    #expect(grid.position(at: FrameDuration(wholeFrames: 158_760_000)) == Position(bar: 1_951, beat: 1))
  }

  @Test("The notes of the meter run on through the bar whatever the tempo counts")
  func notes() throws {
    let grid = try grid(7, 8, beat: (1, 4))
    let time = grid.time(of: Position(bar: 3, beat: 4, fraction: 0.25))
    let (bar, notes) = grid.notes(at: time, unit: 8)
    #expect(bar == 3)
    #expect(notes == UInt128(13) << 63)
  }

  @Test("Beats that don't fit a bar go on in the next")
  func normalised() throws {
    let grid = try grid(7, 8, beat: (1, 4))
    #expect(grid.normalised(Position(bar: 2, beat: 5)) == Position(bar: 3, beat: 1, fraction: 0.5))
    #expect(grid.normalised(Position(bar: 2, beat: 4)) == Position(bar: 2, beat: 4))
    #expect(grid.normalised(Position(bar: -1, beat: 8)) == Position(bar: 1, beat: 1))
  }

  @Test("The same place in a bar with another beat unit")
  func samePlace() throws {
    let (eighths, dotted) = (try grid(6, 8, beat: (1, 8)), try grid(6, 8, beat: (3, 8)))
    for (position, other) in [
      (Position(bar: 1, beat: 4), Position(bar: 1, beat: 2)),
      (Position(bar: 9, beat: 2, fraction: 0.5), Position(bar: 9, beat: 1, fraction: 0.5)),
    ] {
      #expect(dotted.samePlace(as: position, in: eighths) == other)
      #expect(eighths.samePlace(as: other, in: dotted) == position)
    }
    // Thirds are rounded down, and the largest numbers of beats fit.
    let third = dotted.samePlace(as: Position(bar: 1, beat: 2), in: eighths)
    #expect(third.beats == (1 << 64) / 3 && third.bar == 1)
    let (long, short) = (try grid(99, 1, beat: (7, 4)), try grid(99, 1, beat: (1, 99)))
    let last = Position(bar: 5, beats: UInt128(9_801) << 64 - 1)
    let place = long.samePlace(as: last, in: short)
    #expect(place.beat == 57 && short.samePlace(as: place, in: long).beats <= last.beats)
  }

  @Test("The finest grids that there are keep their bounds and don't trap after a thousand days")
  func extremes() throws {
    for (count, unit, beat) in [
      (97, 89, (7, 388)), (98, 97, (7, 388)), (99, 97, (7, 396)), (1, 89, (7, 388)), (99, 91, (7, 388)),
      (99, 98, (3, 194)), (99, 1, (1, 99)), (1, 99, (7, 4)), (1, 97, (7, 396)),
    ] {
      for (thousandths, rate) in [
        (999_999, 192_000), (999_999, 44_100), (1_000, 192_000), (999_983, 192_000),
      ] {
        let grid = try grid(
          count, unit, beat: beat, thousandths: thousandths, rate: rate, everything: count < 99 || unit > 1,
          swing: 0.999)
        // Frames a step, from the definitions, in lowest terms.
        let top = Int128(60_000 * rate) * Int128(beat.1)
        let bottom = Int128(thousandths) * Int128(beat.0) * Int128(grid.stepsPerWhole)
        #expect(bottom / greatestCommonDivisor(top, bottom) < 1 << 58)
        let days = FrameDuration(wholeFrames: Int64(rate) * 86_400 * 1_000)
        for time in [days, -days] {
          let position = grid.position(at: time)
          #expect((grid.time(of: position) - time).magnitude.raw <= Int128(60_000 * rate / thousandths) + 1)
          #expect(grid.time(bar: position.bar, step: 0) <= time)
          #expect(time < grid.time(bar: position.bar + 1, step: 0))
        }
      }
    }
  }

  @Test("At another's pace a bar lasts as long as that says, and time and position stay inverse")
  func paced() throws {
    var numbers = Generator(seed: 6)
    try sample(7, 500) { grid, _ in
      for framesPerWhole in [1_000.5, 96_000, 88_615.384_615_384_61, 0x1p31] {
        let paced = grid.paced(framesPerWhole: framesPerWhole)
        let wholes = Double(grid.stepsPerBar) / Double(grid.stepsPerWhole)
        let bars = numbers.number(1...1_000)
        let time = paced.time(bar: bars + 1, step: 0)
        let exact = Double(bars) * wholes * framesPerWhole
        #expect(abs(Double(time.raw) * 0x1p-64 - exact) <= 1e-12 * exact + Double(bars) * wholes * 0x1p-23)
        #expect(paced.position(at: time) == Position(bar: bars + 1, beats: 0))
        let position = Position(bar: -bars, beats: UInt128(1) << 62)
        let normal = paced.normalised(position)
        #expect(paced.position(at: paced.time(of: normal)) == normal)
      }
    }
  }

  @Test("Grids keep each other's time where bars and beats last as long, and only there")
  func keepsTime() throws {
    let quarters = try grid(4, 4)
    #expect(quarters.keepsTime(of: try grid(4, 4, everything: true, swing: 0.7)))
    #expect(quarters.keepsTime(of: try grid(8, 8, beat: (1, 4))))
    #expect(!quarters.keepsTime(of: try grid(4, 4, thousandths: 120_001)))
    #expect(!quarters.keepsTime(of: try grid(3, 4)))
    #expect(!quarters.keepsTime(of: try grid(4, 4, beat: (1, 8), thousandths: 240_000)))
  }

  @Test("A time's pulses lead back to it, before the origin too, and a quarter has 24")
  func pulses() throws {
    for (meter, unit, tempo) in [
      ((4, 4), (1, 4), 120_000), ((7, 8), (3, 8), 133_701), ((5, 3), (1, 99), 999_999),
    ] {
      let layout = try BarLayout(
        meter: Meter(meter.0, meter.1), beatUnit: BeatUnit(unit.0, unit.1))
      let grid = BarGrid(layout, tempo: try Tempo(thousandths: tempo), sampleRate: 44_100)
      for pulse in [-1_000_000_007, -1, 0, 1, 23, 98_765_432_101] as [Int128] {
        let raw = pulse << 64 + 12_345
        #expect(abs(grid.pulses(at: grid.time(ofPulses: raw)) - raw) <= 1)
      }
      // As many in ten bars as ten bars have whole notes, 96 in each.
      let bars = grid.pulses(bar: 11, step: 0)
      #expect(bars == (Int128(960 * meter.0) << 64) / Int128(meter.1))
      #expect(abs(grid.pulses(at: grid.time(bar: 11, step: 0)) - bars) <= 1)
    }
  }
}
