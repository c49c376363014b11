import Control
import Engine
import Testing

@testable import JACKClient

/// The engine's clock with the times of all kinds of servers.
@Suite struct ProcessContextTests {
  /// Frames that the clock has advanced beyond the cycles, after jumps of the frame time and of the time.
  private func jump(frames: UInt32, microseconds: UInt64, from first: UInt32 = 1_000) throws -> UInt32 {
    let channels = Channels.make()
    let conductor = try Conductor(
      Conductor.Configuration(
        settings: Settings(), sampleRate: 48_000, readSound: { name, _, _ in (name, Rig.impulses) },
        save: { _ in }), channels: channels)
    let clock = SharedClock.make()
    clock.pointee.sampleRate.store(48_000, ordering: .relaxed)
    var context = ProcessContext(
      kernel: conductor.makeKernel(), channels: channels, clock: clock, link: nil)
    let buffer = UnsafeMutablePointer<Float>.allocate(capacity: 480)
    defer { buffer.deallocate() }
    let outputs = Outputs(out: buffer, accent: buffer, beat: buffer, subdivision: buffer, cue: buffer)
    var time = (frame: first, microseconds: UInt64(5_000_000))
    for cycle in 1...20 {
      context.begin(at: time, frames: 480)
      context.render(into: outputs)
      time = (time.frame &+ 480, time.microseconds + 10_000)
      if cycle == 10 { time = (time.frame &+ frames, time.microseconds &+ microseconds) }
    }
    let last = time.frame &- 480
    return (clock.pointee.phase.load(ordering: .relaxed) &+ last) &- 19 * 480
  }

  @Test func `Missed cycles are skipped completely in the clock, also past the wrap`() throws {
    #expect(try jump(frames: 0, microseconds: 0) == 0)
    #expect(try jump(frames: 480, microseconds: 10_000) == 480)
    #expect(try jump(frames: 480_000, microseconds: 10_000_000) == 480_000)
    #expect(try jump(frames: 48_000_000, microseconds: 1_000_300_000) == 48_000_000)
    #expect(try jump(frames: 480_000, microseconds: 10_000_000, from: .max - 9_000) == 480_000)
    // A time that stalls and catches up later.
    #expect(try jump(frames: 480_000, microseconds: 6_000_000) == 480_000)
  }

  @Test func `Delays of ports reach the cycle, and so does their end`() {
    let clock = SharedClock.make()
    var latencies = Cycle.Latencies()
    clock.pointee.hold([0, 64, 0])
    clock.pointee.readLatencies(into: &latencies)
    #expect(latencies.delays[1] == 64)
    clock.pointee.hold([0, 0, 0])
    clock.pointee.readLatencies(into: &latencies)
    #expect(!latencies.delays.isAny)
  }

  /// PipeWire takes its clock from the device that a client is connected to.
  @Test(arguments: [60_000, 480_000_000, 0 &- 48_000, 0 &- 2_000_000_000] as [UInt32])
  func `A change of the device's clock is not mistaken for missed cycles`(frames: UInt32) throws {
    #expect(try jump(frames: frames, microseconds: 12_000) == 0)
  }
}
