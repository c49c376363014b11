import Control
import MIDI
import MusicTime
import OSC
import OSCBench
import Testing

@testable import OSCControl

@Suite struct MIDIAddressTests {
  private func reason(_ rig: RemoteRig, _ address: String, _ arguments: OSCArgument...) -> String? {
    let answer = rig.answers(OSCMessage(address, arguments: arguments)).first
    return answer?.address == "/tactus/error" ? answer?.arguments.last?.text : nil
  }

  @Test func `A map is loaded, listed, and unlearned`() throws {
    let rig = try RemoteRig()
    let list = OSCMessage("/tactus/midi/bindings", arguments: [])
    #expect(
      rig.answers(list) == [
        OSCMessage("/tactus/midi/bindings", .int32(0), .int32(0), .string(""), .string(""))
      ])
    #expect(reason(rig, "/tactus/midi/map", .string("footswitch")) == nil)
    #expect(
      rig.answers(list).map { Array($0.arguments) } == [
        [.int32(1), .int32(3), .string("cc 64"), .string("toggle")],
        [.int32(2), .int32(3), .string("cc 67"), .string("tap")],
        [.int32(3), .int32(3), .string("cc 67"), .string("next (hold)")],
      ])
    #expect(reason(rig, "/tactus/midi/unlearn", .string("/tactus/tap")) == nil)
    #expect(rig.settings.bindings.count == 2)
    #expect(
      reason(rig, "/tactus/midi/unlearn", .string("tap"))
        == "target 'tap': must be one that a control has learned")
    #expect(reason(rig, "/tactus/midi/unlearn", .string("")) == nil)
    #expect(rig.settings.bindings.isEmpty)
    #expect(
      reason(rig, "/tactus/midi/map", .string("piano"))
        == "midi/map 'piano': must be one of footswitch, nanokontrol2, lpd8, fcb1010, mpk-mini, launchkey, beatstep, chocolate"
    )
  }

  @Test func `What waits for a control can be asked, and left`() throws {
    let rig = try RemoteRig()
    let learn = "/tactus/midi/learn"
    for arguments: [OSCArgument] in [
      [.string("tap")], [.string("goto chorus"), .string("hold")],
      [.string("tempo"), .float(60), .float(180)], [.string("tempo"), .string("twos-complement")],
      [.string("volume/cue"), .string("signed-bit"), .float(0), .float(0.5)],
    ] {
      #expect(rig.answers(OSCMessage(learn, arguments: arguments)) == [])
      #expect(rig.answer(learn) == OSCMessage(learn, arguments: arguments))
    }
    #expect(rig.answers(OSCMessage(learn, .string(""))) == [])
    #expect(rig.answer(learn) == OSCMessage(learn, .string("")))
  }

  @Test func `What can't be learned is refused with what would be right`() throws {
    let rig = try RemoteRig()
    for (arguments, words) in [
      ([.string("dance")], "must be an action, as toggle"), ([.int32(3)], "must be a text"),
      ([.string("tap"), .string("kick")], "must be one of press, hold, double, latch, twos-complement"),
      ([.string("tap"), .string("signed-bit")], "takes no steps"),
      ([.string("tempo"), .float(60)], "a lowest and a highest value"),
      ([.string("tempo"), .float(180), .float(60)], "the lower number first"),
      ([.string("tempo"), .float(0), .float(60)], "within 1.0…999.999"),
      ([.string("tempo"), .string("hold")], "follows a control"),
    ] as [([OSCArgument], String)] {
      let reason = rig.answers(OSCMessage("/tactus/midi/learn", arguments: arguments)).first?.arguments.last?
        .text
      #expect(reason?.contains(words) == true, "\(arguments): \(reason ?? "taken")")
    }
  }

  @Test func `Mute is set, asked and let go`() throws {
    let rig = try RemoteRig()
    #expect(rig.answers(OSCMessage("/tactus/mute", .float(1))) == [])
    #expect(rig.answer("/tactus/mute") == OSCMessage("/tactus/mute", .int32(1)))
    #expect(rig.settings.gains.master == 0)
    #expect(rig.answers(OSCMessage("/tactus/mute", .int32(0))) == [])
    #expect(rig.settings == Settings())
  }
}
