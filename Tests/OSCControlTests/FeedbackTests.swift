import Control
import ControlBench
import Engine
import MusicTime
import OSC
import OSCBench
import Realtime
import Testing

@testable import OSCControl

/// Feedback peers, which receive all changes without a subscription.
@Suite struct FeedbackTests {
  private let rig: EmbeddedRig
  private let url = "osc.udp://127.0.0.1:9000/"

  /// A rig whose app is a feedback peer.
  init() throws {
    rig = try EmbeddedRig()
    _ = rig.answers(OSCMessage("/tactus/feedback/add", .int32(9_000)))
  }

  private func list() -> [[OSCArgument]] { rig.answers(OSCMessage("/tactus/feedback")).map(\.arguments) }

  @Test func itIsListedAndRemovedByPortOrURL() {
    #expect(list() == [[.int32(1), .int32(1), .string(url), .int32(1)]])
    #expect(rig.settings.feedback.urls == [url])
    #expect(rig.answers(OSCMessage("/tactus/feedback/remove", .int32(9_000))).isEmpty)
    #expect(list() == [[.int32(0), .int32(0), .string(""), .int32(0)]])
    #expect(
      rig.answers(OSCMessage("/tactus/feedback/add", .string(url))).allSatisfy {
        $0.address != "/tactus/error"
      })
    #expect(rig.answers(OSCMessage("/tactus/feedback/remove", .string(url))).isEmpty)
    #expect(rig.settings.feedback.urls.isEmpty)
    #expect(
      rig.answers(OSCMessage("/tactus/feedback/remove", .int32(9_000))).map(\.address) == ["/tactus/error"])
  }

  @Test func `An address that is added receives all values, once`() throws {
    _ = rig.answers(OSCMessage("/tactus/feedback/remove", .int32(9_000)))
    let values = rig.answers(OSCMessage("/tactus/feedback/add", .int32(9_000)))
    #expect(values == rig.answers(OSCMessage("/tactus/query")))
    #expect(values.contains(OSCMessage("/tactus/tempo", .float(120))))
    #expect(rig.answers(OSCMessage("/tactus/feedback/add", .int32(9_000))).isEmpty)
  }

  @Test func whatOthersChangeIsToldAtOnceAndAfterTheLongestSubscription() throws {
    rig.pass(.seconds(Subscribers.longest / 60))
    rig.rig.push(.set(try Parameters.timecodeLevel.setting(0.25)))
    #expect(rig.answers() == [OSCMessage("/tactus/timecode/level", .float(0.25))])
    #expect(rig.remote.subscriberCount == 1)
  }

  @Test func whatItSetsItselfIsToldOnceItHasComeToRest() throws {
    for step in 1...20 {
      #expect(rig.answers(OSCMessage("/tactus/timecode/level", .float(Float(step) / 100))).isEmpty)
      #expect(rig.heard(during: .milliseconds(50)).isEmpty)
    }
    #expect(rig.heard(during: .milliseconds(400)) == [OSCMessage("/tactus/timecode/level", .float(0.2))])
    #expect(rig.heard(during: .seconds(1)).isEmpty)
  }

  @Test func itsLabelsFollowItsFaderAtOnce() throws {
    let answers = rig.answers(OSCMessage("/tactus/tempo/norm", .float(0.25)))
    #expect(answers.contains(OSCMessage("/tactus/tempo/text", .string("90 BPM"))))
    #expect(!answers.contains { ["/tactus/tempo", "/tactus/tempo/norm"].contains($0.address) })
    let later = rig.heard(during: .milliseconds(400))
    #expect(later.contains(OSCMessage("/tactus/tempo", .float(90))))
    #expect(later.contains(OSCMessage("/tactus/tempo/norm", .float(0.25))))
  }

  /// An app that sends back each value that it receives.
  @Test func anAppThatSendsBackWhatItIsToldComesToRestAtItsLastValue() throws {
    var sent = 0
    for step in 1...30 {
      rig.send(OSCMessage("/tactus/timecode/level", .float(Float(step) / 100)))
      sent += echo(rig.heard(during: .milliseconds(20)))
    }
    for _ in 0..<50 { sent += echo(rig.heard(during: .milliseconds(40))) }
    let late = echo(rig.heard(during: .seconds(2)))
    #expect(rig.settings[Parameters.timecodeLevel] == 0.3)
    #expect(sent <= 3 && late == 0, "\(sent) \(late)")
  }

  private func echo(_ heard: [OSCMessage]) -> Int {
    for message in heard { rig.send(message) }
    return heard.count
  }

  @Test func anOlderValueIsNotToldAfterANewerOneOfSomebodyElse() throws {
    _ = rig.answers(OSCMessage("/tactus/timecode/level", .float(0.1)))
    rig.pass(.milliseconds(20))
    rig.rig.push(.set(try Parameters.timecodeLevel.setting(0.9)))
    let heard = rig.answers() + rig.heard(during: .seconds(1))
    #expect(heard.last == OSCMessage("/tactus/timecode/level", .float(0.9)))
    #expect(!heard.contains(OSCMessage("/tactus/timecode/level", .float(0.1))))
  }

  @Test func thereAreEightAtMostAndEachOnce() {
    for port in 9_000...9_020 { rig.send(OSCMessage("/tactus/feedback/add", .int32(Int32(port)))) }
    #expect(rig.settings.feedback.urls.count == FeedbackList.limit)
    #expect(
      rig.answers(OSCMessage("/tactus/feedback/add", .int32(9_100))).first?.arguments.last?.text?
        .contains("at most 8") == true)
    #expect(rig.answers(OSCMessage("/tactus/feedback/add", .int32(9_001))).isEmpty)
  }

  @Test func aResetKeepsIt() {
    _ = rig.answers(OSCMessage("/tactus/reset"))
    #expect(rig.settings.feedback.urls == [url])
  }

  @Test func onlyAddressesOfThisMachineAreTakenOverUDP() throws {
    let test = try RemoteRig { $0.networks = [try! OSCNetwork("192.168.1.0/24")] }
    for name in ["osc.udp://192.168.1.7:9000/", "osc.udp://10.1.2.3:9000/", "osc.unix:///tmp/a", "lamp"] {
      #expect(test.answer("/tactus/feedback/add", .string(name))?.address == "/tactus/error", "\(name)")
    }
    #expect(test.settings.feedback.urls.isEmpty)
  }

  @Test func connectionsMayNeitherSeeNorChangeIt() throws {
    let test = try RemoteRig()
    let browser = OSCPeer.connected(IPAddress("127.0.0.1")!, number: 1, mayWrite: true)
    for bytes in Datagrams.of([OSCMessage("/tactus/feedback/add", .int32(9_000))], at: nil) {
      test.remote.receive(bytes, from: browser)
    }
    _ = test.answers()
    #expect(test.settings.feedback.urls.isEmpty)
  }

  @Test func whoIsKeptIsToldAllValuesWhenItBegins() throws {
    let lamp = Peer()
    let test = try RemoteRig(configure: {
      try? $0.settings.feed(.add(url: "osc.udp://127.0.0.1:\(lamp.port)/"))
    })
    _ = test.answers()
    for endpoint in AddressSpace.endpoints where endpoint.value != nil {
      #expect(lamp.receive()?.first?.address == endpoint.address)
    }
  }
}
