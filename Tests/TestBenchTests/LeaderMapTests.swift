import TestBench
import Testing

struct LeaderMapTests {
  @Test func `Frame 0 is bar 1 beat 1`() {
    let place = LeaderMap(tempo: 133_700, beatsPerBar: 7, beatType: 8, sampleRate: 44_100).position(at: 0)
    #expect(place.bar == 1 && place.beat == 1 && place.tick == 0)
    #expect(place.exactTick == 0 && place.barStartTick == 0)
  }

  @Test func `A beat begins at its frame and not one before`() {
    let map = LeaderMap(tempo: 120_000, beatsPerBar: 3, sampleRate: 48_000)
    #expect(map.frame(ofBeat: 4) == 96_000)
    #expect(map.position(at: 96_000).tick == 0)
    #expect(map.position(at: 96_000).beat == 2)
    #expect(map.position(at: 95_999).tick == 1_919)
    #expect(map.position(at: 95_999).beat == 1)
    #expect(map.position(at: 96_000).barStartTick == 3 * 1_920)
  }

  @Test func `A change of tempo keeps the place in the bar`() {
    let slow = LeaderMap(tempo: 61_803, sampleRate: 44_100)
    let fast = slow.changing(tempo: 314_159, at: 123_457)
    #expect(fast.position(at: 123_457) == slow.position(at: 123_457))
    #expect(fast.beats(at: 123_457 + 44_100 * 60) - fast.beats(at: 123_457) == 314.159)
  }

  @Test func `Ticks stay in range for hours`() {
    let map = LeaderMap(tempo: 999_999, beatsPerBar: 5, sampleRate: 192_000)
    var frame: Int64 = 0
    while frame < 192_000 * 3_600 * 30 {
      let place = map.position(at: frame)
      #expect((1...5).contains(place.beat) && (0..<1_920).contains(place.tick))
      frame += 7_777_777
    }
  }
}
