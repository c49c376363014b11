import MIDI
import Testing

@testable import Engine

@Suite("MIDI activity")
struct ActivityTests {
  @Test("What comes in and what goes out is seen, once")
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
}
