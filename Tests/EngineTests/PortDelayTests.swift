import Engine
import MusicTime
import Testing

/// Ports with different playback latencies.
@Suite("Port delays")
struct PortDelayTests {
  private func record(
    _ delays: [Int], frames: Int64 = 200_000, period: Int = 256, compensates: Bool = true
  ) throws -> Rig.Recording {
    var policy = LatencyPolicy()
    policy.compensates = compensates
    let rig = Rig(try Score.make(Pattern(thousandths: 133_700, subdivisions: [2: 1]), latency: policy))
    for (port, delay) in delays.enumerated() { rig.latencies.delays[port] = delay }
    rig.isRecording = true
    // A port takes its delay while it is silent.
    rig.render(until: ClockFrame(Int64(period)), period: period)
    rig.command(.start)
    rig.render(until: ClockFrame(frames), period: period)
    return rig.recording
  }

  @Test("Each port is delayed by its own delay, with unchanged samples", arguments: [64, 256, 1_024])
  func delays(period: Int) throws {
    let plain = try record([], period: period)
    let delays = [0, 100, 1_000, 5_000, 64]
    let held = try record(delays, period: period)
    #expect(held.out == plain.out)
    for role in 0..<4 {
      let delay = delays[role + 1]
      #expect(held.roles[role].prefix(delay).allSatisfy { $0 == 0 })
      #expect(Array(held.roles[role].dropFirst(delay)) == Array(plain.roles[role].dropLast(delay)))
    }
    #expect(try record([300], period: period).out.dropFirst(300) == plain.out.dropLast(300))
  }

  @Test("Without compensation nothing is delayed")
  func off() throws {
    #expect(try record([0, 100, 1_000], compensates: false) == record([]))
  }

  @Test("A change of a delay cuts no clip: it takes effect when the port is silent")
  func changes() throws {
    let clips = ClipSet(
      accent: Clip([Float](repeating: 0.5, count: 3_000)), beat: Clip([Float](repeating: 0.5, count: 3_000)),
      subdivision: Clip([1]), cue: Clip([1]))
    let rig = Rig(try Score.make(Pattern(thousandths: 133_700), clips: clips))
    rig.isRecording = true
    rig.command(.start)
    for step in 0..<400 {
      if step % 7 == 0 { rig.latencies.delays = PortDelays() }
      if step % 7 == 0 { rig.latencies.delays[1] = [0, 700, 2_000, 90][step / 7 % 4] }
      rig.render(until: rig.clock + 1_000, period: 100)
    }
    // Each clip is whole, wherever it is.
    var lengths: [Int] = []
    var length = 0
    for sample in rig.recording.roles[0] {
      if sample != 0 { length += 1 } else if length > 0 { (lengths, length) = (lengths + [length], 0) }
    }
    #expect(lengths.count > 4)
    #expect(lengths.allSatisfy { $0 == 3_000 })
  }
}
