import Engine
import MIDI
import MusicTime
import Testing

@Suite("Fading out")
struct FadeOutTests {
  private func score(_ fade: Double?, _ gains: Gains = Gains()) throws -> UnsafePointer<Score> {
    let layout = try BarLayout(meter: .common)
    let plan = SectionPlan(layout: layout, tempo: try Tempo(thousandths: 120_000))
    let sections = Score.Sections([plan], sampleRate: 48_000, clips: FadeOutTests.clips)
    return Score.make(sections, generation: 1, gains: gains, fade: fade)
  }

  private static let clips = ClipSet.shortest

  @Test("In a fade-out the gain of clicks and notes falls linearly to its end")
  func falling() throws {
    let rig = Rig(try score(nil))
    rig.isRecording = true
    rig.recordMIDI()
    rig.command(.start)
    rig.render(until: 48_000)
    let start = rig.clock
    rig.publish(try score(2))
    rig.render(until: start + 120_000)
    for frame in stride(from: 48_000, through: 144_000, by: 24_000) {
      let left = max(0, 1 - Float(Int64(frame) - start.number) / 96_000)
      #expect(abs(rig.recording.out[frame] - min(left, 1)) < 1e-4, "frame \(frame)")
    }
    let velocities = rig.notes.compactMap { note -> UInt8? in
      if case .noteOn(_, _, let velocity) = note.message, note.frame > start { velocity } else { nil }
    }
    #expect(velocities == [95, 64, 32])
    // The roles' ports do not fade.
    #expect(rig.recording.roles[Int(ClickRole.beat.rawValue)][72_000] == 1)
  }

  @Test(
    "Another score in the fade goes on with it; one without brings the volume back at once where nothing sounds"
  )
  func others() throws {
    let rig = Rig(try score(nil))
    rig.isRecording = true
    rig.command(.start)
    rig.render(until: 12_000)
    let start = rig.clock
    rig.publish(try score(2))
    rig.render(until: 36_000)
    var quiet = Gains()
    quiet.buses.beat = 0.5
    rig.publish(try score(2, quiet))
    rig.render(until: 60_000)
    let expected = (1 - Float(48_000 - start) / 96_000) * 0.5
    #expect(abs(rig.recording.out[48_000] - expected) < 1e-4)
    rig.render(until: 71_999 - 64)
    rig.publish(try score(nil, quiet))
    rig.render(until: 80_000)
    #expect(rig.recording.out[72_000] == 0.5)
  }

  @Test("A change of volume in a fade-out takes effect at once, and a mute silences it")
  func volumes() throws {
    let rig = Rig(try score(nil))
    rig.isRecording = true
    rig.recordMIDI()
    rig.command(.start)
    rig.render(until: 12_000)
    let start = rig.clock
    rig.publish(try score(4))
    rig.render(until: 36_000)
    var gains = Gains()
    gains.master = 0.5
    rig.publish(try score(4, gains))
    rig.render(until: 60_000)
    let left = { (frame: Int) in 1 - Float(Int64(frame) - start.number) / 192_000 }
    #expect(abs(rig.recording.out[24_000] - left(24_000)) < 1e-4)
    #expect(abs(rig.recording.out[48_000] - left(48_000) * 0.5) < 1e-4)
    gains.master = 0
    rig.publish(try score(4, gains))
    rig.render(until: 84_000)
    #expect(rig.recording.out[72_000] == 0)
    let isMuted = rig.notes.allSatisfy { note in
      if case .noteOn = note.message { note.frame < 60_000 } else { true }
    }
    #expect(isMuted)
    gains.master = 1
    rig.publish(try score(4, gains))
    rig.render(until: 108_000)
    #expect(abs(rig.recording.out[96_000] - left(96_000)) < 1e-4)
  }
}
