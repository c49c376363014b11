import Engine
import Testing

@testable import JACKClient

@Suite struct PipeWireTickTests {
  /// What PipeWire shows of a position: `jack_to_position`, then `position_to_jack`.
  private func shown(bar: Int32, beat: Int32, tick: Int32, beatsPerBar: Float, ticksPerBeat: Double)
    -> Cycle.Leader
  {
    let passed = Double(Float(bar) * beatsPerBar + Float(beat - 1)) + Double(tick) / ticksPerBeat
    let bar = Int32(passed / Double(beatsPerBar))
    let barStart = Int(Float(bar) * beatsPerBar)
    let beat = Int32(passed - Double(barStart))
    return Cycle.Leader(
      bar: Int(bar), beat: Int(beat) + 1,
      tick: Double(Int32((passed - Double(barStart + Int(beat))) * ticksPerBeat)), isTickExact: false,
      ticksPerBeat: ticksPerBeat, offset: 0, beatsPerMinute: 120, beatsPerBar: Double(beatsPerBar),
      beatType: 4,
      barStartTick: 0)
  }

  @Test(arguments: [(3, 1_920.0), (4, 1_920), (4, 960), (7, 480), (5, 24), (4, 10_000)] as [(Float, Double)])
  func `A leader's tick is known, or is one of two`(beatsPerBar: Float, ticksPerBeat: Double) {
    var (known, lowered) = (0, 0)
    var all = 0
    for bar in [1, 2, 7, 40, 333, 5_000] as [Int32] {
      for tick in 0..<Int32(ticksPerBeat) {
        let beat = tick % Int32(beatsPerBar) + 1
        let seen = shown(
          bar: bar, beat: beat, tick: tick, beatsPerBar: beatsPerBar, ticksPerBeat: ticksPerBeat)
        let reading = PipeWireTick.corrected(seen)
        #expect(reading.bar == Int(bar) && reading.beat == Int(beat))
        #expect(reading.tick == Double(tick) || reading.mayTickBeLow && reading.tick == Double(tick - 1))
        all += 1
        if !reading.mayTickBeLow { known += 1 }
        if seen.tick != Double(tick) { lowered += 1 }
      }
    }
    // The correction has something to do, and does it.
    #expect(lowered > 0 && known > 0)
  }

  @Test func `Of older versions each tick may be one too low`() {
    var reading = shown(bar: 3, beat: 2, tick: 17, beatsPerBar: 4, ticksPerBeat: 1_920)
    #expect(PipeWireTick.corrected(reading, isKnown: false).mayTickBeLow)
    #expect(PipeWireTick.corrected(reading, isKnown: false).tick == reading.tick)
    reading.isTickExact = true
    #expect(!PipeWireTick.corrected(reading, isKnown: false).mayTickBeLow)
  }

  @Test(arguments: [
    ("3.0.0.0 (using PipeWire 0.3.65)", false), ("3.0.0.0 (using PipeWire 1.2.7)", false),
    ("3.0.0.0 (using PipeWire 1.4.0)", true), ("3.0.0.0 (using PipeWire 2.0)", true), ("1.9.22", false),
    ("using PipeWire ", false),
  ])
  func `The version says how ticks are passed`(text: String, isKnown: Bool) {
    #expect(JACKLibrary.countsFromBarZero(text) == isKnown)
  }

  @Test(arguments: [Double.nan, .infinity, -1, 0, 1e300])
  func `Impossible numbers are left alone`(number: Double) {
    var reading = shown(bar: 1, beat: 1, tick: 0, beatsPerBar: 4, ticksPerBeat: 1_920)
    reading.ticksPerBeat = number
    #expect(PipeWireTick.corrected(reading).bar == 1)
    reading.ticksPerBeat = 1_920
    reading.tick = number
    #expect(PipeWireTick.corrected(reading).bar == 1)
  }
}
