import Control
import ControlBench
import MusicTime
import Testing

@testable import OSCControl

@Suite struct PaceAddressTests {
  @Test func aRunOverOSCChangesTheTempoAtMostOnceInThreeSeconds() throws {
    let rig = try RemoteRig()
    #expect(rig.answers(OSCMessage("/tactus/pace/follow", .int32(1))) == [])
    #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(3))) == [])
    let began = Monotonic.now
    // The tempo takes note of the first at once: 170 at 3 m/s.
    #expect(rig.settings.tempo.thousandths == 170_000)
    // The third is an outlier. The mean is 23.7 / 5 = 4.74 m/s, whose strides ask for the most there is.
    for speed: Float in [3.2, 11, 3.4, 3.1] {
      #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(speed))) == [])
    }
    #expect(rig.settings.tempo.thousandths == 170_000 || Monotonic.now - began > 2_900_000_000)
    #expect(rig.rig.eventually { $0.settings.tempo.thousandths == 195_000 })
    #expect(Monotonic.now - began > 2_900_000_000)
    // By hand it is set at once, and stays.
    #expect(rig.answers(OSCMessage("/tactus/tempo", .float(90))) == [])
    #expect(rig.answer("/tactus/pace/follow") == OSCMessage("/tactus/pace/follow", .int32(0)))
    #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(3))) == [])
    #expect(rig.settings.tempo.thousandths == 90_000)
  }

  @Test func stepsAreToldAgainstWhatSuits() throws {
    let rig = try RemoteRig()
    #expect(rig.answers(OSCMessage("/tactus/pace/steps", .float(176))) == [])
    #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(3))) == [])
    #expect(rig.answer("/tactus/pace") == OSCMessage("/tactus/pace", .float(3), .float(176), .int32(170)))
    #expect(rig.answers(OSCMessage("/tactus/pace/slope", .float(40))).first?.address == "/tactus/error")
    #expect(rig.answers(OSCMessage("/tactus/pace/offset", .float(-3))) == [])
    #expect(rig.answers(OSCMessage("/tactus/pace/speed", .float(3))) == [])
    #expect(rig.answer("/tactus/pace") == OSCMessage("/tactus/pace", .float(3), .float(176), .int32(167)))
  }
}
