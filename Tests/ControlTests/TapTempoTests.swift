import TestNumbers
import Testing

@testable import Control

@Suite struct TapTempoTests {
  @Test(arguments: [20.5, 60, 120, 133.7, 300, 999])
  func perfectTapsGiveTheirExactTempo(_ tempo: Double) throws {
    for origin in [0, 1e6, 4e9] {
      var taps = TapTempo()
      #expect(taps.tap(at: origin) == nil)
      for index in 1..<40 {
        let tap = taps.tap(at: origin + Double(index) * 60 / tempo)
        let heard = try #require(tap)
        // At 4·10⁹ seconds the clock's resolution is that coarse.
        #expect(abs(heard - tempo) < (origin > 1e8 ? 0.1 : 0.001))
      }
    }
  }

  @Test func aLargeClockValueCostsNoPrecision() throws {
    var (near, far) = (TapTempo(), TapTempo())
    let origin = 0x1p31
    for index in 0..<20 {
      // Halves are exact at any origin.
      let time = Double(index) * 0.5
      #expect(near.tap(at: time) == far.tap(at: origin + time))
    }
    #expect(near.tap(at: 10) == 120)
  }

  @Test func tapsTenMillisecondsOffGiveASteadierTempoThanTheLastInterval() {
    var random = Generator(seed: 7)
    var taps = TapTempo()
    var last = 0.0
    var (fitted, naive) = (0.0, 0.0)
    for index in 0..<500 {
      let time = Double(index) * 0.5 + Double.random(in: -0.01...0.01, using: &random)
      if let tempo = taps.tap(at: time), index >= 16 {
        fitted = max(fitted, abs(tempo - 120))
        naive = max(naive, abs(60 / (time - last) - 120))
      }
      last = time
    }
    #expect(fitted < 0.6)
    #expect(naive > 6 * fitted)
  }

  @Test func anIntervalThatStraysByMoreThanAFifthBeginsANewRow() throws {
    var taps = TapTempo()
    for index in 0..<8 { _ = taps.tap(at: Double(index) * 0.5) }
    for strayed in [3.5 + 0.3, 3.5 + 0.6] {
      let tap = taps.tap(at: strayed)
      #expect(abs(try #require(tap) - 200) < 1e-9)
    }
  }

  @Test func aTapAfterTheTimeoutIsTheFirstOfARow() {
    var taps = TapTempo()
    _ = taps.tap(at: 0)
    #expect(taps.tap(at: 0.5) != nil)
    #expect(taps.tap(at: 0.5 + TapTempo.timeout) == nil)
    #expect(taps.tap(at: 1 + TapTempo.timeout) == 120)
  }

  @Test func aClockThatGoesBackBeginsANewRow() {
    var taps = TapTempo()
    _ = taps.tap(at: 100)
    #expect(taps.tap(at: 1) == nil)
    #expect(taps.tap(at: 1.5) == 120)
  }

  @Test func theSecondMessageOfOneTapIsIgnored() {
    var taps = TapTempo()
    _ = taps.tap(at: 0)
    #expect(taps.tap(at: 0.03) == nil)
    #expect(taps.tap(at: 0.5) == 120)
    #expect(taps.tap(at: 0.52) == nil)
    #expect(taps.tap(at: 0.5) == nil)
    #expect(taps.tap(at: 1) == 120)
  }

  @Test func `Absurd times do no harm`() {
    var taps = TapTempo()
    for time in [1e308, -1e308, 0, .greatestFiniteMagnitude, -0.0] { #expect(taps.tap(at: time) == nil) }
  }
}
