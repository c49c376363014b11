import Testing

@testable import tactus

@Suite struct LengthTextTests {
  @Test func `A list tells what is known of a length`() {
    #expect(lengthText(150, atLeast: 150) == "2:30")
    #expect(lengthText(nil, atLeast: 150.5) == "at least 2:30.5")
    #expect(lengthText(nil, atLeast: 0) == "until you go on")
    #expect(lengthText(nil, atLeast: nil) == "without end")
  }
}
