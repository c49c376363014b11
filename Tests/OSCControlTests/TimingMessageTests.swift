import Control
import OSC
import Testing

@testable import OSCControl
@testable import TimeCheck

@Suite struct TimingMessageTests {
  @Test func `A hit is told with what sounds at its place, after what was always told`() {
    var onset = Onset(frame: 0, bar: 3, place: Place(beat: 2, part: 1, layer: 4), role: .layer)
    onset.tempo = 120
    let hit = JudgedHit(
      hit: Hit(frame: 0, source: .notes, drum: .snare, strength: 0.5), onset: onset, milliseconds: -4,
      isFirst: true, isCorrection: false, number: 0)
    let message = AddressSpace.message(.hit(hit))
    #expect(
      message.arguments == [
        .int32(3), .int32(2), .int32(1), .string("snare"), .float(-4), .float(0.5), .string("layer"),
        .int32(4),
      ])
  }

  @Test func `The tempo that was played is the last of the timing, and that of the last bars is told apart`()
  {
    var snapshot = Snapshot(settings: Settings())
    var timing = TimingState()
    (timing.playedTempo, timing.playedTempos) = (119.5, (1...10).map { 110 + Double($0) })
    snapshot.timing = timing
    func value(_ name: String) -> [OSCArgument]? {
      AddressSpace.timing.first { $0.name == name }?.value?(snapshot)
    }
    #expect(value("timing")?.count == 8)
    #expect(value("timing")?.last == .float(119.5))
    #expect(value("timing/tempos") == (3...10).map { .float(110 + Float($0)) })
    snapshot.timing = nil
    #expect(value("timing/tempos") == Array(repeating: .float(0), count: 8))
  }
}
