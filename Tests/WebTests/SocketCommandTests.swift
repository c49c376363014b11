import Testing

@testable import Web

@Suite struct SocketCommandTests {
  @Test func listenAndIgnoreAreRead() {
    #expect(SocketCommand(#"{"COMMAND":"LISTEN","DATA":"/tactus/tempo"}"#) == .listen("/tactus/tempo"))
    #expect(SocketCommand(#" { "DATA" : "\/a" , "COMMAND" : "IGNORE" } "#) == .ignore("/a"))
  }

  @Test(
    "Anything else is not answered",
    arguments: [
      "", "{", "{}", "[]", "null", #"{"COMMAND":"LISTEN"}"#, #"{"COMMAND":"FLY","DATA":"/a"}"#,
      #"{"COMMAND":"LISTEN","DATA":3}"#, #"{"COMMAND":"LISTEN","DATA":"/a"}x"#,
      #"{"COMMAND":"LISTEN","DATA":"/a"#,
      #"{"COMMAND":"LISTEN","DATA":{"COMMAND":"LISTEN"}}"#, #"{"COMMAND":"LISTEN","DATA":"\u0041"}"#,
    ])
  func others(text: String) {
    #expect(SocketCommand(text) == nil)
  }
}
