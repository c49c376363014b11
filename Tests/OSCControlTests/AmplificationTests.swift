import Foundation
import MusicTime
import OSCBench
import Testing

@testable import OSC
@testable import OSCControl

/// Peers that request more bytes than they send, from a remote address and from this machine. Needs an isolated network, which
/// `make test` provides.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["TACTUS_NETWORK"] == "own"))
struct AmplificationTests {
  /// An address of the block that is reserved for documentation.
  private static let address = "192.0.2.9"

  private func rig(isRemote: Bool = true) throws -> (RemoteRig, Peer) {
    let ip = Process()
    ip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    ip.arguments = ["ip", "address", "replace", AmplificationTests.address + "/32", "dev", "lo"]
    try ip.run()
    ip.waitUntilExit()
    let network = try OSCNetwork(AmplificationTests.address + "/32")
    let rig = try RemoteRig { configuration in
      configuration.address = "0.0.0.0"
      configuration.networks = [network]
    }
    return (rig, isRemote ? Peer(address: AmplificationTests.address) : Peer())
  }

  private func length(_ messages: [OSCMessage]) -> Int {
    messages.reduce(0) { $0 + LibloWriter.length(of: $1) }
  }

  private func datagram(_ address: String, _ arguments: OSCArgument...) -> [UInt8] {
    Datagrams.of([OSCMessage(address, arguments: arguments)], at: nil)[0]
  }

  /// The messages to the peer, without pongs, until a pong arrives after the conductor has received all of the peer's messages. A
  /// pong overtakes answers: some may come later.
  private func answers(_ rig: RemoteRig, _ peer: Peer, number: Int32) -> (sent: Int, received: [OSCMessage]) {
    let first = roundTrip(rig, peer, .int32(number), .string("arrived"))
    rig.rig.settle()
    let second = roundTrip(rig, peer, .int32(number), .string("answered"))
    return (first.sent + second.sent, first.received + second.received)
  }

  private func roundTrip(
    _ rig: RemoteRig, _ peer: Peer, _ arguments: OSCArgument...
  ) -> (sent: Int, received: [OSCMessage]) {
    let ping = Datagrams.of([OSCMessage("/tactus/ping", arguments: arguments)], at: nil)[0]
    peer.send(ping, to: rig.port)
    var received: [OSCMessage] = []
    while let messages = peer.receive() {
      if messages == [OSCMessage("/tactus/pong", arguments: arguments)] { return (ping.count, received) }
      received += messages
    }
    Issue.record("no pong")
    return (ping.count, received)
  }

  @Test(arguments: [true, false])
  func aQueryIsAnsweredWithTenTimesItsBytesAtMostAndInFullOnceThatIsEarned(isRemote: Bool) throws {
    let (rig, peer) = try rig(isRemote: isRemote)
    let query = datagram("/tactus/query")
    peer.send(query, to: rig.port)
    // It gets something at once, before it has sent anything else.
    var received = try #require(peer.receive())
    var sent = query.count
    #expect(length(received) <= 10 * sent)
    // Whatever it sends earns the rest.
    let all = AddressSpace.endpoints.count { $0.value != nil }
    for number: Int32 in 1...100 where received.count < all {
      let more = answers(rig, peer, number: number)
      sent += more.sent
      received += more.received
      #expect(length(received) <= 10 * sent)
    }
    #expect(Set(received.map(\.address)).count == all)
  }

  @Test(arguments: [true, false])
  func aQueryThatIsLongEnoughIsAnsweredInFullAtOnce(isRemote: Bool) throws {
    let (rig, peer) = try rig(isRemote: isRemote)
    let query = datagram("/tactus/query", .string(String(repeating: "-", count: 600)))
    peer.send(query, to: rig.port)
    let all = AddressSpace.endpoints.count { $0.value != nil }
    var received: [OSCMessage] = []
    for number: Int32 in 0..<10 where received.count < all {
      received += answers(rig, peer, number: number).received
    }
    #expect(received.count == all)
    // The query alone has earned them.
    #expect(length(received) <= 10 * query.count)
  }

