import ControlBench
import MusicTime
import Realtime
import Synchronization
import Testing

@testable import Control
@testable import Engine

@Suite struct ConductorLinkTests {
  private let session = SimulatedLink()

  private func rig(_ settings: Settings = Settings()) throws -> Rig {
    try Rig(settings) { [session] in $0.link = session }
  }

  private func tempo(_ beatsPerMinute: Double) throws -> Update { .set(.tempo(try Tempo(beatsPerMinute))) }

  @Test func joiningTakesTheTempoThatIsThereAndLeavingKeepsIt() throws {
    let rig = try rig()
    rig.push(.link(true))
    #expect(rig.settle().role == .link)
    #expect(rig.settle().settable.names == ["tempo", "meter", "pattern"])
    #expect(session.calls == [.join(120, playing: false)])
    session.set(LinkState(tempo: 133.700_116, isPlaying: false, peers: 2))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 133_700 && $0.peers == 2 })
    // A tempo from others is not sent back to them.
    #expect(session.calls.count == 1)
    rig.push(.link(false))
    let left = rig.settle()
    #expect(left.role == .free && left.settings.tempo.thousandths == 133_700 && left.peers == 0)
    #expect(session.calls.last == .leave)
    // Leaving Link a second time does not change the role.
    rig.push(.set(.role(.lead)), .link(false))
    #expect(rig.settle().role == .lead)
  }

  @Test func tempoGoesToTheOthersWithinTheirBounds() throws {
    let rig = try rig()
    rig.push(.link(true), try tempo(90), .nudge(thousandths: 2_500))
    #expect(rig.settle().settings.tempo.thousandths == 92_500)
    #expect(session.calls.suffix(2) == [.tempo(90), .tempo(92.5)])
    for wrong in [19.9, 999.5] {
      let reason = rig.refusal(of: try tempo(wrong))
      #expect(reason == "tempo \(wrong): must be 20…999 beats a minute with Ableton Link")
    }
    #expect(rig.refusal(of: .nudge(thousandths: -80_000)) == "the tempo stops at 20, the lowest")
    #expect(session.calls.last == .tempo(20))
    // A scheduled tempo too, when it is due.
    rig.updates.push(Request(.update(try tempo(75)), at: rig.time + .milliseconds(20)))
    #expect(rig.eventually { _ in session.calls.last == .tempo(75) })
  }

  @Test func aPaceAndAProfileSetTheTempoOfAllToo() throws {
    let rig = try rig()
    rig.push(.link(true), .set(.followPace(true)), .pace(speed: 3))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 170_000 })
    #expect(session.calls.last == .tempo(170))
    // As Link rounds it.
    session.set(LinkState(tempo: 60e6 / 352_941, isPlaying: false, peers: 1))
    #expect(rig.settle().settings.followsPace)
    #expect(rig.settle().settings.tempo.thousandths == 170_000)
    // A tempo from others counts as set by hand.
    session.set(LinkState(tempo: 140, isPlaying: false, peers: 1))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 140_000 && !$0.settings.followsPace })
    rig.push(.set(.profile(.runner)))
    #expect(rig.settle().settings.tempo.thousandths == 180_000)
    #expect(session.calls.last == .tempo(180))
    // A profile limits the tempos set here, not those of others.
    session.set(LinkState(tempo: 90, isPlaying: false, peers: 1))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 90_000 })
  }

  @Test func `A start just before others are found takes effect in their session`() throws {
    let rig = try rig()
    rig.push(.link(true), .start)
    #expect(rig.settle().isPlaying)
    let starts = { session.calls.count { if case .start = $0 { true } else { false } } }
    #expect(starts() == 1)
    // Joining a stopped session loses the start: Tactus must start that session.
    session.set(LinkState(tempo: 100, isPlaying: false, peers: 1))
    #expect(rig.eventually { $0.peers == 1 && starts() == 2 })
    #expect(rig.settle().isPlaying)
    // From then on a stop takes effect.
    session.set(LinkState(tempo: 100, isPlaying: true, peers: 1))
    rig.settle()
    session.set(LinkState(tempo: 100, isPlaying: false, peers: 1))
    #expect(rig.eventually { !$0.isPlaying })
    #expect(starts() == 2)
  }

  @Test func aTempoThatLinkRoundsStaysAsItWasSet() throws {
    let rig = try rig()
    rig.push(.link(true), try tempo(998.5))
    #expect(rig.settle().settings.tempo.thousandths == 998_500)
    session.set(LinkState(tempo: 60e6 / (60e6 / 998.5).rounded(), isPlaying: true, peers: 1))
    #expect(rig.eventually { $0.isPlaying })
    #expect(rig.settle().settings.tempo.thousandths == 998_500)
  }

  @Test func aTempoThatNoSessionCanHaveIsBroughtWithinItsBounds() throws {
    let rig = try rig()
    rig.push(try tempo(7), .link(true))
    #expect(rig.eventually { $0.settings.tempo.thousandths == 20_000 })
    #expect(session.calls == [.join(20, playing: false)])
  }

  @Test func startsAndStopsGoBothWaysAndLeaveTheTransportAlone() throws {
    let rig = try rig()
    var settings = [Update.set(.meter(try Meter(7, 8))), .set(.beatUnit(try BeatUnit(1, 4)))]
    settings.append(.link(true))
    for update in settings { rig.push(update) }
    rig.push(.start)
    #expect(rig.settle().isPlaying)
    #expect(session.calls.last == .start(LinkStart(quantum: 3.5)))
    // Once is enough.
    rig.push(.start)
    rig.settle()
    #expect(session.calls.count == 2)
    rig.push(.toggle)
    #expect(!rig.settle().isPlaying)
    #expect(session.calls.last == .stop)
    session.set(LinkState(tempo: 120, isPlaying: true, peers: 1))
    #expect(rig.eventually { $0.isPlaying })
    rig.push(.pause)
    #expect(!rig.settle().isPlaying)
    #expect(session.calls.count == 4)
    #expect(
      rig.refusal(of: .locate(Position(bar: 2, beat: 1)))
        == "locate with Ableton Link: must be left alone: bars are the session's there")
    #expect(rig.host.calls.filter { $0 != .take(.link, conditional: false) } == [])
  }

  @Test func `A metronome that plays when it joins continues from its downbeat`() throws {
    let rig = try rig()
    rig.push(.start)
    #expect(rig.eventually { _ in rig.beat == 3 })
    // Four beats of 24 000 frames a bar; the first at the start.
    let start = try #require(rig.reports.beats.first?.frame)
    rig.push(.link(true))
    #expect(rig.settle().isPlaying)
    #expect(session.calls == [.join(120, playing: true)])
    #expect(session.joined?.downbeat == rig.host.soundingTime(of: start))
    rig.push(.link(false))
    #expect(rig.eventually { $0.isPlaying && rig.beat == 4 })
  }

  @Test func aDocumentAndASessionExcludeEachOther() throws {
    let list = setlist([("song", [try section("A")], .wait)])
    let rig = try Rig(list, configure: { [session] in $0.link = session })
    #expect(rig.refusal(of: .link(true))?.contains("which has tempos of its own") == true)
    #expect(rig.settle().role == .free)
    rig.push(.open(path: ""), .link(true))
    #expect(rig.settle().role == .link)
    #expect(rig.refusal(of: .open(path: "/song.yaml"))?.contains("which has tempos of its own") == true)
    #expect(rig.settle().progress == nil)
  }

  @Test func `Settings with the role link become free in a build without Link`() throws {
    var settings = Settings()
    try settings.set(.role(.link))
    let rig = try Rig(settings)
    #expect(rig.eventually { $0.role == .free })
    #expect(
      rig.reports.warnings == ["link missing: must be built in: with Debian's ableton-link-dev installed"])
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying && rig.beat == 2 })
    #expect(rig.refusal(of: .link(true))?.hasPrefix("link missing") == true)
  }

  @Test func joiningReplacesWhatAFreshRunHasLeftOnDisk() throws {
    let disk = Disk()
    let rig = try Rig(disk: disk) { [session] in
      ($0.keepsSaved, $0.saved, $0.link) = (true, nil, session)
    }
    rig.push(.link(true))
    rig.settle()
    #expect(rig.stop())
    #expect(disk.saves.last?.role == .link)
  }

  @Test func theLastRunsSessionIsJoinedAgainAndLeftAtTheEnd() throws {
    var settings = Settings()
    try settings.set(.role(.link))
    do {
      let rig = try rig(settings)
      rig.settle()
      #expect(session.calls == [.join(120, playing: false)])
      #expect(rig.stop())
    }
    #expect(session.calls == [.join(120, playing: false), .leave])
  }
}

