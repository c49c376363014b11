import Engine
import MusicTime
import TestNumbers
import Testing

@Suite("Voices and volumes")
struct VoiceTests {
  @Test(
    "If all voices sound, a new clip does not begin and is counted; sounding clips play to their ends"
  )
  func fullPool() throws {
    let long = Clip(Array(repeating: 1, count: 40_000))
    let clips = ClipSet(repeating: long)
    let pattern = Pattern(
      thousandths: 999_999, subdivisions: Pattern.allSubdivisions.mapValues { _ in 1 })
    let rig = Rig(try Score.make(pattern, clips: clips))
    rig.isRecording = true
    rig.command(.start)
    rig.command(.stop, at: 120_000)
    rig.render(until: 200_000)

    var ends: [ClockFrame] = []
    var dropped = 0
    var expected = Array(repeating: Float(0), count: 200_000)
    for beat in rig.beats {
      ends.removeAll { $0 <= beat.frame }
      guard ends.count < 256 else {
        dropped += 1
        continue
      }
      ends.append(beat.frame + 40_000)
      for frame in Int(beat.frame.number)..<Int(beat.frame.number) + 40_000 { expected[frame] += 1 }
    }
    #expect(dropped > 100)
    #expect(rig.channels.pointee.droppedClips.load(ordering: .relaxed) == dropped)
    #expect(rig.recording.out == expected)
    #expect(expected.max() == 256)
  }

  /// Renders one endless clip of ones while the volumes move.
  private func render(_ moves: [(frame: ClockFrame, gains: Gains)], until end: ClockFrame) throws
    -> Rig.Recording
  {
    let long = Clip(Array(repeating: 1, count: 200_000))
    let clips = ClipSet(repeating: long)
    let pattern = Pattern(thousandths: 1_000)
    let rig = Rig(try Score.make(pattern, clips: clips))
    rig.isRecording = true
    rig.command(.start)
    for (frame, gains) in moves {
      rig.render(until: frame, period: 100)
      rig.publish(try Score.make(pattern, clips: clips, gains: gains))
    }
    rig.render(until: end, period: 100)
    return rig.recording
  }

  private func gains(accent: Float = 1, master: Float = 1) -> Gains {
    var gains = Gains()
    (gains.buses.accent, gains.master) = (accent, master)
    return gains
  }

  @Test("A volume moves linearly within ten milliseconds, without a larger step")
  func straight() throws {
    let recording = try render([(1_000, gains(accent: 0.25)), (3_000, gains(master: 0.5))], until: 5_000)
    let accent = recording.roles[0]
    for frame in 1..<5_000 { #expect(abs(accent[frame] - accent[frame - 1]) <= 0.75 / 480 + 1e-6) }
    for frame in 0..<480 {
      #expect(abs(recording.out[frame + 1_000] - (1 - 0.75 * Float(frame) / 480)) < 1e-6)
    }
    #expect(accent[1_480...3_000].allSatisfy { $0 == 0.25 })
    // The master is on the mix alone.
    #expect(accent[3_480...].allSatisfy { $0 == 1 })
    #expect(recording.out[3_480...].allSatisfy { $0 == 0.5 })
  }

  @Test("A fader that reverses in the middle of a move makes no step")
  func turning() throws {
    var numbers = Generator(seed: 21)
    let moves = (1..<60).map {
      (frame: ClockFrame($0 * 100), gains: gains(accent: Float(numbers.number(0...1_000)) / 1_000))
    }
    let accent = try render(moves, until: 8_000).roles[0]
    for frame in 1..<8_000 { #expect(abs(accent[frame] - accent[frame - 1]) <= 1.0 / 480 + 1e-6) }
    #expect(accent.last == moves.last?.gains.buses.accent)
  }

  @Test("Each role sounds on its own port and the mix is their sum")
  func ports() throws {
    let clips = ClipSet(accent: Clip([0.5]), beat: Clip([0.25]), subdivision: Clip([0.125]), cue: Clip([1]))
    let rig = Rig(try Score.make(Pattern(subdivisions: [2: 0.5]), clips: clips))
    rig.isRecording = true
    rig.command(.start)
    rig.render(until: 96_000)
    for beat in rig.beats {
      let role = Int(beat.role.rawValue)
      let value = clips[beat.role].samples[0] * beat.strength
      for port in 0..<4 {
        #expect(rig.recording.roles[port][Int(beat.frame.number)] == (port == role ? value : 0))
      }
      #expect(rig.recording.out[Int(beat.frame.number)] == value)
    }
    #expect(rig.beats.count == 8)
  }
}
