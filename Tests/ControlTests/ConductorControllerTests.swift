import ControlBench
import MIDI
import MusicTime
import Realtime
import Synchronization
import Testing

@testable import Control
@testable import Engine

/// A core without a stage. Keeps its warnings and refusals; no other effect is carried out.
private final class BareCore {
  private var core: ConductorCore
  private(set) var warnings: [String] = []

  init(session: Setlist? = nil) throws {
    let maker = ClipMaker()
    var configuration = Conductor.Configuration(
      settings: Settings(), sampleRate: 48_000, readSound: { try maker.read($0, $2) }, save: { _ in })
    configuration.session = session.map { ($0, SessionPlace(path: "/gig.yaml")) }
    let song = session.map {
      PreparedSong(
        $0.songs[0].song, sampleRate: 48_000, readSound: { try maker.read($0, $2) },
        speak: configuration.speak)
    }
    core = ConductorCore(configuration, clips: try maker.read("sine", 48_000).clips, song: song)
    ScoreUpdate.free(core.makeFirstUpdate())
    feed(.begin, at: 0)
    feed(.beginSession, at: 0)
  }

  var now: Snapshot { core.snapshot }

  func feed(_ input: Input, at time: Instant) {
    // A controller's message has the frame of its instant.
    let clock = HostClock(instant: time, frame: frame(at: time), sampleRate: 48_000)
    for effect in core.handle(input, at: Moment(instant: time, clock: clock)) {
      switch effect {
      case .report(.warning(let text)): warnings.append(text)
      case .reply(let text, let sender): sender(text)
      case .publish(let update, _): ScoreUpdate.free(update)
      default: break
      }
    }
  }

  func handle(_ message: MIDIMessage, at time: Instant) {
    feed(.control(MIDIEvent(message, at: frame(at: time))), at: time)
  }

  private func frame(at time: Instant) -> ClockFrame {
    ClockFrame(Int64(time.nanoseconds) * 48_000 / 1_000_000_000)
  }

  func turn(at time: Instant) {
    feed(.due, at: time)
    feed(.settle, at: time)
  }
}

@Suite struct ConductorControllerTests {

  private func cc(_ controller: UInt8, _ value: UInt8) -> MIDIMessage {
    .controlChange(channel: 1, controller: controller, value: value)
  }

  /// Applies an update; returns the reason why it was refused, or nil.
  private func refusal(_ state: BareCore, _ update: Update) -> String? {
    let reason = Mutex<String?>(nil)
    let box = Box(reason)
    state.feed(
      .request(Request(.update(update), refuse: { text in box.value.withLock { $0 = text } })), at: 0)
    return box.value.withLock { $0 }
  }

  @Test func `Taps of a footswitch set the tempo by their own times`() throws {
    let state = try BareCore()
    #expect(refusal(state, .load(.footswitch)) == nil)
    for tap in 0..<4 {
      let time = Instant(nanoseconds: 10_000_000_000) + .milliseconds(tap * 375)
      state.handle(cc(67, 127), at: time)
      state.handle(cc(67, 0), at: time + .milliseconds(50))
    }
    #expect(state.now.settings.tempo.thousandths == 160_000)
  }

  @Test
  func `A control that cannot do the waiting target causes one message, and the next control is learned`()
    throws
  {
    let state = try BareCore()
    #expect(refusal(state, .learn(try MIDIAction(.parameter(Parameters.tempo.parameter)))) == nil)
    for time in 1...3 {
      state.handle(.noteOn(channel: 1, note: 64, velocity: 90), at: Instant(nanoseconds: UInt64(time)))
    }
    #expect(
      state.warnings == ["MIDI: control note 64 channel 1 for tempo: must be a cc, cc14 or pitch-bend"])
    state.handle(cc(7, 64), at: 4)
    #expect(state.now.learning == nil)
    #expect(state.now.settings.bindings.map(\.source) == [try MIDISource(text: "cc 7 channel 1")])
    #expect(state.warnings.count == 1)
  }

  @Test func `A hold takes effect while the foot is down, in the conductor's own turn`() throws {
    let state = try BareCore()
    let hold = try MIDIBinding(MIDISource(text: "cc 1"), MIDIAction(.mute, gesture: .hold))
    #expect(refusal(state, .bind(hold)) == nil)
    state.handle(cc(1, 127), at: 5)
    state.turn(at: Instant(nanoseconds: 5 + FootswitchGesture.holdTime - 1))
    #expect(!state.now.settings.isMuted)
    state.turn(at: Instant(nanoseconds: 5 + FootswitchGesture.holdTime))
    #expect(state.now.settings.isMuted)
  }

  @Test func `A target is learned, reported, and unlearned`() throws {
    let state = try BareCore()
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
    // Learning can be cancelled.
    #expect(refusal(state, .learn(try MIDIAction(.tap))) == nil)
    #expect(refusal(state, .unlearn(.tap)) == nil)
    #expect(state.now.learning == nil)
  }

  @Test func `A fader that must be picked up is reported`() throws {
    let state = try BareCore()
    #expect(refusal(state, .learn(try MIDIAction(MIDITarget(text: "volume")))) == nil)
    state.handle(cc(7, 10), at: 1)
    #expect(state.now.pickUp == nil)
    state.handle(cc(7, 20), at: 2)
    #expect(state.now.pickUp?.value == 1)
    state.handle(cc(7, 127), at: 3)
    #expect(state.now.pickUp == nil)
  }

  @Test func `A reset leaves what controllers have learned`() throws {
    let state = try BareCore()
    #expect(refusal(state, .load(.lpd8)) == nil)
    #expect(refusal(state, .load(.nanoKONTROL2)) == nil)
    let bindings = state.now.settings.bindings
    #expect(bindings.count > 30)
    #expect(refusal(state, .reset) == nil)
    #expect(state.now.settings.bindings == bindings)
    #expect(refusal(state, .unlearn(nil)) == nil)
    #expect(state.now.settings == Settings())
  }

  @Test func `A message reports what a control cannot do now`() throws {
    let state = try BareCore()
    let next = try MIDIBinding(MIDISource(text: "note 1"), MIDIAction(.next))
    #expect(refusal(state, .bind(next)) == nil)
    state.handle(.noteOn(channel: 1, note: 1, velocity: 1), at: 1)
    #expect(state.warnings.first?.hasPrefix("MIDI: no session is open") == true)
  }

  @Test func `A program picks a song, and a pad a section`() throws {
    let state = try BareCore(
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
    #expect(state.warnings == ["MIDI: song 4: must be 1…3"])
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
