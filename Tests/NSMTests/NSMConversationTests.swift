import OSC
import Testing

@testable import NSM

@Suite struct NSMConversationTests {
  private var conversation = NSMConversation()
  private func message(_ address: String, _ arguments: OSCArgument...) -> OSCMessage {
    OSCMessage(address, arguments: arguments)
  }

  @Test mutating func aManagerWelcomesOrRefuses() {
    let welcome = message(
      "/reply", .string("/nsm/server/announce"), .string("hello"), .string("nsmd"),
      .string(":server-control:"))
    #expect(conversation.handle(welcome) == .welcome)
    let refusal = message("/error", .string("/nsm/server/announce"), .int32(-2), .string("too old"))
    #expect(conversation.handle(refusal) == .refused(reason: "too old"))
    #expect(conversation.handle(message("/reply", .string("/nsm/client/is_dirty"))) == nil)
  }

  @Test mutating func aSessionIsOpenedAndSaved() {
    let open = message("/nsm/client/open", .string("/s/a/Tactus.nX"), .string("a"), .string("Tactus.nX"))
    let session = NSMSession(path: "/s/a/Tactus.nX", name: "a", clientID: "Tactus.nX")
    #expect(conversation.handle(open) == .order(.open(session)))
    #expect(conversation.handle(message("/nsm/client/save")) == .order(.save))
    #expect(conversation.handle(message("/nsm/client/session_is_loaded")) == nil)
  }

  @Test mutating func whatCanNotBeDoneIsAnsweredAtOnce() {
    #expect(
      conversation.handle(message("/nsm/client/save"))
        == .answer(
          OSCMessage(
            "/error", .string("/nsm/client/save"), .int32(-5), .string("save: no session is open"))))
    let relative = message("/nsm/client/open", .string("a"), .string("a"), .string("Tactus"))
    guard case .answer(let answer)? = conversation.handle(relative) else {
      Issue.record("a relative path is no session")
      return
    }
    #expect(answer.arguments.prefix(2) == [.string("/nsm/client/open"), .int32(-9)])
    #expect(conversation.handle(message("/nsm/client/open", .int32(1))) != nil)
  }

  @Test func oneOfAManagersInstancesIsSwitchedAndTheOthersAreStartedAnew() {
    var first = SwitchingRight(manager: "osc.udp://test:1/")
    #expect(first != nil)
    #expect(SwitchingRight(manager: "osc.udp://test:1/") == nil)
    #expect(SwitchingRight(manager: "osc.udp://test:2/") != nil)
    first = nil
    #expect(SwitchingRight(manager: "osc.udp://test:1/") != nil)
    func capabilities(_ switches: Bool) -> OSCArgument {
      NSMConversation.announcement(program: "tactus", process: 1, switches: switches).arguments[1]
    }
    #expect(capabilities(true) == .string(":switch:dirty:message:"))
    #expect(capabilities(false) == .string(":dirty:message:"))
  }

  @Test(arguments: ["osc.udp://localhost:16000/", "osc.udp://127.0.0.1:16000/", "osc.udp://localhost:16000"])
  func theManagersHostMayBeAName(url: String) {
    let peer = NSMClient.resolve(url)
    #expect(peer?.address?.isLoopback == true)
    #expect(peer?.url?.hasSuffix(":16000/") == true)
  }

  @Test(arguments: [
    "", "localhost:16000", "osc.tcp://localhost:1/", "osc.udp://localhost/", "osc.udp://localhost:x/",
  ])
  func whatIsNoURLIsRefused(url: String) {
    #expect(NSMClient.resolve(url) == nil)
  }
}
