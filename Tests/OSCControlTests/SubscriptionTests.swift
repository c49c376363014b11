import Control
import ControlBench
import Engine
import MusicTime
import OSC
import OSCBench
import Realtime
import Testing

@testable import OSCControl

@Suite struct SubscriptionTests {
  private let valued = AddressSpace.endpoints.filter { $0.value != nil }.map(\.address)

  /// Subscribes and returns the answer.
  private func subscribe(_ peer: Peer, to test: RemoteRig) throws -> [OSCMessage] {
    peer.send(message("/tactus/subscribe"), to: test.port)
    return try valued.map { _ in try #require(peer.receive()?.first) }
  }

  @Test func aSubscriptionIsAnsweredWithAllValues() throws {
    let test = try RemoteRig()
    #expect(try subscribe(Peer(), to: test).map(\.address) == valued)
  }

  @Test func eachChangeIsPushedOnceToEachSubscriber() throws {
    let test = try RemoteRig()
    let peers = [Peer(), Peer()]
    for peer in peers { _ = try subscribe(peer, to: test) }
    #expect(
      test.answers(OSCMessage("/tactus/notes/cue", .int32(90)), OSCMessage("/tactus/notes/cue", .int32(90)))
        .isEmpty)
    #expect(test.answers(OSCMessage("/tactus/timecode/level", .float(0.25))).isEmpty)
    for peer in peers {
      #expect(peer.receive() == [OSCMessage("/tactus/notes/cue", .int32(90))])
      #expect(peer.receive() == [OSCMessage("/tactus/timecode/level", .float(0.25))])
      #expect(!peer.isAddressed)
    }
  }

  @Test func renewingDoesNotDouble() throws {
    let test = try RemoteRig()
    let peer = Peer()
    for _ in 0..<3 { _ = try subscribe(peer, to: test) }
    #expect(test.answers(OSCMessage("/tactus/timecode/level", .float(0.25))).isEmpty)
    #expect(peer.receive() == [OSCMessage("/tactus/timecode/level", .float(0.25))])
    #expect(!peer.isAddressed)
  }

  @Test func `After unsubscribing nothing more is sent`() throws {
    let test = try RemoteRig()
    let peer = Peer()
    _ = try subscribe(peer, to: test)
    #expect(test.remote.subscriberCount == 1)
    peer.send(message("/tactus/unsubscribe"), to: test.port)
    peer.send(message("/tactus/tempo", "f", word(Float(90).bitPattern)), to: test.port)
    peer.send(message("/tactus/tempo"), to: test.port)
    #expect(peer.receive() == [OSCMessage("/tactus/tempo", .float(90))])
    #expect(!peer.isAddressed)
    #expect(test.remote.subscriberCount == 0)
  }

