import Testing
import Validation

@testable import TimeCheck

@Suite struct ListeningSetupTests {
  @Test(arguments: ["mic", "trigger", "off", "kick:trigger,snare:mic", "a:mic"])
  func `An input list is written as it is read`(text: String) throws {
    #expect(ListeningSetup(inputs: try ListeningSetup.inputs(text: text)).text == text)
  }

  @Test(arguments: [
    "120", "song.yaml", "a:b", "a,a", "a:mic:x", ",", "a,", "mic,trigger", "a,b,c,d,e,f,g,h,i", "ä", "off,a",
  ])
  func `What names no input is refused`(text: String) {
    #expect(throws: InvalidValue.self) { try ListeningSetup.inputs(text: text) }
  }

  @Test func `A single input is the port listen`() {
    #expect(ListeningSetup(inputs: ListeningSetup.standard).port(of: .input(0)) == "listen")
    let two = ListeningSetup(inputs: [.init(name: "kick", mode: .trigger), .init(name: "snare", mode: .mic)])
    #expect(two.port(of: .input(1)) == "listen-snare")
    #expect(two.port(of: .notes) == "hits")
  }
}
