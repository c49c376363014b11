import OSC
import Testing

@Suite struct OSCArgumentTests {
  @Test func everyNumericTypeIsANumber() {
    let three: [OSCArgument] = [.int32(3), .int64(3), .float(3), .double(3)]
    for argument in three {
      #expect(argument.number == 3)
      #expect(argument.integer == 3)
      #expect(argument.truth == true)
    }
  }

  @Test func aFractionIsANumberButNoInteger() {
    #expect(OSCArgument.float(0.5).number == 0.5)
    #expect(OSCArgument.float(0.5).integer == nil)
    #expect(OSCArgument.double(1e300).integer == nil)
  }

  @Test func trueAndFalseCountAsOneAndZero() {
    #expect(OSCArgument.true.integer == 1)
    #expect(OSCArgument.false.number == 0)
    #expect(OSCArgument.false.truth == false)
  }

  @Test func whatIsNotFiniteIsNoNumber() {
    for argument: OSCArgument in [.float(.nan), .float(.infinity), .double(.nan), .double(-.infinity)] {
      #expect(argument.number == nil)
      #expect(argument.integer == nil)
      #expect(argument.truth == nil)
    }
  }

  @Test func onlyStringsAndSymbolsAreText() {
    #expect(OSCArgument.string("bar").text == "bar")
    #expect(OSCArgument.symbol("bar").text == "bar")
    #expect(OSCArgument.int32(1).text == nil)
    #expect(OSCArgument.string("1").number == nil)
  }

  @Test func theLargestIntegersStayExact() {
    #expect(OSCArgument.int64(.max).integer == .max)
    #expect(OSCArgument.int64(.min).integer == .min)
  }
}
