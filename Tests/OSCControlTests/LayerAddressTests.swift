import Control
import MusicTime
import OSC
import OSCBench
import Testing

@testable import OSCControl

@Suite struct LayerAddressTests {
  private func message(_ name: String, _ arguments: OSCArgument...) -> OSCMessage {
    OSCMessage("/tactus/" + name, arguments: arguments)
  }

  @Test func layersAreSetAskedForAndTurnedOff() throws {
    let rig = try EmbeddedRig()
    #expect(rig.answers(message("layer/2", .string("5 over 2 bars, pattern X.x"))) == [])
    #expect(rig.answers(message("volume/layer-2", .float(0.5))) == [])
    #expect(
      rig.answers(message("layer/2")) == [message("layer/2", .string("5 over 2 bars, pattern X.x"))])
    #expect(rig.answers(message("volume/layer-2")) == [message("volume/layer-2", .float(0.5))])
    #expect(rig.answers(message("layer/*")).count == 8)
    #expect(rig.answers(message("layer/1", .string("3 over 4 beats"))) == [])
    #expect(rig.answers(message("polyrhythm")) == [message("polyrhythm", .string("3:4"))])
    #expect(rig.answers(message("polyrhythm", .string("7:4"))) == [])
    #expect(rig.answers(message("layer/1")) == [message("layer/1", .string("7 over 4 beats"))])
    #expect(rig.answers(message("layer/{1,2}", .string(""))) == [])
    #expect(rig.settings.layers.isEmpty)
  }

  @Test func aWrongLayerIsRefusedInOneSentence() throws {
    let rig = try EmbeddedRig()
    let before = rig.settings
    for (name, text) in [
      ("layer/1", "5 over dawn"), ("layer/8", "every 9"), ("polyrhythm", "3/4"), ("layer/9", "5 over bar"),
    ] {
      #expect(
        rig.answers(message(name, .string(text))).count { $0.address == AddressSpace.error } == 1, "\(name)")
    }
    #expect(rig.settings == before)
  }
}
