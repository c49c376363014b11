import OSC
import Testing

@Suite struct OSCMessageTests {
  @Test func typeTagsFollowTheArguments() {
    #expect(OSCMessage("/beat", .int32(1), .int32(2), .string("accent"), .float(1)).typeTags == "iisf")
    #expect(OSCMessage("/ping").typeTags == "")
  }

  @Test func descriptionReadsAsItIsTyped() {
    #expect(OSCMessage("/tempo", .float(133.5)).description == "/tempo ,f 133.5")
    #expect(OSCMessage("/start").description == "/start")
  }
}