  @Test func anOlderValueIsNotSentAfterANewerOne() throws {
    let (rig, peer) = try rig()
    peer.send(datagram("/tactus/subscribe"), to: rig.port)
    rig.rig.settle()
    rig.send(OSCMessage("/tactus/clock/offset", .float(12)))
    var received: [OSCMessage] = []
    for number: Int32 in 0...40 { received += answers(rig, peer, number: number).received }
    let offsets = received.filter { $0.address == "/tactus/clock/offset" }
    #expect(offsets.last?.arguments == [.float(12)])
  }

  // MARK: The factors, as docs/threat-model.md has them

  /// Counts the bytes that were sent and received in a measurement.
  private struct Traffic {
    var sent = 0
    var errors = 0
    var answers = 0

    func factor(_ bytes: Int) -> Double { Double(bytes) / Double(sent) }
  }

  /// Waits for a pong to each of the peers, and adds the bytes that they received until then.
  private func gather(_ rig: RemoteRig, _ peers: [Peer], into traffic: inout Traffic, sentBy senders: Int) {
    for (index, peer) in peers.enumerated() {
      let more = answers(rig, peer, number: Int32(index))
      if index < senders { traffic.sent += more.sent }
      traffic.errors += length(more.received.filter { $0.address == "/tactus/error" })
      traffic.answers += length(more.received.filter { $0.address != "/tactus/error" })
    }
  }

  private func subscribers(_ rig: RemoteRig, _ count: Int) -> (peers: [Peer], sent: Int) {
    let subscription = datagram("/tactus/subscribe")
    let peers = (0..<count).map { _ in Peer() }
    var sent = 0
    for (index, peer) in peers.enumerated() {
      peer.send(subscription, to: rig.port)
      sent += subscription.count + answers(rig, peer, number: Int32(index)).sent
    }
    return (peers, sent)
  }

  /// Bytes of errors about their own messages that the programs of this machine receive at most since `start`: two for each byte
  /// that they sent, and what they need not earn.
  private func mostErrors(for sent: Int, since start: ContinuousClock.Instant) -> Double {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return 2 * Double(sent) + OSCRateLimits.unearnedRefusals + OSCRateLimits.unearnedRefusalRate * seconds
  }

  private func show(_ what: String, _ factor: Double, _ bound: String) {
    print("amplification: \(what): × \((factor * 10).rounded() / 10), \(bound)")
  }

  @Test
  func
    `A program of this machine gets its first error whole, and of many twice their bytes and some a second`()
    throws
  {
    let start = ContinuousClock.now
    let (rig, peer) = try rig(isRemote: false)
    var traffic = Traffic()
    let wrong = datagram("/tactus/meter", .int32(0), .int32(4))
    peer.send(wrong, to: rig.port)
    rig.rig.settle()
    let first = try #require(peer.receive())
    guard case .string(let reason) = first.first?.arguments.last else {
      Issue.record("no reason: \(first)")
      return
    }
    #expect(reason == "meter 0/4: must be \(Meter.allowed)")
    traffic.errors = length(first)
    for _ in 0..<200 { peer.send(wrong, to: rig.port) }
    traffic.sent = 201 * wrong.count
    gather(rig, [peer], into: &traffic, sentBy: 1)
    #expect(Double(traffic.errors) <= mostErrors(for: traffic.sent, since: start))
    show(
      "201 refusals of this machine, to their sender", traffic.factor(traffic.errors), "at most 2, and 4 kB")
  }

