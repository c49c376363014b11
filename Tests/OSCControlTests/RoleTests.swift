import Control
import ControlBench
import Engine
import MusicTime
import OSC
import OSCBench
import Testing

@testable import OSCControl

@Suite struct RoleTests {
  @Test func theLossOfTheServerAndItsReturnAreTold() throws {
    let rig = try EmbeddedRig()
    func server() -> [OSCMessage] { rig.answers(OSCMessage("/tactus/server")) }
    #expect(server() == [OSCMessage("/tactus/server", .int32(1), .int32(48_000))])
    rig.rig.updates.push(Request(.host(.lost("the JACK server has gone"))))
    #expect(server() == [OSCMessage("/tactus/server", .int32(0), .int32(0))])
    rig.rig.updates.push(Request(.host(.connected(sampleRate: 96_000))))
    #expect(server() == [OSCMessage("/tactus/server", .int32(1), .int32(96_000))])
  }

  @Test func whatMayBeSetIsAnsweredAndPushed() throws {
    let rig = try EmbeddedRig()
    let settable = OSCMessage("/tactus/settable")
    #expect(rig.answers(settable) == [OSCMessage("/tactus/settable", .int32(1), .int32(1), .int32(1))])

    let test = try RemoteRig()
    let peer = Peer()
    peer.send(message("/tactus/subscribe"), to: test.port)
    for endpoint in AddressSpace.endpoints where endpoint.value != nil {
      #expect(peer.receive()?.first?.address == endpoint.address)
    }
    let plan = SectionPlan(
      name: "A", length: .bars(4), layout: try BarLayout(meter: Meter(4, 4)), tempo: .constant(try Tempo(90)))
    let song = Setlist(title: "", songs: [.init(song: SongPlan(title: "", plans: [plan]))])
    test.rig.updates.push(Request(.session(song, SessionPlace(path: "/song.yaml"))))
    var news = try #require(peer.receive())
    while !news.contains(where: { $0.address == "/tactus/settable" }) { news = try #require(peer.receive()) }
    #expect(news.contains(OSCMessage("/tactus/settable", .int32(0), .int32(0), .int32(0))))
  }

  @Test func theLossOfTheServerIsPushed() throws {
    let test = try RemoteRig()
    let peer = Peer()
    peer.send(message("/tactus/subscribe"), to: test.port)
    for endpoint in AddressSpace.endpoints where endpoint.value != nil {
      #expect(peer.receive()?.first?.address == endpoint.address)
    }
    test.rig.updates.push(Request(.host(.lost("the JACK server has gone"))))
    var news = try #require(peer.receive()?.first)
    while news.address != "/tactus/server" { news = try #require(peer.receive()?.first) }
    #expect(news == OSCMessage("/tactus/server", .int32(0), .int32(0)))
  }

  @Test func `The role that Tactus has is answered and pushed, and the one that was asked for beside it`()
    throws
  {
    let test = try RemoteRig()
    test.rig.host.isLedByAnother = true
    let refusals = test.answers(OSCMessage("/tactus/role", .string("lead-if-free")))
    #expect(refusals.first?.address == "/tactus/error")
    #expect(test.answer("/tactus/role") == OSCMessage("/tactus/role", .string("follow")))
    #expect(test.answer("/tactus/role/wanted") == OSCMessage("/tactus/role/wanted", .string("lead-if-free")))

    let peer = Peer()
    let valued = AddressSpace.endpoints.filter { $0.value != nil }
    peer.send(message("/tactus/subscribe"), to: test.port)
    for endpoint in valued { #expect(peer.receive()?.first?.address == endpoint.address) }
    // The other leader goes: Tactus leads, as was asked for.
    test.rig.host.isLedByAnother = false
    let isSent = test.rig.channels.pointee.events.push(.leaderLeft)
    #expect(isSent)
    #expect(peer.receive() == [OSCMessage("/tactus/role", .string("lead"))])
    // Another one takes the lead.
    test.rig.host.isLedByAnother = true
    let isReported = test.rig.channels.pointee.events.push(.leadLost)
    #expect(isReported)
    let pushed = (0..<2).compactMap { _ in peer.receive()?.first }
    #expect(Set(pushed.map(\.address)) == ["/tactus/error", "/tactus/role"])
    #expect(pushed.contains(OSCMessage("/tactus/role", .string("follow"))))
    #expect(test.answer("/tactus/role/wanted") == OSCMessage("/tactus/role/wanted", .string("lead-if-free")))
  }

  @Test func `The requested role can be read alone`() throws {
    let test = try RemoteRig()
    let refusals = test.answers(OSCMessage("/tactus/role/wanted", .string("lead")))
    #expect(refusals.map(\.address) == ["/tactus/error"])
    #expect(test.settings.role == .free)
  }
}
