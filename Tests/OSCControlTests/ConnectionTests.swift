import OSC
import OSCBench
import Realtime
import Synchronization
import Testing

@testable import Engine
@testable import OSCControl

/// Clients on connections: how their rights differ from those of UDP peers.
@Suite struct ConnectionTests {
  private let test: RemoteRig
  private let wire = Wire()
  private let browser = OSCPeer.connected(IPAddress("192.0.2.7")!, number: 1, mayWrite: true)
  private let display = OSCPeer.connected(IPAddress("192.0.2.8")!, number: 2, mayWrite: false)

  init() throws {
    test = try RemoteRig()
    test.remote.connect(wire)
  }

  /// Sends nothing, and records the packets.
  private final class Wire: OSCCarrier {
    let sent = Arrivals<(OSCPeer, [OSCMessage])>()

    func send(_ bytes: UnsafeRawBufferPointer, to peer: OSCPeer) -> Int32 {
      sent.add((peer, (try? OSCDatagram([UInt8](bytes)).messages) ?? []))
      return 0
    }
  }

  private func send(_ message: OSCMessage, from peer: OSCPeer) {
    for bytes in Datagrams.of([message], at: nil) { test.remote.receive(bytes, from: peer) }
  }

  /// The next message that is carried to a peer.
  private func next() throws -> (OSCPeer, OSCMessage) {
    let (peer, messages) = try #require(wire.sent.next())
    return (peer, try #require(messages.first))
  }

  @Test func itIsAnsweredOnItsConnection() throws {
    send(OSCMessage("/tactus/tempo"), from: browser)
    let (peer, message) = try next()
    #expect(peer == browser && message == OSCMessage("/tactus/tempo", .float(120)))
  }

  @Test func itGetsAllValuesAtOnceAsItCanNotBeForged() throws {
    send(OSCMessage("/tactus/subscribe"), from: browser)
    for endpoint in AddressSpace.endpoints where endpoint.value != nil {
      #expect(try next().1.address == endpoint.address)
    }
  }

  @Test func whoOnlyLooksIsToldEverythingAndChangesNothing() throws {
    send(OSCMessage("/tactus/tempo", .float(90)), from: display)
    let (peer, message) = try next()
    #expect(peer == display && message.address == AddressSpace.error)
    // Its fader receives the current value.
    #expect(try next().1 == OSCMessage("/tactus/tempo", .float(120)))
    for name in ["start", "tap", "reset", "preset/save", "toggle", "playing", "feedback/add"] {
      send(OSCMessage("/tactus/\(name)", .int32(1)), from: display)
      #expect(try next().1.address == AddressSpace.error)
      if AddressSpace.endpoint("/tactus/\(name)")?.answersWithValueAfterRefusal == true { _ = try next() }
    }
    send(OSCMessage("/tactus/*", .float(0.5)), from: display)
    #expect(try next().1.address == AddressSpace.error)
    send(OSCMessage("/tactus/tempo"), from: display)
    #expect(try next().1 == OSCMessage("/tactus/tempo", .float(120)))
    #expect(!test.rig.settle().isPlaying)
  }

  @Test func itNamesNobodyElse() throws {
    for name in ["osc.udp://127.0.0.1:9000/", "osc.udp://192.0.2.7:9000/", "9000", "osc.unix:///tmp/a"] {
      send(OSCMessage("/tactus/subscribe", .string(name)), from: browser)
      #expect(try next().1.address == AddressSpace.error)
    }
    #expect(test.remote.subscriberCount == 0)
  }

  @Test func whoListensHearsTheValueAndItsChangesAndNothingElse() throws {
    #expect(test.remote.listen(browser, to: "/tactus/swing"))
    #expect(try next().1 == OSCMessage("/tactus/swing", .float(0)))
    #expect(!test.remote.listen(browser, to: "/tactus/nothing"))
    test.send(OSCMessage("/tactus/tempo", .float(90)))
    test.send(OSCMessage("/tactus/swing", .float(0.5)))
    #expect(try next().1 == OSCMessage("/tactus/swing", .float(0.5)))
    test.remote.ignore(browser, "/tactus/swing")
    test.send(OSCMessage("/tactus/swing", .float(0)))
    _ = test.settings
    send(OSCMessage("/tactus/ping"), from: browser)
    #expect(try next().1.address == "/tactus/pong")
  }

  @Test func whoListensToMuchAtOnceHasTheConductorAskedOnce() throws {
    var subscribers = Subscribers()
    let asked = (0..<1_000).count { subscribers.want($0 % 2 == 0 ? browser : display, "/tactus/\($0)") }
    #expect(asked == 1)
    let wanted = subscribers.takeWanted()
    #expect(wanted[browser]?.count == 500 && wanted[display]?.count == 500)
    let isAskedAgain = subscribers.want(browser, "/tactus/tempo")
    #expect(isAskedAgain)
    subscribers.forget(browser, now: Instant(nanoseconds: 0))
    let left = subscribers.takeWanted()
    #expect(left.isEmpty)
  }

  @Test func whoListensToAllAddressesHearsEachValue() throws {
    let addresses = Set(AddressSpace.endpoints.filter { $0.value != nil }.map(\.address))
    for address in addresses { #expect(test.remote.listen(browser, to: address)) }
    var heard: Set<String> = []
    while !heard.isSuperset(of: addresses) {
      heard.formUnion(try #require(wire.sent.next()).1.map(\.address))
    }
    #expect(heard == addresses)
  }

  @Test func aSubscriptionEndsWithTheConnection() throws {
    send(OSCMessage("/tactus/subscribe"), from: browser)
    _ = try next()
    #expect(test.remote.subscriberCount == 1)
    test.remote.forget(browser)
    #expect(test.remote.subscriberCount == 0)
  }

  @Test func `Beats ahead are for connections, as long as there are any that want them`() throws {
    let date = Instant(nanoseconds: 5_000_000_000)
    let beat = Event.Beat(
      frame: 0, bar: 3, beat: 2, section: 0, sectionBar: 3, role: .beat, strength: 0.5)
    #expect(!test.remote.needsForecast)
    test.send(OSCMessage("/tactus/subscribe"))
    _ = test.settings
    #expect(!test.remote.needsForecast)
    #expect(test.remote.listen(browser, to: "/tactus/beat/ahead") && test.remote.needsForecast)
    test.remote.observe(.predicted(beat, time: date))
    let reported = try next()
    #expect(reported.0 == browser && reported.1.address == "/tactus/beat/ahead")
    #expect(reported.1.arguments == [.int32(3), .int32(2), .string("beat"), .float(0.5)])
    let wall = OSCTime(unixNanoseconds: test.remote.clock.wallClock(date))
    #expect(reported.1.time.map { abs($0.unixNanoseconds - wall.unixNanoseconds) < 1_000_000 } == true)
    test.remote.forget(browser)
    #expect(!test.remote.needsForecast)
    send(OSCMessage("/tactus/subscribe"), from: display)
    _ = try next()
    #expect(test.remote.needsForecast)
    test.remote.observe(.withdrawn(from: date))
    var heard = try next()
    while heard.1.address != "/tactus/beat/revoked" { heard = try next() }
    #expect(heard.0 == display && heard.1.time != nil)
  }

  @Test func timeIsAnsweredByTheClockThatDatesBeats() throws {
    let before = OSCTime.now.unixNanoseconds
    send(OSCMessage("/tactus/time", .int32(7)), from: browser)
    let message = try next().1
    #expect(message.address == "/tactus/now" && message.arguments.first == .int32(7))
    guard case .timetag(let time)? = message.arguments.last else { throw CancellationError() }
    #expect(time.unixNanoseconds >= before - 1_000_000 && time.unixNanoseconds <= OSCTime.now.unixNanoseconds)
  }

  @Test func badDatagramsAreRefusedAsTheyAreOverUDP() throws {
    test.remote.receive([1, 2, 3], from: browser)
    #expect(try next().1.address == AddressSpace.error)
  }
}
