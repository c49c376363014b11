import OSC
import OSCBench
import Testing

@Suite struct OSCMessageTests {
  @Test func typeTagsFollowTheArguments() {
    #expect(OSCMessage("/beat", .int32(1), .int32(2), .string("accent"), .float(1)).typeTags == "iisf")
    #expect(OSCMessage("/ping").typeTags == "")
  }

  @Test func theLengthIsThatOfWhatLibloWrites() {
    var arguments: [OSCArgument] = [
      .int32(-7), .int64(7), .float(1.5), .double(.pi), .timetag(.immediate), .char(0x41), .midi(0x90_3c64),
      .true, .false, .nil, .impulse,
    ]
    for text in ["", "a", "abc", "abcd", "abcde", "grüße", "ends here\0not here"] {
      arguments += [.string(text), .symbol(text)]
    }
    for count in 0...9 { arguments.append(.blob([UInt8](repeating: 1, count: count))) }
    #expect(Set(arguments.map(\.tag)) == Set("ihfdsSbtcmTFNI"))
    var messages = arguments.map { OSCMessage("/a", arguments: [$0]) }
    messages.append(OSCMessage("/all", arguments: arguments))
    for count in 0...9 {
      let address = "/" + String(repeating: "a", count: count)
      messages.append(OSCMessage(address, arguments: [OSCArgument](repeating: .true, count: count)))
    }
    for message in messages {
      let length = LibloWriter.length(of: message)
      #expect(Datagrams.of([message], at: nil).map(\.count) == [length], "\(message)")
      let bundles = Datagrams.of([message, message], at: .immediate)
      #expect(bundles.map(\.count) == [16 + 2 * (4 + length)], "\(message)")
    }
  }

  @Test func aMessageAndABundleMayBeAsLongAsADatagramAndNoLonger() {
    func blob(_ length: Int) -> OSCMessage {
      OSCMessage("/a", .blob([UInt8](repeating: 1, count: length - 12)))
    }
    let most = OSCDatagram.lengthLimit
    #expect(Datagrams.of([blob(most)], at: nil).map(\.count) == [most])
    #expect(Datagrams.of([blob(most + 4)], at: nil).isEmpty)
    let half = blob((most - 16) / 2 - 4)
    #expect(Datagrams.of([half, half], at: .immediate).map(\.count) == [most])
    #expect(Datagrams.of([half, blob((most - 16) / 2)], at: .immediate).count == 2)
  }

  @Test func descriptionReadsAsItIsTyped() {
    #expect(OSCMessage("/tempo", .float(133.5)).description == "/tempo ,f 133.5")
    #expect(OSCMessage("/start").description == "/start")
  }
}
