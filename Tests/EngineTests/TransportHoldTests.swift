import Engine
import MusicTime
import Testing

/// Which starts of a transport have a pre-roll: each start of a standing transport, and no move of a rolling one, whatever
/// else changes in the same period.
@Suite("Transport hold")
struct TransportHoldTests: PreRollSuite {
  private func counted(_ transport: HeldTransport) -> Int { transport.rig.beats.count(where: \.isPreRoll) }

  private func publish(_ role: SyncMode, sampleRate: Int = 48_000, on rig: Rig) throws {
    rig.publish(try Score.make(Self.pattern, sampleRate: sampleRate, role: role, preRoll: policy(bars: 2)))
  }

  /// Music that rolls on a transport after two bars of pre-roll.
  private func rolling() throws -> HeldTransport {
    var transport = try led()
    transport.start()
    transport.render(frames: 400_000)
    #expect(counted(transport) == 8)
    return transport
  }

  /// Music with a time of its own, beside a transport that stands.
  private func free() throws -> HeldTransport {
    let rig = Rig(try Score.make(Self.pattern, preRoll: policy(bars: 2)))
    rig.command(.start)
    var transport = HeldTransport(rig)
    transport.render(frames: 50_000)
    #expect(rig.beats.count > 2)
    return transport
  }

  /// Starts the transport, and expects that it rolls after two bars.
  /// - Parameter total: the number of beats counted since the beginning.
  private func expectPreRoll(_ transport: inout HeldTransport, total: Int) {
    transport.start()
    transport.render(frames: 400_000)
    #expect(counted(transport) == total)
    #expect(transport.state == .rolling)
  }

  /// Expects that a transport that has been moved rolls on at once, with no beats counted but those of its first start.
  private func expectRollsOn(_ transport: inout HeldTransport) {
    transport.render()
    transport.render()
    #expect(transport.state == .rolling)
    transport.render(frames: 60_000)
    #expect(counted(transport) == 8)
  }

  // MARK: Moves of a rolling transport

  @Test(
    "A locate while the transport rolls has no pre-roll, also together with a change",
    arguments: [nil, .lead, .follow] as [SyncMode?])
  func locates(change: SyncMode?) throws {
    var transport = try rolling()
    for frame: UInt32 in [96_000, 500_000, 96_000] {
      transport.locate(frame)
      if let change { try publish(change, on: transport.rig) }
      expectRollsOn(&transport)
    }
  }

  @Test(
    "A locate while the transport rolls has no pre-roll either if it is moved again while the role changes",
    arguments: [.free, .lead, .follow] as [SyncMode])
  func locatesTwice(role: SyncMode) throws {
    var transport = try rolling()
    // Other clients need time, so that JACK asks again.
    transport.othersAreReady = false
    transport.locate(96_000)
    try publish(role, on: transport.rig)
    transport.render()
    try publish(.lead, on: transport.rig)
    transport.locate(500_000)
    transport.render()
    transport.othersAreReady = true
    expectRollsOn(&transport)
  }

  @Test(
    "Music with a time of its own beside a rolling transport does not hold it, also if it gets a role on it as it is moved",
    arguments: [.free, .lead, .follow] as [SyncMode])
  func locatesBesideFreeMusic(role: SyncMode) throws {
    var transport = try free()
    transport.start()
    transport.render(frames: 50_000)
    #expect(transport.state == .rolling)
    transport.locate(96_000)
    try publish(role, on: transport.rig)
    transport.render()
    #expect(transport.state == .rolling)
    transport.render(frames: 60_000)
    #expect(counted(transport) == 0)
  }

  // MARK: Starts of a standing transport

  @Test(
    "A start after a move of the rolling transport has its pre-roll, also if the role changed during the move",
    arguments: [.free, .lead, .follow] as [SyncMode])
  func startsAfterMove(role: SyncMode) throws {
    var transport = try rolling()
    transport.locate(96_000)
    try publish(role, on: transport.rig)
    transport.render()
    transport.render()
    #expect(transport.state == .rolling)
    try publish(.lead, on: transport.rig)
    transport.render(frames: 60_000)
    transport.stop()
    transport.render()
    transport.locate(0)
    expectPreRoll(&transport, total: 16)
  }

