import ControlBench
import MIDI
import MusicTime
import Testing

@testable import Control

@Suite struct TempoProfileTests {
  @Test func aRunnerBeginsAt180AndHalfLoud() throws {
    let rig = try Rig()
    #expect(rig.refusal(of: .set(.profile(.runner))) == nil)
    #expect(rig.settle().settings.tempo.thousandths == 180_000)
    #expect(rig.settle().settings.volume(.master).gain == 0.4)
    #expect(
      rig.refusal(of: .set(.tempo(Tempo(clamping: 231_000))))
        == "tempo 231: must be 150…230 beats a minute, the profile 'runner'")
    #expect(rig.refusal(of: .set(.tempo(Tempo(clamping: 230_000)))) == nil)
    #expect(rig.refusal(of: .set(.tempo(Tempo(clamping: 150_000)))) == nil)
  }

  @Test func nudgesStopAtTheBoundAndSaySo() throws {
    let rig = try Rig()
    rig.push(.set(.profile(.watch)))
    #expect(rig.settle().settings.tempo.thousandths == 120_000)
    #expect(rig.refusal(of: .nudge(thousandths: 29_000)) == nil)
    #expect(
      rig.refusal(of: .nudge(thousandths: 5_000))
        == "the tempo stops at 150, the highest of the profile 'watch'")
    // At the bound nothing moves, and that is reported too.
    #expect(
      rig.refusal(of: .nudge(thousandths: 1_000))
        == "the tempo stops at 150, the highest of the profile 'watch'")
    #expect(
      rig.refusal(of: .nudge(thousandths: -500_000))
        == "the tempo stops at 40, the lowest of the profile 'watch'")
    rig.push(.set(.profile(.full)))
    #expect(rig.refusal(of: .nudge(thousandths: -20_000)) == nil)
    #expect(rig.settle().settings.tempo.thousandths == 20_000)
    rig.push(.set(.profile(.watch)))
    #expect(rig.settle().settings.tempo.thousandths == 40_000)
  }

  @Test func aFaderReachesFromBoundToBound() throws {
    var settings = Settings()
    try settings.set(.profile(.runner))
    let tempo = Parameters.tempo.parameter
    #expect(tempo.range(tempo.control?.range, in: settings) == 150...230)
    #expect(tempo.range(100...160, in: settings) == 150...160)
    #expect(tempo.range(40...100, in: settings) == 150...230)
    #expect(tempo.range(nil, in: Settings()) == 1...999.999)
    #expect(Parameters.swing.parameter.range(nil, in: settings) == 0...1)
  }

  @Test func aTempoByHandEndsTheFollowing() throws {
    let rig = try Rig()
    rig.push(.set(.followPace(true)), .pace(speed: 3))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 170_000 })
    #expect(rig.settle().settings.followsPace)
    rig.push(.nudge(thousandths: 1_000), .pace(speed: 4), .pace(speed: 4))
    let now = rig.settle()
    #expect(now.settings.tempo.thousandths == 171_000)
    #expect(!now.settings.followsPace)
    #expect(now.pace.target == CadenceModel().cadence(at: 11.0 / 3))
    rig.push(.set(.followPace(true)))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 1_000 * now.pace.target })
  }

  @Test func thePaceStaysWithinTheProfile() throws {
    let rig = try Rig()
    rig.push(.set(.profile(.watch)), .set(.followPace(true)), .pace(speed: 4))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 150_000 })
    #expect(rig.refusal(of: .pace(speed: 12.5)) == "speed 12.5: must be 0…12 m/s")
    #expect(rig.refusal(of: .pace(speed: .nan)) == "speed nan: must be 0…12 m/s")
    #expect(rig.refusal(of: .steps(cadence: 401)) == "steps 401: must be 0…400 a minute")
  }
}
