import Dispatch
import Glibc
import OSCBench
import Testing

@testable import OSC

@Suite struct OSCServerTests {
  @Test func aMessageArrivesWithItsSender() throws {
    let test = try TestServer()
    let peer = Peer()
    for bytes in corpus { peer.send(bytes, to: test.port) }
    for expected in try corpus.flatMap({ try OSCDatagram($0).messages }) {
      let (message, sender) = try #require(test.messages.next())
      #expect(message == expected)
      #expect(sender.url == "osc.udp://127.0.0.1:\(peer.port)/")
    }
    #expect(test.faults.isEmpty)
  }

  @Test func aBundleDatedInTheFutureArrivesAtOnceWithItsTime() throws {
    let test = try TestServer()
    let later = OSCTime(unixNanoseconds: OSCTime.now.unixNanoseconds + 3_600_000_000_000)
    Peer().send(bundle(later, message("/start"), message("/stop")), to: test.port)
    #expect(test.messages.next()?.0 == OSCMessage("/start", time: later))
    #expect(test.messages.next()?.0 == OSCMessage("/stop", time: later))
  }

  @Test func badDatagramsReachTheFaultHandlerAndTheServerLivesOn() throws {
    let test = try TestServer()
    let peer = Peer()
    let bad: [[UInt8]] = [
      bundle() + word(0), message("/blob", "b"), message("/tempo", "f", word(Float.nan.bitPattern)),
      [UInt8](repeating: 0x2f, count: OSCDatagram.lengthLimit + 4), [1, 2, 3], [],
    ]
    for bytes in bad { peer.send(bytes, to: test.port) }
    peer.send(message("/alive"), to: test.port)
    #expect(test.messages.next()?.0 == OSCMessage("/alive"))
    let addresses = try bad.map { _ in try #require(test.faults.next()).0.address }
    #expect(addresses == [nil, "/blob", "/tempo", nil, nil, nil])
    #expect(test.server.counts.received == bad.count + 1)
    #expect(test.server.counts.refused == bad.count)
  }

  @Test func patternsFullOfWildcardsArriveAtOnceLikeAnyAddress() throws {
    let test = try TestServer()
    let peer = Peer()
    for pattern in ["/" + String(repeating: "*a", count: 100), "/{a,aa}{a,aa}{a,aa}{a,aa}b", "/[[[[***?"] {
      peer.send(message(pattern), to: test.port)
      #expect(test.messages.next()?.0.address == pattern)
    }
  }

  @Test func anAddressThatEndsInASlashIsAMessageLikeAnyOther() throws {
    let test = try TestServer()
    let peer = Peer()
    for address in ["/", "/tactus/", "/tactus/*/"] {
      peer.send(message(address), to: test.port)
      peer.send(message(address, "i", word(1)), to: test.port)
      let (first, sender) = try #require(test.messages.next())
      #expect(first == OSCMessage(address))
      #expect(test.messages.next()?.0 == OSCMessage(address, .int32(1)))
      test.server.send([OSCMessage("/mine")], to: sender)
      #expect(peer.receive() == [OSCMessage("/mine")], "nobody but the caller answers")
    }
    #expect(!peer.isAddressed)
  }

  @Test func everyKindOfArgumentIsSentAsItIsRead() throws {
    let test = try TestServer()
    let peer = Peer()
    let to = try #require(OSCPeer(url: "osc.udp://127.0.0.1:\(peer.port)/"))
    for bytes in corpus[..<7] {
      let messages = try OSCDatagram(bytes).messages
      test.server.send(messages, to: to)
      #expect(peer.receive() == messages)
      #expect(peer.lastPort == test.port, "answers leave from the port that listens")
    }
  }

  @Test func messagesWithATimeTravelInOneBundle() throws {
    let test = try TestServer()
    let peer = Peer()
    let time = OSCTime(unixNanoseconds: 1_800_000_000_123_456_789)
    let to = try #require(OSCPeer(url: "osc.udp://127.0.0.1:\(peer.port)/"))
    test.server.send([OSCMessage("/beat", .int32(1)), OSCMessage("/bar", .int32(2))], at: time, to: to)
    #expect(
      peer.receive() == [
        OSCMessage("/beat", .int32(1), time: time), OSCMessage("/bar", .int32(2), time: time),
      ])
  }

