import ControlBench
import MIDI
import MusicTime
import Realtime
import Testing

@testable import Control
@testable import Engine

/// Feedback to controllers: LEDs, motor faders, and the beat.
@Suite struct ControllerFeedbackTests {
  private let rig: Rig

  init() throws {
    rig = try Rig()
    connect(true)
    _ = shown()
  }

  private func connect(_ isConnected: Bool, renewed: Set<String> = []) {
    let ports: Set = isConnected ? ["control", "feedback"] : ["control"]
    rig.updates.push(Request(.connections(PortConnections(kept: [:], connected: ports, renewed: renewed))))
    rig.pass(.milliseconds(30))
  }

  private func bind(_ control: String, _ target: String) throws {
    rig.push(.bind(try MIDIBinding(MIDISource(text: control), MIDIAction(MIDITarget(text: target)))))
    rig.pass(.milliseconds(30))
  }

  /// Receives a controller's message.
  private func play(_ message: MIDIMessage) {
    _ = rig.channels.pointee.controls.push(MIDIEvent(message, at: rig.clock))
    rig.pass(.milliseconds(10))
  }

  /// The messages sent to controllers since the last call.
  private func shown() -> [MIDIMessage] {
    var messages: [MIDIMessage] = []
    while let message = rig.channels.pointee.feedback.pop() { messages.append(message) }
    return messages
  }

  private func cc(_ controller: UInt8, _ value: UInt8, channel: UInt8 = 1) -> MIDIMessage {
    .controlChange(channel: channel, controller: controller, value: value)
  }

  private func note(_ note: UInt8, _ isOn: Bool) -> MIDIMessage {
    isOn ? .noteOn(channel: 10, note: note, velocity: 127) : .noteOff(channel: 10, note: note, velocity: 0)
  }

  @Test func `A lamp shows the state of its switch, whatever changes it`() throws {
    try bind("note 36 channel 10", "mute")
    #expect(shown() == [note(36, false)])
    rig.push(.set(.mute(true)))
    rig.pass(.milliseconds(30))
    #expect(shown() == [note(36, true)])
    rig.push(.set(.tempo(try Tempo(thousandths: 90_000))))
    rig.pass(.milliseconds(30))
    #expect(shown().isEmpty)
    rig.push(.unlearn(.mute))
    rig.pass(.milliseconds(30))
    #expect(shown() == [note(36, false)])
  }

  @Test func `The pads of presets show which is the current one, by name or number`() throws {
    try bind("note 36 channel 10", "preset verse")
    try bind("note 37 channel 10", "preset 2")
    #expect(shown() == [note(36, false), note(37, false)])
    for name in ["Verse", "Chorus"] { rig.push(.preset(.save(name))) }
    rig.pass(.milliseconds(30))
    #expect(shown() == [note(37, true)])
    rig.push(.preset(.recall(.number(1))))
    rig.pass(.milliseconds(30))
    #expect(Set(shown()) == [note(36, true), note(37, false)])
  }

  @Test func `Faders of 7 and 14 bits go where the value is`() throws {
    try bind("cc 7 channel 1", "volume")
    try bind("cc14 8 channel 1", "volume/beat")
    try bind("pitch-bend channel 2", "volume/accent")
    _ = shown()
    for fader in [Fader.master, .beat, .accent] { rig.push(.set(.volume(fader, try Volume(0.5)))) }
    rig.pass(.milliseconds(30))
    #expect(
      Set(shown()) == [cc(7, 64), cc(8, 64), cc(40, 0), .pitchBend(channel: 2, value: 8_192)])
  }

  @Test func `A fader gets no feedback while it is moved, and then the current value`() throws {
    try bind("cc 7 channel 1", "volume")
    _ = shown()
    for value: UInt8 in stride(from: 127, through: 40, by: -3) {
      play(cc(7, value))
      #expect(shown().isEmpty)
    }
    rig.push(.set(.volume(.master, try Volume(1))))
    rig.pass(.milliseconds(200))
    #expect(shown().isEmpty)
    rig.pass(.milliseconds(150))
    #expect(shown() == [cc(7, 127)])
    // A motor fader that reports its movement changes nothing.
    rig.push(.set(.volume(.master, try Volume(0.501))))
    rig.pass(.milliseconds(30))
    #expect(shown() == [cc(7, 64)])
    play(cc(7, 64))
    rig.pass(.milliseconds(400))
    #expect(shown().isEmpty)
    let volume = try Volume(0.501)
    #expect(rig.settle().settings[Parameters.volume(.master)] == volume)
  }

  @Test func `A pad that goes dark when it is released is lit again`() throws {
    try bind("note 36 channel 10", "mute")
    _ = shown()
    play(note(36, true))
    play(.noteOff(channel: 10, note: 36, velocity: 64))
    rig.pass(.milliseconds(60))
    #expect(shown() == [note(36, true)])
    #expect(rig.settle().settings.isMuted)
  }

  @Test func `The control that taps flashes on each beat that sounds`() throws {
    try bind("note 37 channel 10", "tap")
    #expect(shown() == [note(37, false)])
    rig.push(.start)
    rig.pass(.milliseconds(2_400))
    let flashes = shown()
    #expect(flashes.count == 10)
    #expect(flashes.enumerated().allSatisfy { $1 == note(37, $0 % 2 == 0) })
    rig.push(.stop)
    rig.pass(.seconds(1))
    #expect(shown().isEmpty)
  }

  @Test func `A control on every channel gets feedback on the channel of its last message`() throws {
    try bind("cc 20", "mute")
    _ = shown()
    play(cc(20, 127, channel: 5))
    play(cc(20, 0, channel: 5))
    rig.pass(.milliseconds(60))
    #expect(shown() == [cc(20, 127, channel: 5)])
  }

  @Test func `A device that echoes its feedback gets no more feedback, after one warning`() throws {
    try bind("note 36 channel 10", "mute")
    var sent = 0
    for _ in 0..<200 {
      for message in shown() {
        sent += 1
        play(message)
      }
      rig.pass(.milliseconds(20))
    }
    #expect(sent <= 12)
    #expect(rig.reports.warnings.count { $0.contains("sends back what it is shown") } == 1)
  }

  @Test func `A reconnected controller gets its full state, and nothing is sent while none is connected`()
    throws
  {
    try bind("note 36 channel 10", "mute")
    try bind("cc 7 channel 1", "volume")
    _ = shown()
    connect(false)
    rig.push(.set(.mute(true)))
    rig.pass(.milliseconds(30))
    #expect(shown().isEmpty)
    connect(true)
    #expect(shown() == [note(36, true), cc(7, 127)])
    // It was away for less than the time until connections are read.
    connect(true, renewed: ["feedback"])
    #expect(shown() == [note(36, true), cc(7, 127)])
    connect(true, renewed: ["control"])
    #expect(shown().isEmpty)
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.pass(.milliseconds(30))
    #expect(shown() == [note(36, true), cc(7, 127)])
  }

  @Test func `After a lost server everything is shown once the port is connected again, and not before`()
    throws
  {
    try bind("note 36 channel 10", "mute")
    _ = shown()
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.pass(.milliseconds(30))
    #expect(shown().isEmpty)
    connect(true)
    #expect(shown() == [note(36, false)])
  }
}
