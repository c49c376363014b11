import Control
import ControlBench
import MusicTime
import OSC
import OSCBench
import Synchronization
import Testing

@testable import KlickControl
@testable import OSCControl

/// Address patterns, faults and queries in klick's namespace, of which a datagram may hold so many.
@Suite struct KlickPatternTests {
  @Test(arguments: [
    "/klick/[p-r]*", "/klick/*", "/klick/{quit,ping}", "/klick/qui?", "/klick/config/*connect*",
    "/klick/metro/st*",
  ])
  func `A pattern ends nothing, starts nothing and connects nothing`(pattern: String) throws {
    let isDone = Box(Mutex(false))
    var host = KlickRemoteTests.host
    host.quit = { isDone.value.withLock { $0 = true } }
    host.autoconnect = host.quit
    host.disconnectAll = host.quit
    let test = try RemoteRig(klick: host)
    _ = test.answers(OSCMessage(pattern))
    // What waits for the JACK server is done in turn.
    _ = test.answer("/klick/config/get_available_ports")
    let wasDone = isDone.value.withLock { $0 }
    #expect(!wasDone)
    #expect(!test.rig.settle().isPlaying)
    #expect(
      test.answers(OSCMessage("/klick/metro/quer?")).map(\.address) == [
        "/klick/metro/type", "/klick/metro/active",
      ])
  }

  @Test func `A datagram holds four patterns at most, of both namespaces together`() throws {
    let test = try RemoteRig(klick: KlickRemoteTests.host)
    let tempos = (0..<4).map { OSCMessage("/klick/simple/set_temp?", .float(Float(100 + $0))) }
    let messages = [OSCMessage("/tactus/volume/beat*", .float(0.5))] + tempos
    for datagram in Datagrams.of(messages, at: .immediate) { test.app.send(datagram, to: test.port) }
    #expect(test.answers().first?.arguments.last?.text?.contains("4 patterns") == true)
    #expect(try test.settings.tempo == Tempo(102))
  }

  @Test func `Of a message there is one complaint, however many addresses its pattern reaches`() throws {
    let test = try RemoteRig(klick: KlickRemoteTests.host)
    test.send(OSCMessage("/klick/*/*", .string("x")))
    #expect(
      test.rig.reports.wait { if case .warning(let text) = $0 { text.hasSuffix(" more)") } else { false } })
    test.rig.settle()
    #expect(test.rig.reports.warnings.count == 1)
  }

  @Test func `After sixteen faults the rest of a datagram is ignored`() throws {
    let test = try RemoteRig(klick: KlickRemoteTests.host)
    for faults in [15, 16] {
      let messages =
        (0..<faults).map { _ in OSCMessage("/klick/nothing") }
        + [OSCMessage("/klick/simple/set_tempo", .float(Float(100 + faults)))]
      for datagram in Datagrams.of(messages, at: .immediate) { test.app.send(datagram, to: test.port) }
      test.rig.settle()
    }
    #expect(test.answers() == [])
    #expect(try test.settings.tempo == Tempo(115))
  }

  @Test func `A datagram that asks for the same values again and again is answered less often`() throws {
    let test = try RemoteRig(klick: KlickRemoteTests.host)
    let messages = (0..<60).map { _ in OSCMessage("/klick/metro/query") }
    for datagram in Datagrams.of(messages, at: .immediate) { test.app.send(datagram, to: test.port) }
    // Each may cost all values of the metronome, and has two answers. Even fewer can wait for the conductor.
    let most = 2 * (OSCExchange.valueLimit / KlickValue.allCases.count)
    #expect((2...most).contains(test.answers().count) && most < 2 * messages.count)
  }
}