  @Test func bundlesKeepToTheLimitsThatAReaderHas() throws {
    let test = try TestServer()
    let peer = Peer()
    let to = try #require(OSCPeer(url: "osc.udp://127.0.0.1:\(peer.port)/"))
    let many = (0..<200).map { OSCMessage("/a", .int32($0), .blob([UInt8](repeating: 0, count: 100))) }
    test.server.send(many, at: .immediate, to: to)
    var read: [OSCMessage] = []
    while read.count < many.count { read += try #require(peer.receive()) }
    #expect(read == many)
    test.server.send([OSCMessage("/long", .blob([UInt8](repeating: 0, count: 9000)))], to: to)
    test.server.send([OSCMessage("/last")], to: to)
    #expect(peer.receive() == [OSCMessage("/last")])
    #expect(test.server.counts.dropped == 1)
  }

  @Test func aFloodArrivesWholeAndInOrder() throws {
    let test = try TestServer()
    let peer = Peer()
    for round in 0..<100 {
      for index in 0..<100 { peer.send(message("/f", "i", word(UInt32(round * 100 + index))), to: test.port) }
      for index in 0..<100 {
        #expect(test.messages.next()?.0 == OSCMessage("/f", .int32(Int32(round * 100 + index))))
      }
    }
    #expect(test.server.counts == OSCCounts(received: 10_000))
  }

  @Test func sendingFromManyThreadsAtOnceLosesNothing() throws {
    let test = try TestServer()
    let peer = Peer()
    let to = try #require(OSCPeer(url: "osc.udp://127.0.0.1:\(peer.port)/"))
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for index in 0..<25 { test.server.send([OSCMessage("/n", .int32(Int32(thread * 25 + index)))], to: to) }
    }
    let read = try (0..<200).map { _ in try #require(peer.receive()?.first?.arguments.first?.integer) }
    #expect(Set(read) == Set(0..<200))
  }

  @Test func aFullQueueKeepsTheNewestAndCountsTheRest() throws {
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    var configuration = OSCServer.Configuration()
    configuration.port = 0
    configuration.queueLength = 3
    let server = OSCServer(
      configuration,
      onMessages: { _, _, _ in
        entered.signal()
        _ = leave.wait(timeout: .now() + 60)
      }, onFault: { _, _ in })
    try server.start()
    let peer = Peer()
    peer.send(message("/hold"), to: try #require(server.port))
    #expect(entered.wait(timeout: .now() + 60) == .success)
    let to = try #require(OSCPeer(url: "osc.udp://127.0.0.1:\(peer.port)/"))
    for index: Int32 in 0..<10 { server.send([OSCMessage("/n", .int32(index))], to: to) }
    leave.signal()
    for index: Int32 in 7..<10 { #expect(peer.receive() == [OSCMessage("/n", .int32(index))]) }
    #expect(server.counts.dropped == 7)
  }

  @Test func nothingIsSentToOneself() throws {
    let test = try TestServer { $0.address = "0.0.0.0" }
    let own = try #require(OSCPeer(url: "osc.udp://127.0.0.1:\(test.port)/"))
    let other = OSCPeer.udp(IPAddress("127.0.0.1")!, port: 1)
    #expect(test.server.objection(to: own, namedBy: other) == "another address: this is the server's own")
    test.server.send([OSCMessage("/echo")], to: own)
    #expect(test.server.counts.dropped == 1)
  }

  @Test func onlyLoopbackAndTheNetworksMaySpeak() throws {
    let test = try TestServer { $0.networks = [try! OSCNetwork("192.168.1.0/24")] }
    func objection(to address: String) -> String? {
      let sender = OSCPeer.udp(IPAddress("127.0.0.1")!, port: 1)
      return test.server.objection(to: .udp(IPAddress(address)!, port: 1), namedBy: sender)
    }
    #expect(objection(to: "127.0.0.2") == nil)
    #expect(objection(to: "192.168.1.9") == nil)
    #expect(objection(to: "192.168.2.9") == "in an allowed network")
    test.server.send([OSCMessage("/a")], to: .udp(IPAddress("192.168.2.9")!, port: 1))
    #expect(test.server.counts == OSCCounts(dropped: 1))
  }

  @Test func whoSpeaksFromAnotherMachineNamesItsOwnAddressAlone() {
    let access = OSCAccess(networks: [try! OSCNetwork("192.168.1.0/24")])
    let peer = { (address: String, port: UInt16) in OSCPeer.udp(IPAddress(address)!, port: port) }
    let (here, there) = (peer("127.0.0.1", 1), peer("192.168.1.9", 1))
    #expect(access.objection(to: peer("192.168.1.9", 2), namedBy: there) == nil)
    for other in ["192.168.1.10", "127.0.0.1", "::1", "10.0.0.1"] {
      let objection = access.objection(to: peer(other, 2), namedBy: there)
      #expect(objection?.contains("192.168.1.9, your own address") == true, "\(other)")
    }
    #expect(access.objection(to: peer("192.168.1.10", 2), namedBy: here) == nil)
    #expect(access.objection(to: peer("192.168.1.10", 2), namedBy: .anonymous) == nil)
  }

  @Test func aPeersBacklogCostsOthersNothingAndUrgentPacketsHaveTheirOwnRoom() throws {
    let outbox = try OSCOutbox(capacity: 8)
    let peer = { (port: UInt16) in OSCPeer.udp(IPAddress("127.0.0.1")!, port: port) }
    let push = { (name: String, port: UInt16, purpose: OSCOutbox.Purpose) in
      outbox.push(.init(messages: [OSCMessage("/" + name)], time: nil, peer: peer(port), purpose: purpose))
    }
    #expect(push("mine", 1, .answer()) == 0)
    var lost = 0
    for index in 0..<100 { lost += push("theirs\(index)", 2, .news) }
    for index in 0..<8 { lost += push("beat\(index)", 3, .urgent) }
    #expect(lost == 93)
    #expect(push("mine too", 1, .answer()) == 1)
    let names = try #require(outbox.drain()).compactMap(\.messages.first?.address)
    #expect(
      names == ["/mine"] + (94..<100).map { "/theirs\($0)" } + (0..<8).map { "/beat\($0)" } + ["/mine too"])
  }

  @Test func whatIsUrgentIsTakenOutAtOnceAndTheRestInBatches() throws {
    let outbox = try OSCOutbox(capacity: 64)
    let to = OSCPeer.udp(IPAddress("127.0.0.1")!, port: 1)
    for _ in 0..<40 { _ = outbox.push(.init(messages: [OSCMessage("/a")], time: nil, peer: to)) }
    _ = outbox.push(.init(messages: [OSCMessage("/beat")], time: nil, peer: to, purpose: .urgent))
    #expect(outbox.drain()?.count == OSCOutbox.batch + 1)
    #expect(outbox.drain()?.count == OSCOutbox.batch)
    #expect(outbox.drain()?.count == 8)
    #expect(outbox.drain()?.isEmpty == true)
  }

  @Test func anIPv6ServerIsHeardAndAnswersOverIPv6() throws {
    let test = try TestServer { $0.address = "::1" }
    let other = try TestServer { $0.address = "::1" }
    let to = try #require(OSCPeer(url: "osc.udp://[::1]:\(test.port)/"))
    other.server.send([OSCMessage("/six")], to: to)
    let (message, sender) = try #require(test.messages.next())
    #expect(message == OSCMessage("/six"))
    #expect(sender == other.server.endpoint)
  }

  @Test func aServerOnEveryIPv6AddressAlsoHearsIPv4() throws {
    let test = try TestServer { $0.address = "::" }
    let peer = Peer()
    peer.send(message("/four"), to: test.port)
    let (message, sender) = try #require(test.messages.next())
    #expect(message == OSCMessage("/four"))
    test.server.send([OSCMessage("/answer")], to: sender)
    #expect(peer.receive() == [OSCMessage("/answer")])
  }
}
