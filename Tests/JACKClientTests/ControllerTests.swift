import Control
import MIDI
import MusicTime
import TestBench
import TestInTime
import Testing

/// Controllers at real MIDI ports.
@Suite(.serialized, .inTime) struct ControllerTests {
  @Test func `A pad learns to start and stop, and a fader picks the volume up`() async throws {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server)
      defer { rig.stop() }
      let hands = try MIDIClient(server: server)
      try rig.connect(hands, to: "tactus:control")

      rig.updates.push(.learn(try MIDIAction(.toggle)))
      try rig.wait("learning") { $0.learning?.target == .toggle }
      hands.send(0x99, 36, 100, at: hands.soon)
      try rig.wait("binding") { $0.settings.bindings.map(\.description) == ["note 36 channel 10: toggle"] }
      hands.send(0x89, 36, 64, at: hands.soon)
      for isPlaying in [true, false, true] {
        // Learning it did not press it.
        hands.send(0x99, 36, 100, at: hands.soon)
        try rig.wait("playing \(isPlaying)") { $0.isPlaying == isPlaying }
        hands.send(0x99, 36, 0, at: hands.soon)
      }

      rig.updates.push(.learn(try MIDIAction(.parameter(Parameters.volume(.master).parameter))))
      try rig.wait("learning") { $0.learning != nil }
      hands.send(0xB0, 7, 20, at: hands.soon)
      try rig.wait("binding") { $0.settings.bindings.count == 2 }
      // The fader is below the volume and must reach it first. The pad's effect shows that the fader's message has arrived.
      let first = hands.soon
      hands.send([(first, [0xB0, 7, 60]), (first + 10, [0x99, 36, 1]), (first + 20, [0x89, 36, 1])])
      try rig.wait("stop") { !$0.isPlaying }
      try rig.wait("full volume") { $0.settings.volume(.master) == .full }
      let second = hands.soon
      hands.send([(second, [0xB0, 7, 127]), (second + 10, [0xB0, 7, 64])])
      let half = try Volume(64.0 / 127)
      try rig.wait("half volume") { $0.settings.volume(.master) == half }
      #expect(rig.host.takeMIDIActivity().hasReceived)
      #expect(!rig.host.takeMIDIActivity().hasReceived)
    }
  }

  @Test func `A footswitch taps the tempo to the frame, and machines start and stop`() async throws {
    try await JACKServer.run(period: 1_024) { server in
      let rig = try Rig(server: server)
      defer { rig.stop() }
      let hands = try MIDIClient(server: server)
      try rig.connect(hands, to: "tactus:control")
      rig.updates.push(.load(.footswitch))
      for text in ["start", "stop"] {
        rig.updates.push(.bind(try MIDIBinding(MIDISource(text: text), MIDIAction(MIDITarget(text: text)))))
      }
      try rig.wait("bindings") { $0.settings.bindings.count == 5 }

      // 18 000 frames are 160 BPM; a period is a twentieth of that, and would be 8 BPM.
      let late = hands.late
      let first = hands.soon
      hands.send(
        (0..<5).flatMap { tap -> [(frame: Int64, bytes: [UInt8])] in
          let frame = first + 18_000 * Int64(tap)
          return [(frame, [0xB2, 67, 127]), (frame + 5_000, [0xB2, 67, 0])]
        })
      try rig.wait("160 BPM") { $0.settings.tempo.thousandths == 160_000 || hands.late > late }
      try hands.waitUntilSent()

      hands.send(0xFA, at: hands.soon)
      try rig.wait("start") { $0.isPlaying }
      hands.send(0xFC, at: hands.soon)
      try rig.wait("stop") { !$0.isPlaying }
    }
  }

  @Test func `Every kind of control and gesture does what it is bound to`() async throws {
    try await JACKServer.run(period: 256) { server in
      let rig = try Rig(server: server)
      defer { rig.stop() }
      let hands = try MIDIClient(server: server)
      try rig.connect(hands, to: "tactus:control")
      let bound: [(control: String, target: String, gesture: Gesture, coding: EncoderCoding?)] = [
        ("program 3", "tempo 90", .press, nil), ("continue", "toggle", .press, nil),
        ("cc 20", "tempo", .press, .twosComplement), ("cc 21", "tempo", .press, .signedBit),
        ("cc 22", "tempo/nudge 0.5", .press, .binaryOffset), ("pitch-bend", "volume/cue", .press, nil),
        ("cc14 1", "swing", .press, nil), ("note 50", "mute", .hold, nil),
        ("note 50", "tempo 77", .double, nil),
      ]
      for row in bound {
        let action = try MIDIAction(MIDITarget(text: row.target), gesture: row.gesture, coding: row.coding)
        rig.updates.push(.bind(try MIDIBinding(MIDISource(text: row.control), action)))
      }
      try rig.wait("bindings") { $0.settings.bindings.count == bound.count }
      func send(_ messages: (Int64, [UInt8])...) {
        let start = hands.soon
        hands.send(messages.map { (start + $0.0, $0.1) })
      }

      send((0, [0xC4, 3]))
      try rig.wait("90 BPM") { $0.settings.tempo.thousandths == 90_000 }
      // Three detents on, one back; two on; three halves back.
      send((0, [0xB0, 20, 3]), (10, [0xB0, 20, 127]), (20, [0xB0, 21, 2]), (30, [0xB0, 22, 61]))
      try rig.wait("92.5 BPM") { $0.settings.tempo.thousandths == 92_500 }
      // Faders must first reach their values: full volume, and straight swing.
      send((0, [0xE7, 0x7F, 0x7F]), (10, [0xE7, 0, 64]))
      let half = try Volume(8_192.0 / 16_383)
      try rig.wait("half the cue") { $0.settings.volume(.cue) == half }
      send((0, [0xB0, 1, 0]), (1, [0xB0, 33, 0]), (10, [0xB0, 1, 64]), (11, [0xB0, 33, 0]))
      try rig.wait("half the swing") { $0.settings.swing.amount == 0.5 }
      send((0, [0x90, 50, 100]), (48_000, [0x80, 50, 0]))
      try rig.wait("mute") { $0.settings.isMuted }
      try hands.waitUntilSent()
      send((0, [0x90, 50, 100]), (3_000, [0x80, 50, 0]), (6_000, [0x90, 50, 9]), (9_000, [0x80, 50, 0]))
      try rig.wait("77 BPM") { $0.settings.tempo.thousandths == 77_000 && $0.settings.isMuted }
      try hands.waitUntilSent()
      send((0, [0xFB]))
      try rig.wait("start") { $0.isPlaying }
    }
  }
}