  @Test(
    "A transport that starts just when free music gets a role on it has its pre-roll",
    arguments: [.lead, .follow] as [SyncMode])
  func startsWithRole(role: SyncMode) throws {
    var transport = try free()
    try publish(role, on: transport.rig)
    expectPreRoll(&transport, total: 8)
  }

  @Test(
    "A start on a server with another sample rate has its pre-roll, also together with the score for that rate"
  )
  func startsAtOtherRate() throws {
    var transport = try rolling()
    transport.stop()
    transport.locate(0)
    transport.rig.cycleRate = 44_100
    transport.render()
    try publish(.lead, sampleRate: 44_100, on: transport.rig)
    expectPreRoll(&transport, total: 16)
  }

  @Test(
    "A move of the transport that ends at another sample rate does not take the pre-roll from the next start")
  func movesToOtherRate() throws {
    var transport = try rolling()
    transport.locate(96_000)
    transport.rig.cycleRate = 44_100
    transport.render()
    transport.render()
    transport.stop()
    transport.locate(0)
    transport.render()
    try publish(.lead, sampleRate: 44_100, on: transport.rig)
    expectPreRoll(&transport, total: 16)
  }

  @Test("A transport that starts when free music gets a role on it at another sample rate has its pre-roll")
  func startsWithRoleAtOtherRate() throws {
    var transport = try free()
    transport.rig.cycleRate = 44_100
    transport.render()
    try publish(.lead, on: transport.rig)
    transport.start()
    transport.render()
    try publish(.lead, sampleRate: 44_100, on: transport.rig)
    transport.render(frames: 400_000)
    #expect(counted(transport) == 8)
    #expect(transport.state == .rolling)
  }

  @Test("A new server's transport that starts in the first cycle has its pre-roll")
  func startsOnNewServer() throws {
    var transport = try rolling()
    transport.stop()
    transport.locate(0)
    transport.rig.forgetTransport()
    expectPreRoll(&transport, total: 16)
  }

  @Test("A transport that starts in the period of a scheduled pre-roll has it")
  func startsWithScheduledPreRoll() throws {
    let rig = Rig(try Score.make(Self.pattern, role: .lead))
    var transport = HeldTransport(rig)
    rig.publish(
      try Score.make(Self.pattern, role: .lead, preRoll: policy(bars: 2)), at: rig.clock + 356)
    transport.render()
    expectPreRoll(&transport, total: 8)
  }

  @Test("After a transport has asked and stopped beside free music, quiet periods come back")
  func becomesQuiet() throws {
    var transport = try free()
    try publish(.free, on: transport.rig)
    transport.start()
    transport.render()
    transport.stop()
    transport.render(frames: 5_000)
    let before = transport.rig.quietPeriods
    transport.render(frames: 50_000)
    #expect(transport.rig.quietPeriods > before + 100)
  }

  // MARK: Commands and renewals

  @Test(
    "A start, stop or pause command does not restart the count for a transport, which others start and stop",
    arguments: [.start, .stop, .pause] as [Command.Action])
  func ignoresCommands(action: Command.Action) throws {
    var transport = try led()
    transport.start()
    transport.render(frames: 60_000)
    transport.rig.command(action)
    transport.render(frames: 500_000)
    #expect(counted(transport) == 8)
    expectGrid(try heard(transport, 0, from: 0))
  }

  @Test("A stop in the period of a role change ends the wait, so that the next one is not renewed early")
  func stopsWithRole() throws {
    var transport = try led()
    (transport.patience, transport.answer) = (5 * 48_000, 0)
    transport.start()
    transport.render(frames: 30_000)
    transport.stop()
    try publish(.follow, on: transport.rig)
    transport.render()
    transport.render(frames: 480_000)
    transport.start()
    transport.render(frames: 30_000)
    #expect(transport.requests.isEmpty)
  }
}
