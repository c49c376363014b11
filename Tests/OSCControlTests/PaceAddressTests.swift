import Control
import OSC
import OSCBench
import Realtime
import TestNumbers
import Testing

@testable import OSCControl

@Suite struct PaceAddressTests {
  @Test func aRunOverOSCChangesTheTempoAtMostOnceInThreeSeconds() throws {
    let rig = try EmbeddedRig()
    #expect(rig.answers(OSCMessage("/tactus/pace/follow", .int32(1))) == [])
    #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(3))) == [])
    // The first reading sets the tempo at once: 170 at 3 m/s.
    #expect(rig.settings.tempo.thousandths == 170_000)
    // The third is an outlier. The mean is 23.7 / 5 = 4.74 m/s: 170 + 8 × 1.74 = 183.92, and 2 more for the long stride.
    for speed: Float in [3.2, 11, 3.4, 3.1] {
      #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(speed))) == [])
    }
    rig.pass(.milliseconds(2_990))
    #expect(rig.settings.tempo.thousandths == 170_000)
    rig.pass(.milliseconds(200))
    #expect(rig.settings.tempo.thousandths == 186_000)
    // By hand it is set at once, and stays.
    #expect(rig.answers(OSCMessage("/tactus/tempo", .float(90))) == [])
    #expect(rig.answers(OSCMessage("/tactus/pace/follow")) == [OSCMessage("/tactus/pace/follow", .int32(0))])
    #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(3))) == [])
    rig.pass(.milliseconds(4_000))
    #expect(rig.settings.tempo.thousandths == 90_000)
  }

  /// Half a minute of a run: a reading each half second with noise and outliers, and a gap of five seconds.
  @Test func aNoisyRunOverOSCGivesTheChangesThatTheRulesSayAndNoMore() throws {
    let rig = try EmbeddedRig()
    let model = CadenceModel()
    var random = Generator(seed: 21)
    #expect(rig.answers(OSCMessage("/tactus/pace/follow", .int32(1))) == [])
    var sent: [Double] = []
    var heard: [(time: Instant, tempo: Int)] = []
    let began = rig.rig.time
    func suggestion(_ speeds: some BidirectionalCollection<Double>) -> Int {
      let last = Array(speeds.suffix(5))
      let sum: Double = last.reduce(0, +)
      return last.isEmpty ? 0 : 1_000 * model.cadence(at: sum / Double(last.count))
    }
    /// Observes the tempo until a moment, and checks that each change is that of the last five readings.
    func look(until seconds: Double) {
      repeat {
        rig.pass(.milliseconds(10))
        let now = rig.settings.tempo.thousandths
        if !sent.isEmpty, now != heard.last?.tempo ?? 120_000 {
          heard.append((rig.rig.time, now))
          #expect(now == suggestion(sent), "\(sent.suffix(6))")
        }
      } while (rig.rig.time - began).inSeconds < seconds
    }
    for index in 0..<40 {
      let noise = Double.random(in: -0.3...0.3, using: &random)
      var speed: Double = 2.6 + Double(index) / 30 + noise
      if index % 9 == 5 { speed = Double.random(in: 0...12, using: &random) }
      // As OSC carries it.
      let reading = Float(speed)
      sent.append(Double("\(reading)")!)
      #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(reading))) == [])
      look(until: Double(index + 1) / 2 + (index >= 20 ? 5 : 0))
    }
    look(until: 28.5)
    #expect(heard.last?.tempo == suggestion(sent))
    for (change, next) in zip(heard, heard.dropFirst()) {
      // Less the time between two observations.
      #expect(next.time - change.time > .milliseconds(2_980))
    }
    #expect(heard.count >= 6)
  }

  @Test func `A speed set by hand is used without averaging once it is unchanged for a moment`() throws {
    let rig = try EmbeddedRig()
    #expect(rig.answers(OSCMessage("/tactus/pace/follow", .int32(1))) == [])
    for _ in 0..<5 { #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(2))) == []) }
    // A finger passes two speeds on its way to the third, which stands.
    for speed: Float in [2.5, 2.9, 4] {
      rig.pass(.milliseconds(200))
      #expect(rig.answers(OSCMessage("/tactus/pace/target", .float(speed))) == [])
    }
    let before = rig.settings.tempo
    rig.pass(.milliseconds(290))
    #expect(rig.settings.tempo == before)
    rig.pass(.milliseconds(30))
    // 170 + 8 × 1 = 178, and 2 more for a stride beyond 1.3 legs: 240 / 178 = 1.35 m. No mean with the readings before.
    #expect(rig.settings.tempo.thousandths == 180_000)
    #expect(
      rig.answers(OSCMessage("/tactus/pace")) == [
        OSCMessage("/tactus/pace", .float(4), .float(0), .int32(180))
      ])
    #expect(rig.answers(OSCMessage("/tactus/pace/target", .float(13))).first?.address == "/tactus/error")
  }

  @Test func aCadenceWithoutStepsIsUnknownAfterTwoSeconds() throws {
    let rig = try EmbeddedRig()
    func cadence() -> OSCArgument? { rig.answers(OSCMessage("/tactus/pace")).first?.arguments[1] }
    for _ in 0..<4 {
      #expect(rig.answers(OSCMessage("/tactus/pace/steps")) == [])
      rig.pass(.milliseconds(320))
    }
    #expect(cadence()?.number.map { abs($0 - 187.5) < 2 } == true)
    rig.pass(.milliseconds(1_600))
    #expect(cadence() != .float(0))
    rig.pass(.milliseconds(200))
    #expect(cadence() == .float(0))
  }

  @Test func `The runner's cadence is reported beside the suggested one`() throws {
    let rig = try EmbeddedRig()
    #expect(rig.answers(OSCMessage("/tactus/pace/steps", .float(176))) == [])
    #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(3))) == [])
    let pace = OSCMessage("/tactus/pace")
    #expect(rig.answers(pace) == [OSCMessage("/tactus/pace", .float(3), .float(176), .int32(170))])
    #expect(rig.answers(OSCMessage("/tactus/pace/slope", .float(40))).first?.address == "/tactus/error")
    #expect(rig.answers(OSCMessage("/tactus/pace/offset", .float(-3))) == [])
    #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(3))) == [])
    #expect(rig.answers(pace) == [OSCMessage("/tactus/pace", .float(3), .float(176), .int32(167))])
  }
}
