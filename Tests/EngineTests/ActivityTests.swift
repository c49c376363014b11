import MIDI
import MusicTime
import Testing

@testable import Engine

@Suite("MIDI activity")
struct ActivityTests {
  @Test("Incoming and outgoing MIDI is reported once")
  func seen() throws {
    let rig = Rig(try Score.make(Pattern()))
    rig.recordMIDI()
    func look() -> [Bool] {
      [
        rig.channels.pointee.hasReceivedMIDI.exchange(false, ordering: .relaxed),
        rig.channels.pointee.hasSentMIDI.exchange(false, ordering: .relaxed),
      ]
    }
    rig.clockIn = [MIDIEvent(.stop, at: 30_000)]
    rig.render(until: 20_000)
    #expect(look() == [false, false])
    rig.render(until: 40_000)
    #expect(look() == [true, false])
    rig.render(until: 60_000)
    #expect(look() == [false, false])
    rig.command(.start)
    rig.render(until: 90_000)
    #expect(look() == [false, true])
    rig.command(.stop)
    rig.render(until: 120_000)
    #expect(look() == [false, true])
    rig.render(until: 150_000)
    #expect(look() == [false, false])
  }

  @Test(
    "Messages of controllers arrive at their clock frame and are reported; those without room are counted")
  func controllers() throws {
    let owned = OwnedChannels()
    let channels = owned.pointer
    defer { withExtendedLifetime(owned) {} }
    let messages = MIDIBuffer()
    func hasReceived() -> Bool { channels.pointee.hasReceivedMIDI.load(ordering: .relaxed) }
    func dropped() -> Int { channels.pointee.droppedControls.load(ordering: .relaxed) }
    channels.pointee.receive(messages, from: 0)
    #expect(!hasReceived())
    for offset in 0..<MIDIBuffer.capacity { _ = messages.append(.start, at: offset) }
    channels.pointee.receive(messages, from: 10_000)
    #expect(hasReceived())
    #expect(dropped() == 0)
    channels.pointee.receive(messages, from: 20_000)
    #expect(dropped() == MIDIBuffer.capacity)
    var received: [MIDIEvent] = []
    while let event = channels.pointee.controls.pop() { received.append(event) }
    #expect(
      received == (0..<Int64(MIDIBuffer.capacity)).map { MIDIEvent(.start, at: ClockFrame(10_000 + $0)) })
  }
}
