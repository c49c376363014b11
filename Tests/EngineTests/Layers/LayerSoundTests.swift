import Engine
import MusicTime
import Testing

@Suite("Sound of layers")
struct LayerSoundTests {
  private func recording(_ period: Int, change: Bool = false) throws -> [Float] {
    let clips = ClipSet.coded(1, lengths: 3_000...9_000)
    return try withExtendedLifetime(clips) {
      var plan = try LayerScore(thousandths: 133_700, layers: ["5 over bar", "7 over bar, pattern Xo."])
        .plan()
      plan.gains.layers[0] = 0.5
      var gains = Gains()
      gains.layers[1] = 0.25
      let rig = Rig(Score.make([plan], clips: clips, gains: gains))
      rig.isRecording = true
      rig.command(.start, at: 100)
      while rig.clock < 200_000 {
        if change, rig.clock == 60_000 {
          gains.layers[0] = 0.75
          rig.publish(Score.make([plan], clips: clips, gains: gains))
        }
        rig.render(period)
      }
      return rig.recording.out
    }
  }

  @Test("Layers sound the same, to the bit, in periods of any length, while a volume moves too")
  func periods() throws {
    #expect(try recording(1_000) == recording(250))
    #expect(try recording(2_000, change: true) == recording(500, change: true))
    #expect(try recording(1_000) != recording(1_000, change: true))
  }

  @Test("All pulses of one frame sound, at their volumes, and each has its note")
  func coincidence() throws {
    let one = ClipSet.shortest
    var plan = try LayerScore(layers: ["3 over 4 beats, note 70", "2 over bar", "every 1/4, pattern o"])
      .plan()
    plan.gains.layers = SIMD8(repeating: 0.5)
    let rig = Rig(Score.make([plan], clips: one))
    rig.isRecording = true
    rig.recordMIDI()
    rig.command(.start, at: 0)
    rig.render(until: 96_000)
    #expect(rig.recording.out[0] == 1 + 0.5 + 0.5 + 0.25)
    #expect(rig.recording.out[32_000] == 0.5)
    #expect(rig.recording.out[48_000] == 1 + 0.5 + 0.25)
    let notes = rig.notes.filter { $0.frame == 0 }
    #expect(notes.count == 4)
  }

  @Test("A change of one layer does not affect the others' pulses")
  func edit() throws {
    var score = LayerScore(layers: ["5 over bar", "3 over bar"])
    let rig = Rig(try score.score())
    rig.command(.start, at: 0)
    rig.render(until: 50_000)
    score.layers[1] = "4 over bar"
    rig.publish(try score.score())
    rig.render(until: 200_000)
    #expect(rig.frames(1) == (0..<11).map { ClockFrame($0 * 19_200) })
    #expect(rig.frames(2) == [0, 32_000] + (3..<9).map { ClockFrame($0 * 24_000) })
    score.layers = []
    rig.publish(try score.score())
    rig.forgetEvents()
    rig.render(until: 400_000)
    #expect(rig.beats.allSatisfy { $0.layer == 0 } && rig.beats.count == 8)
  }
}
