import Control
import Engine
import Foundation
import MusicTime
import TestBench
import TestInTime
import TestNumbers
import Testing

/// MIDI clocks at a real port.
@Suite(.serialized, .inTime) struct ClockInTests {
  typealias Messages = [(frame: Int64, bytes: [UInt8])]

  /// Pulses at 120 quarters a minute.
  private func pulses(_ count: Int, from frame: Int64) -> Messages {
    (0..<count).map { (frame + 1_000 * Int64($0), [0xF8]) }
  }

  /// Whether pulses that were sent late or not received explain deviations.
  private func hasStumbled(_ machine: MIDIClient, _ rig: Rig) -> Bool {
    machine.late > 0 || rig.channels.pointee.gaps.load(ordering: .relaxed) > 0
  }

  @Test func `A machine's clock starts, places and stops the clicks, to the frame`() async throws {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server, [.role(.midiClock)])
      defer { rig.stop() }
      let machine = try MIDIClient(server: server)
      try rig.connect(machine, to: "tactus:clock-in")
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out", "tactus:accent"], storage: .onsets(capacity: 10_000))
      recorder.record()
      try recorder.pass(1_024)

      let start = machine.soon + 77
      let stop = start + 1_000 * 24 * 7 + 500
      // It goes on at the third sixteenth of the second bar, with beat 2 two sixteenths later.
      let again = stop + 10_500
      machine.send([(start, [0xFA])] + pulses(24 * 7 + 1, from: start) + [(stop, [0xFC])])
      machine.send(
        pulses(10, from: stop + 500) + [(again, [0xF2, 18, 0]), (again, [0xFB])] + pulses(60, from: again))
      try rig.wait("the clock") { $0.isPlaying && $0.leader != nil }
      try machine.waitUntilSent()
      try recorder.pass(2_048)
      recorder.stop()

      let expected = (0..<8).map { start + 24_000 * Int64($0) } + [0, 1].map { again + 12_000 + 24_000 * $0 }
      let heard = recorder.onsets().filter { $0 < again + 60_000 }
      #expect(heard == expected.filter { !recorder.gaps.cover($0) } || hasStumbled(machine, rig))
      #expect(
        recorder.onsets(port: 1).filter { $0 < again + 60_000 }
          == [expected[0], expected[4]].filter { !recorder.gaps.cover($0) }
          || hasStumbled(machine, rig))
    }
  }

  @Test func `A jittering clock is followed, and its loss and return are reported`() async throws {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server, [.role(.midiClock)])
      defer { rig.stop() }
      let machine = try MIDIClient(server: server)
      try rig.connect(machine, to: "tactus:clock-in")
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 10_000))
      recorder.record()
      var numbers = Generator(seed: 1)
      let start = machine.soon + 100
      let jittered = { (pulses: Messages) in
        // 2 ms from the earliest to the latest.
        pulses.map { ($0.frame + Int64.random(in: -48...48, using: &numbers), $0.bytes) }
      }
      var messages = jittered(pulses(24 * 12, from: start))
      messages.insert((messages[0].0, [0xFA]), at: 0)
      machine.send(messages)
      try machine.waitUntilSent()
      try rig.wait("loss") { $0.leader == nil && $0.isPlaying }
      let back = start + (machine.soon - start) / 24_000 * 24_000 + 24_000
      machine.send(jittered(pulses(24 * 4, from: back)))
      try rig.wait("return") { $0.leader != nil && $0.isPlaying }
      try machine.waitUntilSent()
      recorder.stop()

      let onsets = recorder.onsets().filter { $0 > start + 90_000 }
      #expect(onsets.count >= 12)
      let strays = onsets.map { Double(($0 - start + 12_000) % 24_000 - 12_000) / 48 }
      #expect(strays.allSatisfy { abs($0) < 0.3 } || hasStumbled(machine, rig), "\(strays)")
    }
  }

  /// Ten thousand random bytes a second on both ports. `TACTUS_STORM_SECONDS` says for how long, in place of 3.
  @Test(arguments: [SyncMode.free, .midiClock])
  func `Random bytes start, stop and delay nothing`(_ role: SyncMode) async throws {
    let seconds = Int(ProcessInfo.processInfo.environment["TACTUS_STORM_SECONDS"] ?? "") ?? 3
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server, [.tempo(try Tempo(120)), .role(role)])
      defer { rig.stop() }
      // A start would stop the click, were there one among the bytes.
      for text in ["start", "stop", "continue"] {
        rig.updates.push(.bind(try MIDIBinding(MIDISource(text: text), MIDIAction(.toggle))))
      }
      let machine = try MIDIClient(server: server)
      let (hands, clock) = (
        try MIDIClient(server: server, name: "hands"), try MIDIClient(server: server, name: "clock")
      )
      try rig.connect(hands, to: "tactus:control")
      for player in [machine, clock] { try rig.connect(player, to: "tactus:clock-in") }
      // The same clock for both roles; `free` ignores it.
      let begin = machine.soon
      machine.send([(begin, [0xFA])] + pulses(48 * (seconds + 2), from: begin))
      if role == .free { rig.updates.push(.start) }
      try rig.wait("start") { $0.isPlaying && $0.settings.bindings.count == 3 }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 100_000))
      recorder.record()
      let start = hands.soon
      for storm in [hands, clock] { storm.send(bytes(seconds: seconds, from: start)) }
      for storm in [hands, clock] { try storm.waitUntilSent(within: .seconds(seconds + 10)) }
      recorder.stop()
      try rig.wait("playing") { $0.isPlaying }

      let onsets = recorder.onsets()
      let grid = try Grid(onsets, numerator: 24_000, denominator: 1, gaps: recorder.gaps)
      #expect(grid.astray == [] || role == .midiClock && hasStumbled(machine, rig))
      // Clicks in missed cycles are skipped.
      let missed = rig.channels.pointee.gaps.load(ordering: .relaxed)
      #expect(grid.missing <= missed)
      #expect(onsets.count + missed >= 2 * seconds - 1)
      #expect(rig.channels.pointee.droppedControls.load(ordering: .relaxed) == 0)
    }
  }

  /// Events of one to four random bytes that are no pulse, start, stop or continue as a whole.
  private func bytes(seconds: Int, from start: Int64) -> Messages {
    var messages: Messages = []
    var sent = 0
    while sent < 10_000 * seconds {
      let bytes = (0..<Int.random(in: 1...4)).map { _ in UInt8.random(in: 0...255) }
      if bytes.count == 1, 0xF8...0xFC ~= bytes[0] { continue }
      messages.append((start + Int64(sent) * 48_000 / 10_000, bytes))
      sent += bytes.count
    }
    return messages
  }
}
