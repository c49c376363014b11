import Engine
import MIDI
import MusicTime
import Testing

@Suite("MIDI clock and another sample rate")
struct ClockRateTests {
  /// The frame at which the server changes its sample rate.
  private static let change = ClockFrame(256 * 800)
  /// Frames that pass until there is a score for the new rate.
  private static let wait: Int64 = 3 * 256

  private let rate: Int
  private let rig: Rig

  init() throws {
    rate = 96_000
    rig = try Rig.following()
  }

  /// A machine's messages; from the change on their frames have the other rate.
  private func events(_ machine: ClockMachine, _ rate: Int) -> [MIDIEvent] {
    machine.events.map { MIDIEvent($0.message, at: frame(of: Double($0.frame.number), rate)) }
  }

  private func frame(of time: Double, _ rate: Int) -> ClockFrame {
    let change = Double(ClockRateTests.change.number)
    return ClockFrame(
      Int64((time < change ? time : change + (time - change) * Double(rate) / 48_000).rounded()))
  }

  /// Plays up to the change, and on at another rate, for which the score comes a little later.
  private func play(_ machine: ClockMachine, _ rate: Int) throws {
    rig.clockIn = events(machine, rate)
    rig.render(until: ClockRateTests.change, period: 256)
    rig.cycleRate = rate
    rig.render(until: ClockRateTests.change + ClockRateTests.wait, period: 256)
    rig.publish(try Score.make(Pattern(), sampleRate: rate, role: .midiClock))
    rig.render(until: frame(of: machine.time, rate) - 100, period: 256)
  }

  @Test("The music stays on the clock's quarters", arguments: [22_050, 44_100, 96_000, 192_000])
  func staysOnQuarters(rate: Int) throws {
    var machine = ClockMachine(jitter: 0.5)
    machine.send(.start)
    machine.play(24 * 24, beatsPerMinute: 120)
    try play(machine, rate)
    #expect(rig.quarters.count == machine.quarters.count)
    for (index, (beat, quarter)) in zip(rig.quarters, machine.quarters).enumerated() {
      #expect((beat.bar, beat.beat) == (index / 4 + 1, index % 4 + 1))
      let isLocked = index > 3
      #expect(!isLocked || abs(beat.frame - frame(of: quarter, rate)) <= Int64(rate / 2_000))
    }
  }

  @Test("A start while there is no score for the rate takes effect once there is one")
  func start() throws {
    var machine = ClockMachine(at: Double(ClockRateTests.change.number) + 100)
    machine.send(.start)
    machine.play(24 * 4, beatsPerMinute: 120)
    try play(machine, rate)
    // The downbeat comes too early.
    #expect(rig.quarters.map { "\($0.bar).\($0.beat)" } == ["1.2", "1.3", "1.4"])
    #expect(rig.quarters.map(\.frame) == machine.quarters.dropFirst().map { frame(of: $0, rate) })
  }

  @Test("A stop while there is no score for the rate is obeyed")
  func stop() throws {
    var machine = ClockMachine(at: Double(ClockRateTests.change.number) - 1_900)
    machine.send(.start)
    machine.play(2, beatsPerMinute: 120)
    machine.sendAlone(.stop)
    machine.play(24 * 4, beatsPerMinute: 120)
    try play(machine, rate)
    #expect(rig.quarters.map { "\($0.bar).\($0.beat)" } == ["1.1"])
  }

  @Test("A clock that rolled at the old rate can be joined at the new one")
  func join() throws {
    var machine = ClockMachine()
    machine.send(.start)
    machine.play(24 * 24, beatsPerMinute: 120)
    let rig = Rig(try Score.make(Pattern()))
    rig.clockIn = events(machine, rate)
    rig.render(until: ClockRateTests.change, period: 256)
    rig.cycleRate = rate
    rig.publish(try Score.make(Pattern(), sampleRate: rate))
    rig.render(until: ClockRateTests.change + 10_240, period: 256)
    rig.publish(try Score.make(Pattern(), sampleRate: rate, role: .midiClock))
    rig.render(until: frame(of: machine.time, rate) - 100, period: 256)
    let quarters = machine.quarters.map { frame(of: $0, rate) }
    #expect(rig.quarters.count > 10)
    #expect(rig.quarters.allSatisfy { beat in quarters.contains { abs($0 - beat.frame) <= 1 } })
  }
}