  @Test func anotherPeerCanBeNamedByURLOrByPort() throws {
    let test = try RemoteRig()
    let lamp = Peer()
    for name: OSCArgument in [
      .int32(Int32(lamp.port)), .string("\(lamp.port)"), .string("osc.udp://127.0.0.1:\(lamp.port)/"),
    ] {
      #expect(test.answers(OSCMessage("/tactus/subscribe", name)).isEmpty)
      for address in valued { #expect(lamp.receive()?.first?.address == address) }
    }
    #expect(test.answers(OSCMessage("/tactus/timecode/level", .float(0.25))).isEmpty)
    #expect(lamp.receive() == [OSCMessage("/tactus/timecode/level", .float(0.25))])
    #expect(!lamp.isAddressed)
  }

  @Test func aForeignAddressIsRefused() throws {
    let test = try RemoteRig { $0.networks = [try! OSCNetwork("192.168.1.0/24")] }
    let error = test.answer("/tactus/subscribe", .string("osc.udp://10.1.2.3:9000/"))
    #expect(error?.address == "/tactus/error")
    #expect(error?.arguments.last?.text?.contains("in an allowed network") == true)
    let own = test.answer("/tactus/subscribe", .string(test.remote.endpoint ?? ""))
    #expect(own?.arguments.last?.text?.hasSuffix("must be another address: this is the server's own") == true)
  }

  @Test func aSocketIsNamedByWhoSpeaksOverTheSocketAlone() throws {
    let path = freshPath()
    let test = try RemoteRig { $0.path = path }
    let lamp = Peer(unix: freshPath())
    let url = "osc.unix://" + (lamp.path ?? "")
    let subscribe = OSCMessage("/tactus/subscribe", .string(url))
    let errors = test.answers(subscribe)
    #expect(errors.map(\.address) == ["/tactus/error"])
    let reason = errors.first?.arguments.last?.text
    #expect(reason?.hasPrefix("subscriber '\(url.prefix(40))") == true)
    #expect(reason?.contains("must be an osc.udp:// address") == true)
    #expect(!lamp.isAddressed && test.remote.subscriberCount == 0)
    for datagram in Datagrams.of([subscribe], at: nil) { Peer(unix: nil).send(datagram, to: path) }
    for address in valued { #expect(lamp.receive()?.first?.address == address) }
  }

  @Test func beatsComeInABundleDatedWhenTheySound() throws {
    let test = try RemoteRig()
    let peer = Peer()
    _ = try subscribe(peer, to: test)
    let time = Instant.now + .milliseconds(80)
    test.rig.host.setClock(test.rig.clock, soundingAt: time)
    test.rig.push(.start)
    test.rig.settle()
    for _ in 0..<Rig.sampleRate * 3 / 5 / Rig.period { test.rig.render() }
    var reported: [String] = []
    for (index, role) in ["accent", "beat"].enumerated() {
      var beat = try #require(peer.receive()?.first)
      while beat.address != "/tactus/beat" {
        reported.append(beat.address)
        beat = try #require(peer.receive()?.first)
      }
      #expect(beat.arguments == [.int32(1), .int32(Int32(index + 1)), .string(role), .float(1)])
      #expect(beat.typeTags == "iisf")
      let sounding = time.onWallClock + Int64(index) * 500_000_000
      let dated = try #require(beat.time).unixNanoseconds
      // The two clocks are read one after the other, and the host counts in whole microseconds.
      #expect(abs(dated - sounding) < 5_000_000)
    }
    #expect(reported.prefix(3) == ["/tactus/toggle", "/tactus/playing", "/tactus/state"])
  }

  /// Starts the music, and compares roles and strengths of its first beats.
  private func expectBeats(_ beats: [(String, Float)], of test: RemoteRig, by peer: Peer) throws {
    // Scores are published some time after what was set.
    #expect(test.rig.eventually { _ in test.rig.playedTempo == 240 })
    test.rig.push(.start)
    test.rig.settle()
    for _ in 0..<Rig.sampleRate / 2 / Rig.period { test.rig.render() }
    var reported: [[OSCArgument]] = []
    while reported.count < beats.count {
      let message = try #require(peer.receive()?.first)
      if message.address == "/tactus/beat" { reported.append(Array(message.arguments.suffix(2))) }
    }
    #expect(reported == beats.map { [.string($0.0), .float($0.1)] })
  }

  @Test func `Beats are reported with the strength of their section`() throws {
    let test = try RemoteRig()
    var plan = SectionPlan(
      name: "A", length: .bars(4), layout: try BarLayout(meter: Meter(4, 4)),
      tempo: .constant(try Tempo(240)))
    plan.gains.buses.beat = 0.6
    let song = Setlist(title: "", songs: [.init(song: SongPlan(title: "", plans: [plan]))])
    test.rig.updates.push(Request(.session(song, SessionPlace(path: "/song.yaml"))))
    #expect(test.rig.eventually { $0.progress?.isReady == true })
    let peer = Peer()
    _ = try subscribe(peer, to: test)
    try expectBeats([("accent", 1), ("beat", 0.6)], of: test, by: peer)
  }

  @Test func beatsBesideAccentsAreToldAsStronglyAsThatIsSet() throws {
    let test = try RemoteRig()
    test.rig.push(.set(try Parameters.beatStrength.setting(0.6)), .set(.tempo(try Tempo(240))))
    let peer = Peer()
    _ = try subscribe(peer, to: test)
    try expectBeats([("accent", 1), ("beat", 0.6)], of: test, by: peer)
  }

  @Test func warningsArePushedWithAnEmptyAddress() throws {
    let test = try RemoteRig()
    let peer = Peer()
    _ = try subscribe(peer, to: test)
    test.rig.updates.push(Request(.problem("the disk is full")))
    #expect(peer.receive() == [OSCMessage("/tactus/error", .string(""), .string("the disk is full"))])
  }

  @Test func healthIsPushedWhenSomethingGoesWrongAndCanBeAskedFor() throws {
    let test = try RemoteRig()
    let peer = Peer()
    _ = try subscribe(peer, to: test)
    test.rig.host.xruns = 7
    let warning = try #require(peer.receive()?.first)
    #expect(warning.arguments == [.string(""), .string("the JACK server reports 7 xruns")])
    let health = OSCMessage("/tactus/health", arguments: AddressSpace.ints(7, 0, 0, 0, 0, 0, 0, 0))
    #expect(peer.receive() == [health])
    #expect(test.answer("/tactus/health") == health)
  }

  // MARK: Subscribers

  /// `#expect` of a call that changes what it is made on.
  private func expect(
    _ subscribers: inout Subscribers, sourceLocation: SourceLocation = #_sourceLocation,
    _ isTrue: (inout Subscribers) -> Bool
  ) {
    let holds = isTrue(&subscribers)
    #expect(holds, sourceLocation: sourceLocation)
  }

  private func peer(_ port: UInt16) -> OSCPeer { .udp(IPAddress("127.0.0.1")!, port: port) }

  @Test func aSubscriptionEndsWhenItIsNotRenewed() {
    var subscribers = Subscribers()
    let lifetime = Duration.seconds(Subscribers.lifetime)
    expect(&subscribers) { $0.add(peer(1), now: 5) }
    expect(&subscribers) { $0.current(now: 4 + lifetime) == [peer(1)] }
    expect(&subscribers) { $0.add(peer(1), now: 4 + lifetime) }
    expect(&subscribers) { $0.current(now: 5 + lifetime) == [peer(1)] }
    expect(&subscribers) { $0.current(now: 4 + lifetime * 2).isEmpty }
    let isThere = subscribers.remove(peer(1))
    #expect(!isThere)
  }

  @Test func noMoreThan64AreTakenButThoseMayRenew() {
    var subscribers = Subscribers()
    for port in 1...64 { expect(&subscribers) { $0.add(peer(UInt16(port)), now: 0) } }
    let isTaken = subscribers.add(peer(65), now: 1)
    #expect(!isTaken)
    expect(&subscribers) { $0.add(peer(64), now: 1) }
    expect(&subscribers) { $0.current(now: 2).count == 64 }
    // The place of one that has left is free, as is that of one that expired.
    _ = subscribers.remove(peer(3))
    expect(&subscribers) { $0.add(peer(65), now: 2) }
    expect(&subscribers) { $0.add(peer(66), now: 2 + .seconds(Subscribers.lifetime)) }
  }

  @Test func whatAConnectionAskedForBeforeItEndedSubscribesNobody() {
    var subscribers = Subscribers()
    for number in 1...100 {
      let browser = OSCPeer.connected(IPAddress("127.0.0.1")!, number: number, mayWrite: false)
      subscribers.forget(browser, now: 0)
      expect(&subscribers) { !$0.add(browser, now: 1) && !$0.listen(browser, to: "/tactus/tempo") }
    }
    expect(&subscribers) { $0.current(now: 2).isEmpty && $0.add(peer(1), now: 2) }
  }

  @Test func anAddressOfAnotherMachineHasFourSubscriptions() {
    var subscribers = Subscribers()
    let remote = { (port: UInt16) in OSCPeer.udp(IPAddress("192.168.1.9")!, port: port) }
    for port in 1...4 { expect(&subscribers) { $0.add(remote(UInt16(port)), now: 0) } }
    expect(&subscribers) { !$0.add(remote(5), now: 1) }
    expect(&subscribers) { $0.add(remote(4), now: 1) }
    expect(&subscribers) { $0.add(.udp(IPAddress("192.168.1.10")!, port: 5), now: 1) }
    for port in 1...10 { expect(&subscribers) { $0.add(peer(UInt16(port)), now: 1) } }
    expect(&subscribers) { $0.remove(remote(1)) && $0.add(remote(5), now: 2) }
  }

  @Test func theSixtyFifthIsToldWhy() throws {
    let test = try RemoteRig()
    for port in 20_001...20_064 { test.send(OSCMessage("/tactus/subscribe", .int32(Int32(port)))) }
    let error = test.answer("/tactus/subscribe", .int32(20_065))
    #expect(error?.arguments.last?.text?.contains("at most 64") == true)
  }
}
