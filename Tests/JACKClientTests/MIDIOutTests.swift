import Control
import Engine
import MIDI
import MusicTime
import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct MIDIOutTests {
  /// A message with its frame of JACK's clock.
  private struct Sent: Equatable {
    let frame: Int64
    let message: MIDIMessage

    init(_ message: MIDIMessage, at frame: Int64) { (self.frame, self.message) = (frame, message) }
  }

  private func events(_ recorder: MIDIRecorderClient, port: Int = 0) -> [Sent] {
    recorder.messages(port: port).map { heard in
      let length =
        [0xF1, 0xF3].contains(heard.status) ? 2 : heard.status < 0xF0 || heard.status == 0xF2 ? 3 : 1
      return Sent(
        MIDIMessage(heard.status, heard.data.0, heard.data.1, length: length)!, at: heard.frame)
    }
  }

  @Test func `The clock's pulses and the notes fall on the clicks' own frames`() async throws {
    try await JACKServer.run(period: 1_024) { server in
      let settings = [
        try .tempo(Tempo(233.7)), try Parameters.note(.accent).setting(60),
        try Parameters.noteChannel.setting(3),
      ]
      let rig = try Rig(server: server, settings)
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 10_000))
      let midi = try MIDIRecorderClient(
        server: server, sources: ["tactus:clock", "tactus:notes"], capacity: 20_000)
      rig.updates.push(.start)
      try midi.waitUntilHeard()
      try rig.wait("start") { $0.isPlaying }
      rig.updates.push(.stop)
      try rig.wait("stop") { !$0.isPlaying }
      recorder.record()
      // The last note of before ends.
      try recorder.pass(4_096)
      midi.record()
      rig.updates.push(.start)
      try recorder.pass(96_000)
      for tempo in [90, 240, 161.5, 999.999, 180.123] {
        rig.updates.set(.tempo(try Tempo(tempo)))
        try recorder.pass(30_000)
      }
      rig.updates.set(.meter(try Meter(7, 8)))
      try recorder.pass(96_000)
      rig.updates.push(.pause)
      try rig.wait("pause") { !$0.isPlaying }
      try recorder.pass(4_096)
      rig.updates.push(.start)
      try recorder.pass(48_000)
      rig.updates.push(.locate(Position(bar: 20, beat: 3)))
      try recorder.pass(48_000)
      rig.updates.push(.stop)
      try rig.wait("stop") { !$0.isPlaying }
      try recorder.pass(10_000)
      recorder.stop()
      #expect(!recorder.overflowed && !midi.overflowed)

      let onsets = recorder.onsets().filter { !midi.gaps.cover($0) }
      #expect(onsets.count > 30)
      let clock = events(midi)
      let pulses = clock.filter { $0.message == .clock }.map(\.frame)
      let gaps = rig.channels.pointee.gaps.load(ordering: .relaxed)
      let alone = Set(onsets).subtracting(pulses)
      #expect(
        alone.isEmpty,
        "\(alone.map { onset in (onset, clock.filter { abs($0.frame - onset) < 10_000 }) }), \(gaps) gaps")
      #expect(clock.first == Sent(.start, at: onsets[0]))
      // Missed cycles also cause song positions.
      if gaps == 0 {
        let orders = clock.map(\.message).filter { $0 != .clock }
        #expect(orders.count == 8)
        #expect(orders.count { $0 == .start } == 1 && orders.count { $0 == .continue } == 2)
        #expect(orders.count { $0 == .stop } == 3)
        // From beat to beat there are as many as a note has, through all changes of tempo.
        for (first, second) in zip(onsets.prefix(20), onsets.prefix(20).dropFirst()) {
          #expect(pulses.count { $0 >= first && $0 < second } == 24)
        }
      }

      let notes = events(midi, port: 1)
      let ons = notes.filter { if case .noteOn = $0.message { true } else { false } }
      #expect(ons.map(\.frame).filter { !recorder.gaps.cover($0) } == onsets)
      #expect(ons.first?.message == .noteOn(channel: 3, note: 60, velocity: 127))
      // Wherever the stop came, the last note must end.
      guard let last = ons.last, case .noteOn(let channel, let note, _) = last.message else { return }
      #expect(
        notes.last
          == Sent(.noteOff(channel: channel, note: note, velocity: 64), at: last.frame + 2_400))
    }
  }

  @Test func `A machine that is connected while music plays joins at the music's position`() async throws {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server)
      defer { rig.stop() }
      let recorder = try RecorderClient(
        server: server, sources: ["tactus:out"], storage: .onsets(capacity: 10_000))
      recorder.record()
      rig.updates.push(.start)
      try recorder.pass(24_000)
      let midi = try MIDIRecorderClient(server: server, sources: ["tactus:clock"], capacity: 20_000)
      midi.record()
      func orders() -> [Sent] { events(midi).filter { $0.message != .clock } }
      for _ in 0..<60 where !orders().contains(where: { $0.message == .continue }) {
        try recorder.pass(24_000)
      }
      try recorder.pass(24_000)
      let heard = orders()
      try #require(heard.map(\.message.isPosition) == [false, true, false])
      #expect(heard.first?.message == .stop && heard.last?.message == .continue)
      guard case .songPosition(let position) = heard[1].message else { return }
      // At 120 a sixteenth has 6 000 frames.
      let (start, entry) = (try #require(recorder.onsets().first), heard[2].frame)
      #expect(entry - start == Int64(position.sixteenths) * 6_000)
      let pulses = events(midi).filter { $0.message == .clock && $0.frame > heard[0].frame }.map(\.frame)
      #expect(Array(pulses.prefix(10)) == (0..<10).map { entry + 1_000 * $0 })
    }
  }

  @Test func `A machine that is connected shortly before the start is started, and not placed`() async throws
  {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server)
      defer { rig.stop() }
      let midi = try MIDIRecorderClient(server: server, sources: ["tactus:clock"], capacity: 20_000)
      midi.record()
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0))
      recorder.record()
      // The connection is reported after the start.
      try recorder.pass(4_800)
      rig.updates.push(.start)
      try recorder.pass(96_000)
      #expect(events(midi).filter { $0.message != .clock }.map(\.message) == [.start])
    }
  }

  @Test(
    .enabled(if: Subprocess.isInstalled("jack_midi_clock")),
    .enabled(if: ServerKind.current == .jackd, "PipeWire has only those freewheel who are connected"))
  func `In lead its pulses are those that jack_midi_clock makes of the transport`() async throws {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server, [.tempo(try Tempo(133.7)), .role(.lead)])
      defer { rig.stop() }
      // Without song positions, after which it would wait for two seconds.
      let other = try Subprocess(
        "jack_midi_clock", ["-P"], environment: server.environment)
      defer { other.signal(15) }
      let control = try TransportControl(server: server)
      let midi = try MIDIRecorderClient(
        server: server, sources: ["tactus:clock", "jack_midi_clock:mclk_out"], capacity: 200_000)
      let recorder = try RecorderClient(server: server, storage: .onsets(capacity: 0))
      midi.record()
      // No cycle is missed then.
      try recorder.client.setFreewheel(true)
      recorder.record()
      rig.updates.push(.start)
      try control.wait(for: .rolling)
      try recorder.pass(48_000 * 60)
      try control.stop()
      try recorder.client.setFreewheel(false)

      func pulses(_ port: Int) -> [Int64] {
        events(midi, port: port).filter { $0.message == .clock }.map(\.frame)
      }
      let (ours, theirs) = (pulses(0), pulses(1))
      #expect(ours.count > 3_000)
      // It hears of the transport's end a cycle late.
      #expect(ours.count <= theirs.count && theirs.count <= ours.count + 1)
      #expect(zip(ours, theirs).map { abs($0 - $1) }.max() ?? .max <= 1)
    }
  }
}

extension MIDIMessage {
  fileprivate var isPosition: Bool { if case .songPosition = self { true } else { false } }
}
