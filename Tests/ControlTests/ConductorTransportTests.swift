import ControlBench
import MusicTime
import Realtime
import Testing

@testable import Control
@testable import Engine

@Suite struct ConductorTransportTests {
  @Test func `In free the engine starts and stops without the transport`() throws {
    let rig = try Rig()
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying && rig.beat == 1 })
    rig.push(.toggle)
    #expect(!rig.settle().isPlaying)
    rig.push(.toggle)
    #expect(rig.settle().isPlaying)
    rig.push(.locate(Position(bar: 9, beat: 3)))
    #expect(rig.eventually { _ in (rig.bar, rig.beat) == (9, 3) })
    rig.push(.stop)
    #expect(!rig.settle().isPlaying)
    #expect(rig.host.calls.isEmpty)
  }

  @Test func aBeatIsNoChange() throws {
    let rig = try Rig()
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying && rig.beat == 1 })
    rig.settle()
    let changes = rig.reports.changes
    #expect(rig.eventually { _ in rig.bar == 2 })
    #expect(rig.reports.changes == changes)
  }

  @Test(arguments: [SyncMode.follow, .lead])
  func onTheTransportTheHostStartsStopsAndLocates(_ role: SyncMode) throws {
    let rig = try Rig()
    rig.push(.set(.role(role)))
    rig.settle()
    #expect(rig.host.calls.contains(.take(.lead, conditional: false)) == (role == .lead))
    rig.host.forgetCalls()
    rig.push(.start, .locate(Position(bar: 3, beat: 1)), .stop)
    rig.settle()
    // Two bars of 4/4 at 120 and 48 kHz.
    #expect(rig.host.calls.filter { $0 != .announce } == [.start, .locate(192_000), .stop])
    #expect(!rig.settle().isPlaying)
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying })
    rig.host.forgetCalls()
    rig.push(.toggle)
    rig.settle()
    #expect(rig.host.calls.filter { $0 != .announce } == [.stop])
    rig.transport.isRolling = false
    #expect(rig.eventually { !$0.isPlaying })
  }

  @Test func `A stopped transport shows where it stands`() throws {
    let rig = try Rig()
    #expect(rig.settle().standing == nil)
    rig.push(.set(.role(.lead)))
    // At 133.7 BPM the bars 17 and 8000 begin between two frames.
    rig.push(.set(.tempo(try Tempo(133.7))))
    for (bar, beat) in [(1, 1), (17, 1), (8_000, 3)] {
      let frame = (Double((bar - 1) * 4 + beat - 1) * 60 * 48_000 / 133.7).rounded()
      rig.transport.frame = UInt32(frame)
      #expect(rig.eventually { $0.standing == BeatPlace(bar: bar, beat: beat) })
    }
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying && $0.standing == nil })
    rig.transport.isRolling = false
    #expect(rig.eventually { !$0.isPlaying && $0.standing?.bar == 8_000 })
    // Another tempo keeps the place, and no other one is shown meanwhile.
    rig.push(.set(.tempo(try Tempo(120))))
    var places: Set<Int> = []
    for _ in 0..<200 {
      places.insert(rig.settle().standing?.bar ?? 0)
      rig.render()
    }
    #expect(places == [8_000])
    rig.transport.frame = 96_000 * 500
    #expect(rig.eventually { $0.standing == BeatPlace(bar: 501, beat: 1) })
    // The next server's transport continues there, at its own sample rate.
    rig.updates.push(Request(.host(.lost("gone"))))
    #expect(rig.eventually { $0.sampleRate == 0 } && rig.settle().standing == BeatPlace(bar: 501, beat: 1))
    rig.updates.push(Request(.host(.connected(sampleRate: 2 * Rig.sampleRate))))
    rig.settle()
    #expect(rig.host.calls.contains(.locate(96_000 * 1_000)))
  }

  @Test func `Without a server another client's transport stands nowhere`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.follow)))
    rig.transport.frame = 96_000
    #expect(rig.eventually { $0.standing == BeatPlace(bar: 2, beat: 1) })
    rig.updates.push(Request(.host(.lost("gone"))))
    #expect(rig.eventually { $0.standing == nil })
  }

  @Test func `Music that was stopped right before the role became free stays stopped`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.follow)))
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying })
    rig.push(.stop, .set(.role(.free)))
    rig.pass(.milliseconds(100))
    let known = rig.reports.beats.count
    rig.pass(.seconds(2))
    #expect(!rig.settle().isPlaying)
    #expect(rig.reports.beats.count == known)
    rig.push(.start)
    rig.pass(.seconds(1))
    #expect(rig.reports.beats.count > known)
  }

  @Test func aStartRightAfterTheRoleBecameFreeIsPlayed() throws {
    var settings = Settings()
    try settings.set(.role(.lead))
    let rig = try Rig(settings)
    for _ in 0..<20 { rig.render() }
    rig.push(.set(.role(.free)), .start)
    #expect(rig.eventually { $0.isPlaying && rig.beat == 1 })
  }

  @Test func `The leader's meter is used until it leaves`() throws {
    let rig = try Rig()
    let seventh = Update.locate(Position(bar: 1, beat: 7))
    #expect(rig.refusal(of: seventh) == "beat 7: must be 1…4, the beats of a bar")
    rig.push(.set(.role(.follow)))
    rig.transport.isRolling = true
    rig.transport.leader = Rig.leader(frame: 0, beats: 7)
    #expect(rig.eventuallyFollowing { $0.leader?.count == 7 })
    #expect(rig.settle().settable.names == ["pattern"])
    #expect(rig.refusal(of: seventh) == nil)
    #expect(rig.settle().settings.meter == .common)
    #expect(rig.eventuallyFollowing { _ in rig.beat == 7 })
    rig.transport.leader = nil
    #expect(rig.eventually { $0.leader == nil })
    #expect(rig.settle().settable.names == ["tempo", "meter", "pattern"])
    #expect(rig.refusal(of: seventh) != nil)
  }

  @Test func `A leader that is reported after the role has changed is ignored`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.follow)))
    rig.settle()
    // The role changes while the engine's event is on its way.
    rig.push(.set(.role(.free)))
    rig.settle()
    let late = Event.leader(Event.Leader(count: 7, unit: 8, notesPerMinute: 99))
    let isSent = rig.channels.pointee.events.push(late)
    #expect(isSent)
    rig.settle()
    #expect(rig.settle().leader == nil)
  }

  @Test func aConditionalLeadFollowsWhereAnotherLeads() throws {
    let rig = try Rig()
    rig.host.isLedByAnother = true
    #expect(rig.refusal(of: .leadIfFree)?.contains("another client leads") == true)
    #expect(rig.settle().role == .follow)
    rig.push(.set(.role(.lead)))
    #expect(rig.settle().role == .lead)
  }

  @Test func aConditionalLeadIsNotForcedWhenTheServerComesBack() throws {
    let rig = try Rig()
    rig.push(.leadIfFree)
    #expect(rig.settle().role == .lead)
    rig.host.isLedByAnother = true
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    #expect(rig.settle().role == .follow)
    #expect(rig.eventually { _ in rig.reports.warnings.contains { $0.contains("another client leads") } })
  }

  @Test func aLocateBeyondTheTransportsFramesIsRefused() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    let reason = rig.refusal(of: .locate(Position(bar: 1_000_000, beat: 1)))
    #expect(reason?.contains("2³² frames") == true)
    #expect(!rig.host.calls.contains { if case .locate = $0 { true } else { false } })
  }

  @Test func theServersComingAndGoingKeepsSettingsAndPlaying() throws {
    let rig = try Rig()
    rig.push(.set(.tempo(Tempo(clamping: 133_700))), .start)
    #expect(rig.eventually { $0.isPlaying && rig.beat == 2 })
    let before = rig.settle()
    rig.updates.push(Request(.host(.lost("it has gone"))))
    #expect(rig.settle().sampleRate == 0)
    #expect(rig.settle().isPlaying)
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    let after = rig.settle()
    #expect(after.settings == before.settings)
    #expect(after.isPlaying)
    #expect(after.sampleRate == Rig.sampleRate)
    #expect(rig.hears { if case .host(.lost("it has gone")) = $0 { true } else { false } })
    #expect(rig.eventually { _ in rig.beat == 4 })
  }

  @Test func `A leader that rolled rolls on at its position when the server returns`() throws {
    let rig = try Rig()
    let frame = try comeBack(rig)
    #expect(
      rig.host.calls.filter { $0 != .announce }
        == [.take(.lead, conditional: false), .locate(frame), .start])
    // A rolling transport is not started again.
    rig.pass(.milliseconds(400))
    #expect(rig.host.calls.count { $0 == .locate(frame) } == 1)
  }

  @Test func `A leader beyond the transport's frames rolls from the start`() throws {
    let rig = try Rig()
    _ = try comeBack(rig, from: 1 << 33)
    #expect(
      rig.host.calls.filter { $0 != .announce } == [.take(.lead, conditional: false), .locate(0), .start])
  }

  @Test func `The place of a lost transport is used once`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying })
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.push(.stop)
    rig.transport.isRolling = false
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.render()
    rig.settle()
    rig.push(.start)
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying })
    rig.host.forgetCalls()
    // PipeWire reports a new rate as a new connection.
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    #expect(!rig.host.calls.contains { if case .locate = $0 { true } else { false } })
  }

  @Test(arguments: [Update.stop, .pause, .toggle, .play(false)])
  func `A leader that is stopped while the server is away stays stopped when it returns`(stop: Update) throws
  {
    for startsAgain in [false, true] {
      let rig = try Rig()
      rig.push(.set(.role(.lead)))
      rig.transport.isRolling = true
      #expect(rig.eventually { $0.isPlaying })
      rig.updates.push(Request(.host(.lost("gone"))))
      rig.settle()
      rig.push(stop)
      #expect(!rig.settle().isPlaying)
      if startsAgain {
        rig.push(.start)
        #expect(rig.settle().isPlaying)
      }
      rig.host.forgetCalls()
      rig.transport.isRolling = false
      rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
      rig.settle()
      #expect(rig.host.calls.contains(.start) == startsAgain)
      rig.pass(.seconds(1))
      if !startsAgain { #expect(!rig.settle().isPlaying && !rig.host.calls.contains(.start)) }
    }
  }

  @Test(arguments: [Update.stop, .pause])
  func `A leader that is stopped keeps its place when the server is lost`(stop: Update) throws {
    for isStoppedBefore in [true, false] {
      let rig = try Rig()
      rig.push(.set(.role(.lead)))
      rig.transport.isRolling = true
      #expect(rig.eventually { $0.isPlaying })
      rig.transport.isRolling = !isStoppedBefore
      if isStoppedBefore {
        rig.push(stop)
        #expect(rig.eventually { !$0.isPlaying })
      }
      rig.channels.pointee.transportFrame.store(96_000, ordering: .relaxed)
      rig.updates.push(Request(.host(.lost("gone"))))
      rig.settle()
      if !isStoppedBefore { rig.push(stop) }
      rig.settle()
      rig.host.forgetCalls()
      rig.transport.isRolling = false
      rig.updates.push(Request(.host(.connected(sampleRate: 2 * Rig.sampleRate))))
      rig.settle()
      #expect(rig.host.calls.contains(.locate(192_000)) && !rig.host.calls.contains(.start))
    }
  }

  @Test func `A stop that a hanging server does not carry out counts when the server is lost`() throws {
    for restarts in [false, true] {
      let rig = try Rig()
      rig.push(.set(.role(.lead)))
      rig.transport.isRolling = true
      #expect(rig.eventually { $0.isPlaying })
      // No period is rendered any more.
      rig.push(.stop)
      rig.settle()
      if restarts { rig.push(.start) }
      rig.settle()
      rig.updates.push(Request(.host(.lost("hangs"))))
      #expect(rig.settle().isPlaying == restarts)
      rig.host.forgetCalls()
      rig.transport.isRolling = false
      rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
      rig.settle()
      #expect(rig.host.calls.contains(.start) == restarts)
    }
  }

  @Test(arguments: [SyncMode.lead, .follow])
  func `A stop while a server hangs stops the transport that rolled on when the server answers again`(
    role: SyncMode
  ) throws {
    for repeats in [false, true] {
      let rig = try Rig()
      rig.push(.set(.role(role)))
      rig.transport.isRolling = true
      #expect(rig.eventually { $0.isPlaying })
      rig.channels.pointee.transportFrame.store(96_000, ordering: .relaxed)
      rig.updates.push(Request(.host(.lost("hangs"))))
      rig.settle()
      rig.push(.stop)
      if repeats { rig.push(.stop) }
      #expect(!rig.settle().isPlaying)
      rig.host.forgetCalls()
      rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
      #expect(!rig.settle().isPlaying)
      #expect(rig.host.calls.contains(.stop) && !rig.host.calls.contains(.start))
      #expect(rig.host.calls.contains(.locate(96_000)) == (role == .lead))
      rig.transport.isRolling = false
      rig.pass(.milliseconds(200))
      #expect(!rig.settle().isPlaying)
    }
  }

  @Test func `What was stopped before it was started again rolls on with the next server`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    rig.settle()
    // Nothing plays, so the engine reports no stop.
    rig.push(.stop)
    rig.settle()
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying })
    rig.pass(.milliseconds(500))
    rig.updates.push(Request(.host(.lost("gone"))))
    #expect(rig.settle().isPlaying)
    rig.host.forgetCalls()
    rig.transport.isRolling = false
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    #expect(rig.host.calls.contains(.start))
  }

  @Test func `A locate and a start that a hanging server does not carry out hold for the next one`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    rig.settle()
    rig.render()
    // No period is rendered any more.
    rig.push(.locate(Position(bar: 3, beat: 1)), .start)
    rig.settle()
    rig.updates.push(Request(.host(.lost("hangs"))))
    #expect(rig.settle().isPlaying)
    rig.host.forgetCalls()
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    let bar = UInt32(4 * Rig.sampleRate / 2)
    #expect(rig.host.calls.contains(.locate(2 * bar)) && rig.host.calls.contains(.start))
  }

  @Test(arguments: [SyncMode.follow, .lead])
  func `Music that stands on a new transport is reported as stopped, even if the engine said so first`(
    role: SyncMode
  ) throws {
    let rig = try Rig()
    rig.push(.set(.role(role == .lead ? .free : .follow)))
    rig.settle()
    if role == .lead { rig.push(.start) } else { rig.transport.isRolling = true }
    #expect(rig.eventually { $0.isPlaying })
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    rig.push(.set(.role(role)))
    rig.settle()
    // The engine runs on the new server before the host reports that server.
    rig.transport.isRolling = false
    for _ in 0..<8 { rig.render() }
    rig.settle()
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    #expect(rig.eventually { !$0.isPlaying })
  }

  @Test func `A leader that was in its own time when the server was lost starts the new one's transport`()
    throws
  {
    let rig = try Rig()
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.push(.set(.role(.lead)))
    rig.push(.start)
    #expect(rig.settle().isPlaying)
    rig.host.forgetCalls()
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    #expect(rig.host.calls.contains(.locate(0)) && rig.host.calls.contains(.start))
  }

  @Test func `A follower's start is refused while the server is away`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.follow)))
    rig.settle()
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    for start in [Update.start, .play(true), .toggle, .advance] {
      #expect(rig.refusal(of: start)?.contains("the JACK server is away") == true)
    }
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    #expect(rig.refusal(of: .start) == nil)
  }

  @Test func `Music on a transport is not moved while the server is away, and the sender is told why`() throws
  {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    rig.settle()
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    let reason = rig.refusal(of: .locate(Position(bar: 2, beat: 1)))
    #expect(reason?.contains("the JACK server is away") == true)
  }

  @Test func `A follower that leads a new server's transport does not start it`() throws {
    var settings = Settings()
    try settings.set(.role(.lead))
    let rig = try Rig(settings)
    rig.host.isLedByAnother = true
    rig.push(.leadIfFree)
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying && $0.role == .follow })
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    rig.host.forgetCalls()
    rig.host.isLedByAnother = false
    rig.transport.isRolling = false
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    #expect(rig.eventually { $0.role == .lead })
    rig.settle()
    #expect(!rig.host.calls.contains { if case .locate = $0 { true } else { $0 == .start } })
  }

  @Test(arguments: [Standing.before, .after])
  func `A new transport that does not start is started again until it rolls`(standing: Standing) throws {
    let rig = try Rig()
    let frame = try comeBack(rig, standing: standing)
    let nudges = { rig.host.calls.count { $0 == .locate(frame) } - 1 }
    #expect(rig.eventually { _ in nudges() == 2 })
    rig.transport.isRolling = true
    rig.render()
    rig.settle()
    let count = nudges()
    // The next would have come 1.2 s after the second.
    rig.pass(.milliseconds(1_400))
    #expect(nudges() == count)
  }

  /// Whether the engine sees the new server's stopped transport before the conductor is notified of the server, or after.
  enum Standing { case before, after }

  /// Leads a rolling transport, and loses and regains the server.
  /// - Parameters:
  ///   - standing: nil if the new transport rolls.
  ///   - place: the last frame at which it rolled; nil for the actual one.
  /// - Returns: the last frame at which it rolled.
  private func comeBack(_ rig: Rig, standing: Standing? = nil, from place: Int64? = nil) throws -> UInt32 {
    rig.push(.set(.role(.lead)))
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying })
    let frame = UInt32(rig.clock.number)
    if let place { rig.channels.pointee.transportFrame.store(place, ordering: .relaxed) }
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    rig.host.forgetCalls()
    rig.transport.isRolling = standing == nil
    if standing == .before {
      rig.render()
      rig.settle()
    }
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    if standing == .after { rig.render() }
    rig.settle()
    return frame
  }

  @Test func `A transport that was not used when its server was lost is not rolled on`() throws {
    let rig = try Rig()
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying })
    rig.render(until: 480_000)
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.push(.set(.role(.lead)))
    rig.settle()
    rig.host.forgetCalls()
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    let moves = rig.host.calls.filter { call in
      switch call {
      case .locate, .start: true
      default: false
      }
    }
    #expect(moves == [])
  }

  @Test func `The lead is released when the engine no longer uses it`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.isPlaying })
    rig.host.forgetCalls()
    rig.push(.set(.role(.free)))
    rig.settle()
    #expect(!rig.host.calls.contains(.take(.free, conditional: false)))
    #expect(rig.eventually { _ in rig.host.calls.contains(.take(.free, conditional: false)) })
    #expect(rig.settle().isPlaying)
  }

  @Test func `If another client takes the lead, Tactus notices and follows`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)))
    rig.settle()
    // The transport rolls, and the server does not ask this client for the position.
    rig.host.isLedByAnother = true
    rig.transport.isRolling = true
    #expect(rig.eventually { $0.role == .follow })
    #expect(rig.reports.warnings == ["another client leads the transport now: following it"])
  }

  @Test func `The request to lead if free is remembered`() throws {
    var settings = Settings()
    settings.leadIfFree()
    let rig = try Rig(settings)
    rig.host.isLedByAnother = true
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    #expect(rig.settle().role == .follow)
    #expect(rig.settle().settings.leadsIfFree)
    rig.host.isLedByAnother = false
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    #expect(rig.settle().role == .lead)
    rig.push(.set(.role(.follow)))
    #expect(!rig.settle().settings.leadsIfFree)
  }

  // MARK: The request to lead

  /// Leads until another client takes the lead and publishes 7/8.
  private func demoted(_ request: Update = .set(.role(.lead)), disk: Disk = Disk()) throws -> Rig {
    let rig = try Rig(disk: disk)
    rig.push(request)
    rig.settle()
    rig.host.isLedByAnother = true
    rig.transport.isRolling = true
    #expect(rig.eventuallyFollowing { $0.role == .follow && $0.leader?.count == 7 })
    return rig
  }

  @Test(arguments: [Update.set(.role(.lead)), .leadIfFree])
  func `A request to lead survives another leader and is saved`(_ request: Update) throws {
    let disk = Disk()
    let rig = try demoted(request, disk: disk)
    #expect(rig.settle().settings.role == .lead)
    #expect(rig.settle().settings.leadsIfFree == (request == .leadIfFree))
    #expect(rig.stop())
    #expect(disk.saves.last?.role == .lead)
    #expect(disk.saves.last?.leadsIfFree == (request == .leadIfFree))
  }

  @Test(arguments: [Update.set(.role(.lead)), .leadIfFree])
  func `When the other leader has gone Tactus leads again, without taking the lead from any client`(
    _ request: Update
  ) throws {
    let rig = try demoted(request)
    rig.host.forgetCalls()
    // This leader has gone, and another one is there.
    rig.transport.leader = nil
    #expect(rig.eventually { _ in rig.host.calls.contains(.take(.lead, conditional: true)) })
    #expect(rig.settle().role == .follow)
    #expect(rig.eventuallyFollowing { $0.leader?.count == 7 })
    rig.host.isLedByAnother = false
    rig.transport.leader = nil
    #expect(rig.eventually { $0.role == .lead && $0.leader == nil })
    #expect(!rig.host.calls.contains(.take(.lead, conditional: false)))
  }

  @Test func `Changes of the role and of the requested role are reported`() throws {
    let rig = try demoted()
    rig.host.isLedByAnother = false
    rig.transport.leader = nil
    #expect(rig.eventually { $0.role == .lead })
    let roles = rig.reports.all.compactMap { report -> SyncMode? in
      guard case .changed(let old, let new) = report, old.role != new.role else { return nil }
      return new.role
    }
    #expect(roles == [.lead, .follow, .lead])
  }

  @Test func `After a request to follow Tactus does not lead when the leader has gone`() throws {
    let rig = try demoted()
    rig.push(.set(.role(.follow)))
    rig.settle()
    rig.host.forgetCalls()
    rig.host.isLedByAnother = false
    rig.transport.leader = nil
    #expect(rig.eventually { $0.leader == nil })
    rig.pass(.milliseconds(200))
    #expect(rig.settle().role == .follow)
    #expect(rig.host.calls == [])
  }

  @Test func `After losing the lead Tactus takes it from no client of a new server`() throws {
    let rig = try demoted()
    rig.host.forgetCalls()
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    #expect(rig.settle().role == .follow)
    #expect(rig.host.calls == [.take(.lead, conditional: true)])
    rig.host.isLedByAnother = false
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    #expect(rig.settle().role == .lead)
  }

  @Test func `A playing metronome that takes a role on a stopped transport reports that`() throws {
    let rig = try Rig()
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying })
    rig.push(.set(.role(.lead)))
    #expect(rig.eventually { !$0.isPlaying })
    #expect(rig.reports.warnings == ["the transport stands still, and the click with it: start rolls it"])
  }

  @Test func `The end of a number of bars is reported once`() throws {
    var settings = Settings()
    try settings.set(.tempo(Tempo(999)))
    let rig = try Rig(settings, bars: 2)
    rig.push(.start)
    #expect(rig.eventually { _ in rig.reports.isFinished })
    #expect(!rig.settle().isPlaying)
    #expect(rig.reports.beats.map(\.beat) == [1, 2, 3, 4, 1, 2, 3, 4])
  }
}

extension Reports {
  fileprivate var isFinished: Bool { all.contains { if case .finished = $0 { true } else { false } } }
}

extension Rig {
  /// The position of a leader at 120 eighths a minute at a frame of the transport.
  fileprivate static func leader(frame: Int64, beats: Int) -> Cycle.Leader {
    let notes = Double(frame) / 24_000
    let bar = Int(notes) / beats
    return Cycle.Leader(
      bar: bar + 1, beat: Int(notes) % beats + 1, tick: (notes - notes.rounded(.down)) * 1_920,
      isTickExact: true, ticksPerBeat: 1_920, offset: 0, beatsPerMinute: 120, beatsPerBar: Double(beats),
      beatType: 8)
  }

  /// Like `eventually`, with a leader that plays on.
  fileprivate func eventuallyFollowing(_ condition: (Snapshot) -> Bool) -> Bool {
    eventually { snapshot in
      transport.leader = Rig.leader(frame: Int64(transport.frame), beats: 7)
      return condition(snapshot)
    }
  }
}
