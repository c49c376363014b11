import ControlBench
import MIDI
import MusicTime
import Synchronization
import Testing

@testable import Control
@testable import Engine

/// The conductor's state on the test's own thread.
@Suite struct ConductorHandsTests {
  private final class Told: Sendable {
    let warnings = Mutex<[String]>([])
  }

  private func make(session: Setlist? = nil) throws -> (ConductorCore, Told) {
    let maker = ClipMaker()
    var configuration = Conductor.Configuration(
      settings: Settings(), sampleRate: 48_000, readSound: { try maker.read($0, $1) }, save: { _ in })
    configuration.session = session.map { ($0, SessionPlace(path: "/gig.yaml")) }
    let state = try ConductorCore(configuration, channels: Channels.make(), updates: UpdateQueue())
    let told = Told()
    state.begin(host: SimulatedHost(sampleRate: 48_000), at: 0) { report in
      if case .warning(let text) = report { told.warnings.withLock { $0.append(text) } }
    }
    return (state, told)
  }

  private func cc(_ controller: UInt8, _ value: UInt8) -> MIDIMessage {
    .controlChange(channel: 1, controller: controller, value: value)
  }

  /// Has an update done; returns why it was refused.
  private func refusal(_ state: ConductorCore, _ update: Update) -> String? {
    let reason = Mutex<String?>(nil)
    let box = Box(reason)
    state.apply(update, Request(.update(update), refuse: { text in box.value.withLock { $0 = text } }))
    return box.value.withLock { $0 }
  }

  @Test func `Taps of a foot give the tempo by their own times`() throws {
    let (state, _) = try make()
    #expect(refusal(state, .load(.footswitch)) == nil)
    for tap in 0..<4 {
      let time = 10_000_000_000 + UInt64(tap) * 375_000_000
      state.handle(cc(67, 127), at: time)
      state.handle(cc(67, 0), at: time + 50_000_000)
    }
    #expect(state.now.settings.tempo.thousandths == 160_000)
  }

  @Test func `A control that can't do what waits for one is told so once, and the next is learned`() throws {
    let (state, told) = try make()
    #expect(refusal(state, .learn(try MIDIAction(.parameter(Parameters.tempo.parameter)))) == nil)
    for time in 1...3 { state.handle(.noteOn(channel: 1, note: 64, velocity: 90), at: UInt64(time)) }
    #expect(
      told.warnings.withLock { $0 } == [
        "MIDI: control note 64 channel 1 for tempo: must be a cc, cc14 or pitch-bend"
      ])
    state.handle(cc(7, 64), at: 4)
    #expect(state.now.learning == nil)
    #expect(state.now.settings.bindings.map(\.source) == [try MIDISource(text: "cc 7 channel 1")])
    #expect(told.warnings.withLock { $0.count } == 1)
  }

  @Test func `A hold counts while the foot stays, in the conductor's own turn`() throws {
    let (state, _) = try make()
    let hold = try MIDIBinding(MIDISource(text: "cc 1"), MIDIAction(.mute, gesture: .hold))
    #expect(refusal(state, .bind(hold)) == nil)
    state.handle(cc(1, 127), at: 5)
    state.turn([], at: 5 + FootswitchGesture.holdTime - 1)
    #expect(!state.now.settings.isMuted)
    state.turn([], at: 5 + FootswitchGesture.holdTime)
    #expect(state.now.settings.isMuted)
  }

  @Test func `A target is learned, told, and unlearned`() throws {
    let (state, _) = try make()
    #expect(refusal(state, .learn(try MIDIAction(.toggle))) == nil)
    #expect(state.now.learning?.target == .toggle)
    state.handle(cc(20, 127), at: 1)
    #expect(state.now.learning == nil)
    #expect(state.now.settings.bindings.map(\.description) == ["cc 20 channel 1: toggle"])
    #expect(!state.now.isPlaying)
    state.handle(cc(20, 0), at: 2)
    state.handle(cc(20, 127), at: 3)
    #expect(state.now.isPlaying)
    #expect(refusal(state, .unlearn(.toggle)) == nil)
    #expect(refusal(state, .unlearn(.toggle)) == "target 'toggle': must be one that a control has learned")
    // Whoever waits for a control can leave it.
    #expect(refusal(state, .learn(try MIDIAction(.tap))) == nil)
    #expect(refusal(state, .unlearn(.tap)) == nil)
    #expect(state.now.learning == nil)
  }

  @Test func `A reset leaves what controllers have learned`() throws {
    let (state, _) = try make()
    #expect(refusal(state, .load(.lpd8)) == nil)
    #expect(refusal(state, .load(.nanoKONTROL2)) == nil)
    let bindings = state.now.settings.bindings
    #expect(bindings.count > 30)
    #expect(refusal(state, .reset) == nil)
    #expect(state.now.settings.bindings == bindings)
    #expect(refusal(state, .unlearn(nil)) == nil)
    #expect(state.now.settings == Settings())
  }

  @Test func `What a control can't do now is told`() throws {
    let (state, told) = try make()
    let next = try MIDIBinding(MIDISource(text: "note 1"), MIDIAction(.next))
    #expect(refusal(state, .bind(next)) == nil)
    state.handle(.noteOn(channel: 1, note: 1, velocity: 1), at: 1)
    state.turn(state.updates.drain(until: 0).requests, at: 4)
    #expect(told.warnings.withLock { $0.first?.hasPrefix("MIDI: session none") } == true)
  }

  @Test func `A program picks a song, and a pad a section`() throws {
    let (state, told) = try make(
      session: Setlist(title: "gig", songs: ["one", "two", "three"].map { .init(song: try! Self.song($0)) }))
    #expect(refusal(state, .load(.lpd8)) == nil)
    let second = try MIDIBinding(MIDISource(text: "note 60"), MIDIAction(.goto("2")))
    #expect(refusal(state, .bind(second)) == nil)
    state.handle(.programChange(channel: 1, program: 2), at: 1)
    #expect(state.now.settings.session?.song == 2)
    state.handle(.noteOn(channel: 1, note: 60, velocity: 1), at: 2)
    #expect(state.now.settings.session?.section == 1)
    state.handle(.programChange(channel: 1, program: 3), at: 3)
    #expect(state.now.settings.session?.song == 2)
    state.turn(state.updates.drain(until: 0).requests, at: 4)
    #expect(told.warnings.withLock { $0 } == ["MIDI: song 4: must be 1…3"])
    #expect(refusal(state, .go(.section(3))) == "section 3: must be 1…2")
    #expect(refusal(state, .go(.section(0))) == "section 0: must be 1…2")
    #expect(refusal(state, .go(.song(0))) == "song 0: must be 1…3")
  }

  private static func song(_ title: String) throws -> SongPlan {
    SongPlan(
      title: title,
      plans: try (0..<2).map {
        SectionPlan(
          source: $0, length: .bars(4), layout: try Settings().layout,
          tempo: .constant(Tempo(clamping: 120_000)))
      })
  }

  @Test func `Mute ramps the mix to silence and keeps its volume`() throws {
    let rig = try Rig(clips: ClipMaker(length: 48_000))
    rig.push(.set(.volume(.master, try Volume(0.5))), .start)
    #expect(rig.eventually { _ in rig.peak > 0 })
    rig.push(.set(.mute(true)))
    #expect(rig.eventually { _ in rig.peak == 0 })
    rig.push(.set(.mute(false)))
    let settings = rig.settle().settings
    #expect(settings.volume(.master) == (try Volume(0.5)))
    #expect(rig.eventually { _ in rig.peak > 0 })
  }
}
