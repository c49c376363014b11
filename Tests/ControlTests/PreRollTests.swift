import ControlBench
import MusicTime
import Realtime
import Testing

@testable import Control
@testable import Engine

/// The pre-roll as players and other programs see it.
@Suite("Pre-roll")
struct PreRollTests {
  private func rig(_ role: SyncMode = .free) throws -> Rig {
    var settings = Settings()
    try settings.set(.role(role))
    try settings.set(Setting(Parameters.preRoll.parameter, .integer(1)))
    return try Rig(settings)
  }

  /// A rig that counts for twelve seconds.
  private func longRig(_ role: SyncMode) throws -> Rig {
    let rig = try rig(role)
    rig.push(.set(try Setting(Parameters.preRollSeconds.parameter, .number(11))))
    rig.pass(.milliseconds(100))
    return rig
  }

  @Test("In free a start is counted in and reported so, and a toggle during the count stops it")
  func free() throws {
    let rig = try rig()
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying && rig.bar == 0 && rig.beat == 3 })
    #expect(rig.settle().state == .countingIn)
    rig.push(.toggle)
    #expect(!rig.settle().isPlaying)
    rig.push(.toggle)
    #expect(rig.eventually { _ in (rig.bar, rig.beat) == (1, 1) })
    #expect(rig.settle().state == .running)
    // A pause goes on where it was, after a bar.
    #expect(rig.eventually { _ in (rig.bar, rig.beat) == (2, 3) })
    rig.push(.pause)
    #expect(!rig.settle().isPlaying)
    rig.push(.start)
    #expect(rig.eventually { _ in rig.bar == 0 })
    #expect(rig.eventually { _ in (rig.bar, rig.beat) == (2, 4) })
  }

  @Test(
    "Another start during the count, also a dated one or after a stop at the bar, leaves the count as it is",
    arguments: 0..<3)
  func secondStart(kind: Int) throws {
    let rig = try longRig(.free)
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying && rig.bar == -4 && rig.beat == 2 })
    switch kind {
    case 0: rig.push(.start)
    case 1:
      // The immediate start comes between the time at which the dated one is handed to the engine and its date.
      rig.updates.push(Request(.update(.start), at: rig.time + .milliseconds(150)))
      rig.pass(.milliseconds(20))
      rig.push(.start)
    default: rig.push(.stopAtBar, .start)
    }
    #expect(rig.eventually { _ in (rig.bar, rig.beat) == (-4, 4) })
    #expect(rig.settle().state == .countingIn)
    #expect(rig.eventually { _ in (rig.bar, rig.beat) == (0, 4) })
    #expect(rig.eventually { _ in (rig.bar, rig.beat) == (1, 1) })
  }

  @Test("A stop at the bar during the count stops it at once")
  func stopAtBar() throws {
    let rig = try longRig(.free)
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying && rig.bar == -4 && rig.beat == 2 })
    rig.push(.stopAtBar)
    #expect(rig.eventually { !$0.isPlaying })
    rig.pass(.milliseconds(12_000))
    #expect(!rig.settle().isPlaying && rig.settle().state == .idle)
    #expect(!rig.settle().stopsAtBar)
  }

  @Test("A stop at the bar in the same turn as the start leaves nothing to play")
  func stopAtBarWithStart() throws {
    let rig = try rig()
    rig.push(.start, .stopAtBar)
    #expect(rig.eventually { !$0.isPlaying })
    rig.pass(.seconds(5))
    #expect(!rig.settle().isPlaying && !rig.settle().stopsAtBar)
    #expect(rig.reports.beats.allSatisfy { $0.isPreRoll })
  }

  @Test(
    "A transport is held once for each server, and only with a pre-roll", arguments: [SyncMode.lead, .follow])
  func holds(_ role: SyncMode) throws {
    let rig = try rig(role)
    rig.push(.start)
    rig.settle()
    let calls = rig.host.calls.filter { $0 == .hold || $0 == .start }
    #expect(calls == [.hold, .start])
    rig.push(.stop, .start)
    rig.settle()
    #expect(rig.host.calls.filter { $0 == .hold }.count == 1)
    // Periods in which another client keeps the transport from rolling: the start is not asked for again.
    rig.pass(.milliseconds(200))
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    #expect(rig.host.calls.filter { $0 == .hold }.count == 2)
  }

  @Test("A start that a hanging server does not carry out has its count on the next one")
  func countsOnTheNextServer() throws {
    let rig = try rig(.lead)
    rig.render()
    // No period is rendered any more.
    rig.push(.start)
    rig.settle()
    rig.updates.push(Request(.host(.lost("hangs"))))
    #expect(rig.settle().isPlaying)
    rig.host.forgetCalls()
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    let calls = rig.host.calls.filter { $0 == .hold || $0 == .start }
    #expect(calls == [.hold, .start])
    // A transport that is held is not located again.
    rig.host.forgetCalls()
    rig.pass(.seconds(2))
    #expect(!rig.host.calls.contains { if case .locate = $0 { true } else { false } })
  }

  @Test("Without a pre-roll no transport is held, and with one from then on it is")
  func later() throws {
    var settings = Settings()
    try settings.set(.role(.lead))
    let rig = try Rig(settings)
    rig.push(.start)
    rig.settle()
    #expect(!rig.host.calls.contains(.hold))
    rig.push(.set(try Setting(Parameters.preRoll.parameter, .integer(2))))
    rig.settle()
    #expect(rig.host.calls.contains(.hold))
  }

  @Test("A new server's transport rolls on at the music's position without a count, and is held from then on")
  func rollsOn() throws {
    let rig = try rig(.lead)
    rig.settle()
    rig.transport.isStarting = true
    #expect(rig.eventually { $0.state == .countingIn && rig.beat == 2 })
    #expect(rig.eventually { $0.state == .running && (rig.bar, rig.beat) == (1, 3) })
    #expect(loseServer(rig) == [.start])
    rig.transport.isRolling = true
    #expect(rig.eventually { _ in rig.host.calls.contains(.hold) })
  }

  @Test("If the server is lost during a count, a new server's transport is counted for again")
  func losesServer() throws {
    let rig = try rig(.lead)
    rig.settle()
    rig.transport.isStarting = true
    #expect(rig.eventually { $0.state == .countingIn && rig.beat == 2 })
    #expect(loseServer(rig) == [.hold, .start])
    rig.render()
    let beats = rig.reports.beats.count
    rig.transport.isStarting = true
    #expect(rig.eventually { $0.state == .running && rig.bar == 1 })
    #expect(rig.reports.beats.dropFirst(beats).prefix(5).map(\.bar) == [0, 0, 0, 0, 1])
  }

  @Test(
    "The host is asked to prolong a transport's wait during a long pre-roll",
    arguments: [SyncMode.lead, .follow]
  )
  func renews(_ role: SyncMode) throws {
    let rig = try longRig(role)
    rig.transport.isStarting = true
    var starts: [Instant] = []
    let begin = rig.time
    while rig.settle().state != .running, rig.time < begin + .seconds(20) {
      let calls = rig.host.calls.count { $0 == .renew }
      if calls > starts.count { starts.append(rig.time) }
      rig.render()
    }
    // The host starts at most every second and a half.
    #expect(rig.time > begin + .seconds(12) && starts.count == 3)
    for (index, start) in starts.enumerated() {
      #expect(
        start - begin >= .seconds(3 * (index + 1)) && start - begin < .milliseconds(3_200 * (index + 1)))
    }
  }

  @Test("A transport that is stopped during a long pre-roll is not started again")
  func stopsForGood() throws {
    let rig = try longRig(.lead)
    rig.transport.isStarting = true
    rig.pass(.milliseconds(2_990))
    #expect(rig.settle().state == .countingIn)
    rig.push(.stop)
    // The transport waits until the server has obeyed.
    rig.pass(.milliseconds(200))
    rig.transport.isStarting = false
    rig.pass(.seconds(5))
    #expect(!rig.host.calls.contains(.renew) && !rig.settle().isPlaying)
  }

  /// Loses the server and connects to another one, whose transport stands at its beginning.
  /// - Returns: the requested starts and holds.
  private func loseServer(_ rig: Rig) -> [SimulatedHost.Call] {
    rig.updates.push(Request(.host(.lost("gone"))))
    rig.settle()
    rig.host.forgetCalls()
    rig.transport = Cycle.Transport()
    rig.updates.push(Request(.host(.connected(sampleRate: Rig.sampleRate))))
    rig.settle()
    return rig.host.calls.filter { $0 == .hold || $0 == .start }
  }
}