  @Test func aRemoteRefusalCausesTwiceItsBytesAtMostWhoeverOverhearsIt() throws {
    let (rig, peer) = try rig()
    let (others, _) = subscribers(rig, 63)
    var traffic = Traffic()
    let wrong = datagram("/tactus/meter", .int32(0), .int32(4))
    for _ in 0..<100 { peer.send(wrong, to: rig.port) }
    traffic.sent = 100 * wrong.count
    gather(rig, [peer] + others, into: &traffic, sentBy: 1)
    #expect(traffic.errors > 0)
    #expect(traffic.errors <= 2 * traffic.sent)
    show("100 refusals of a remote address, 63 subscribers", traffic.factor(traffic.errors), "at most 2")
  }

  @Test func errorsOfThisMachineAreTwiceItsBytesAtMostWhoeverOverhearsThem() throws {
    let start = ContinuousClock.now
    let (rig, _) = try rig()
    var traffic = Traffic()
    let (others, sent) = subscribers(rig, 63)
    traffic.sent = sent + Datagrams.credit.count
    // Each new sender has an account of its own: all share what the programs of this machine have earned.
    let wrong = datagram("/tactus/meter", .int32(0), .int32(4))
    let senders = (0..<100).map { _ in Peer() }
    for sender in senders { sender.send(wrong, to: rig.port) }
    // A ping overtakes what others have sent, but not what its own sender has.
    traffic.sent += senders.count * wrong.count
    gather(rig, senders, into: &traffic, sentBy: senders.count)
    gather(rig, others, into: &traffic, sentBy: others.count)
    #expect(traffic.errors > 0)
    #expect(Double(traffic.errors) <= mostErrors(for: traffic.sent, since: start))
    show("100 senders here, 63 subscribers", traffic.factor(traffic.errors), "at most 2, and 4 kB")
  }

  @Test func aSubscriberOfThisMachineGetsItsFirstValuesWholeAndEarnsAllElse() throws {
    let (rig, _) = try rig()
    let peer = Peer()
    let (subscription, wrong) = (
      datagram("/tactus/subscribe"), datagram("/tactus/meter", .int32(0), .int32(4))
    )
    let began = ContinuousClock.now
    var once = Traffic()
    peer.send(subscription, to: rig.port)
    once.sent = subscription.count
    let first = answers(rig, peer, number: 0)
    once.answers = length(first.received)
    let snapshot = rig.rig.settle()
    let all = AddressSpace.endpoints.compactMap { endpoint in
      endpoint.value.map { endpoint.answer($0(snapshot)) }
    }
    #expect(once.answers == length(all))
    show("a subscription of this machine", once.factor(once.answers), "bounded a second")

    // From here on everything that it sends and receives counts, except what is pushed to subscribers.
    var asked = Traffic()
    asked.sent = once.sent + first.sent
    let query = datagram("/tactus/query")
    for _ in 0..<100 {
      peer.send(query, to: rig.port)
      for _ in 0..<8 { peer.send(wrong, to: rig.port) }
      asked.sent += query.count + 8 * wrong.count
      gather(rig, [peer], into: &asked, sentBy: 1)
      #expect(asked.answers <= 10 * asked.sent)
      #expect(Double(asked.errors) <= mostErrors(for: asked.sent, since: began))
    }
    #expect(asked.answers > 0 && asked.errors > 0)
    show("100 queries of a subscriber of this machine", asked.factor(asked.answers), "at most 10")
    show("800 refusals of a subscriber of this machine", asked.factor(asked.errors), "at most 2, and 4 kB")

    var renewed = Traffic()
    for _ in 0..<50 {
      peer.send(subscription, to: rig.port)
      renewed.sent += subscription.count
      gather(rig, [peer], into: &renewed, sentBy: 1)
    }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    // The last answer may exceed the allowance; the rest of the others is earned.
    let bound = OSCRateLimits.welcome + OSCRateLimits.welcomeRate * seconds + Double(length(all))
    #expect(Double(once.answers + renewed.answers) <= bound + 10 * Double(asked.sent + renewed.sent))
    show("50 subscriptions in a row", renewed.factor(renewed.answers), "in \(seconds) s")
  }
}