/// A Link session without a network: it records its calls, and carries them out.
private final class SimulatedLink: LinkSession {
  enum Call: Equatable {
    case join(Double, playing: Bool)
    case leave
    case tempo(Double)
    case start(LinkStart)
    case stop
  }

  private struct Session {
    var calls: [Call] = []
    var state = LinkState(tempo: 0, isPlaying: false, peers: 0)
    var joined: LinkStart?
  }

  private let session = Mutex(Session())

  var calls: [Call] { session.withLock { $0.calls } }
  /// The state with which it was joined last.
  var joined: LinkStart? { session.withLock { $0.joined } }
  var state: LinkState { session.withLock { $0.state } }

  /// Sets the state as other peers would.
  func set(_ state: LinkState) { session.withLock { $0.state = state } }

  func join(tempo: Double, playing start: LinkStart?) -> Bool {
    session.withLock {
      $0.calls.append(.join(tempo, playing: start != nil))
      $0.state = LinkState(tempo: tempo, isPlaying: start != nil, peers: 0)
      $0.joined = start
    }
    return true
  }

  func leave() { session.withLock { $0.calls.append(.leave) } }

  func set(tempo: Double) {
    session.withLock {
      $0.calls.append(.tempo(tempo))
      $0.state.tempo = tempo
    }
  }

  func start(_ start: LinkStart) {
    session.withLock {
      $0.calls.append(.start(start))
      $0.state.isPlaying = true
    }
  }

  func stop() {
    session.withLock {
      $0.calls.append(.stop)
      $0.state.isPlaying = false
    }
  }
}
