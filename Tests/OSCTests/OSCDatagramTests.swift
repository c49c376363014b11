import OSC
import OSCBench
import Testing

@Suite struct OSCDatagramTests {
  private func fault(_ bytes: [UInt8]) -> OSCFault? {
    do {
      _ = try OSCDatagram(bytes).messages
      return nil
    } catch {
      return error
    }
  }

  @Test func everyTypeIsRead() throws {
    let read = try #require(try OSCDatagram(corpus[3]).messages.first)
    #expect(read.typeTags == "ihfdsSbtcmTFNI")
    #expect(
      read.arguments == [
        .int32(-7), .int64(0x0102_0304_0506_0708), .float(1.5), .double(.pi), .string("text"),
        .symbol("name"),
        .blob([9, 8, 7]), .timetag(OSCTime(seconds: 4_000_000_000, fraction: 5)), .char(0x41),
        .midi(0x90_3c64),
        .true, .false, .nil, .impulse,
      ])
  }

  @Test func theWholeCorpusIsAccepted() {
    for bytes in corpus { #expect(fault(bytes) == nil) }
  }

  @Test func aLoneAddressIsAMessageWithoutArguments() throws {
    let datagram = try OSCDatagram(padded("/tap"))
    #expect(try datagram.messages == [OSCMessage("/tap")])
    #expect(!datagram.hasTypeTags)
  }

  @Test func aLoneAddressInABundleIsAMessageToo() throws {
    let datagram = try OSCDatagram(bundle(.immediate, padded("/tap"), message("/stop", "i", word(1))))
    #expect(try datagram.messages == [OSCMessage("/tap"), OSCMessage("/stop", .int32(1))])
    #expect(!datagram.hasTypeTags)
  }

  @Test func theElementsOfArraysAreArguments() throws {
    let numbers = word(7) + word(8)
    for tags in ["[ii]", "i[i]", "[i][i]", "[[i]i]", "[[[[ii]]]]", "[]ii"] {
      #expect(
        try OSCDatagram(message("/meter", tags, numbers)).messages
          == [OSCMessage("/meter", .int32(7), .int32(8))], "\(tags)")
    }
    #expect(try OSCDatagram(message("/a", "[]")).messages == [OSCMessage("/a")])
    #expect(
      try OSCDatagram(message("/a", "[s]i", padded("text") + word(1))).messages
        == [OSCMessage("/a", .string("text"), .int32(1))])
  }

  @Test func bracketsThatDoNotMatchOrNestTooDeeplyAreRefused() {
    for tags in ["[ii", "ii]", "]ii[", "[[[[[ii]]]]]", "[i]]i["] {
      #expect(fault(message("/meter", tags, word(7) + word(8)))?.address == "/meter", "\(tags)")
    }
  }

  @Test func messagesCarryTheTimeOfTheInnermostBundle() throws {
    let outer = OSCTime(seconds: 4_000_000_000, fraction: 0)
    let inner = OSCTime(seconds: 4_000_000_001, fraction: 0)
    let bytes = bundle(outer, message("/a"), bundle(inner, message("/b")), bundle(.immediate, message("/c")))
    #expect(
      try OSCDatagram(bytes).messages == [
        OSCMessage("/a", time: outer), OSCMessage("/b", time: inner), OSCMessage("/c"),
      ])
  }

  @Test func lengthsThatAreNoMultipleOfFourAreRefused() {
    #expect(fault([]) != nil)
    for count in 1...3 { #expect(fault(message("/a") + [UInt8](repeating: 0, count: count)) != nil) }
  }

  @Test func theLongestDatagramIsAcceptedAndOneLongerRefused() {
    let header = message("/a", "b").count + 4
    let most = OSCDatagram.lengthLimit - header
    #expect(fault(message("/a", "b", word(UInt32(most)) + [UInt8](repeating: 1, count: most))) == nil)
    #expect(fault(message("/a", "b", word(UInt32(most + 4)) + [UInt8](repeating: 1, count: most + 4))) != nil)
  }

  @Test(
    arguments: [
      message("a"), message("/a b"), message("/a#"), message("/é"), message("/a\u{7f}"), message(""),
      [0x2f, 0x61, 0x62, 0x63], padded("/a").dropLast() + [1],
      message("/" + String(repeating: "a", count: OSCDatagram.addressLimit)),
    ] as [[UInt8]])
  func badAddressesAreRefused(_ bytes: [UInt8]) {
    let fault = fault(bytes)
    #expect(fault != nil)
    #expect(fault?.address == nil)
  }

  @Test(
    arguments: [
      padded("/a") + padded("i") + word(1), padded("/a") + word(0), padded("/a") + [0x2c, 0x69, 0x69, 0x69],
      message("/a", "x"), message("/a", "r", word(1)), message("/a", "[i", word(1)), message("/a", "i"),
      message("/a", "h", word(1)), message("/a", "s"), message("/a", "s", [0x61, 0x62, 0x63, 0x64]),
      message("/a", "s", [0x61, 0, 0, 1]), message("/a", "s", [0xff, 0xfe, 0, 0]),
      message("/a", "c", word(128)),
      message("/a", "", word(1)), message("/a", "i", word(1) + word(2)),
    ] as [[UInt8]])
  func badArgumentsAreRefusedWithTheAddress(_ bytes: [UInt8]) {
    #expect(fault(bytes)?.address == "/a")
  }

  @Test(
    arguments: [
      message("/a", "b"), message("/a", "b", word(1)), message("/a", "b", word(5) + word(0)),
      message("/a", "b", word(0xffff_ffff) + word(0)), message("/a", "b", word(0x7fff_ffff)),
      message("/a", "b", word(0xffff_fffc) + word(0)), message("/a", "b", word(3) + [1, 2, 3, 4]),
      message("/a", "ib", word(1)),
    ] as [[UInt8]])
  func blobsThatDontFitAreRefusedWithTheAddress(_ bytes: [UInt8]) {
    #expect(fault(bytes)?.address == "/a")
  }

  @Test func numbersThatAreNotFiniteAreRefusedWithTheAddress() {
    for value in [Float.nan, .infinity, -.infinity, .signalingNaN] {
      #expect(fault(message("/tempo", "f", word(value.bitPattern)))?.address == "/tempo")
      let bits = Double(value).bitPattern
      let payload = word(UInt32(bits >> 32)) + word(UInt32(truncatingIfNeeded: bits))
      #expect(fault(message("/tempo", "d", payload))?.address == "/tempo")
    }
  }

  @Test(
    arguments: [
      bundle() + word(0), bundle(.immediate, []), bundle() + word(8) + word(0), bundle() + word(0xffff_fffc),
      bundle() + word(0x7fff_fffc) + message("/a"), bundle() + word(6) + message("/a"), padded("#bundle"),
      padded("#bundle") + word(0), padded("#bungle") + word(0) + word(1), [0x23, 0, 0, 0],
      bundle(.immediate, message("/a")) + word(4), bundle() + word(12) + message("/a"),
    ] as [[UInt8]])
  func badBundlesAreRefused(_ bytes: [UInt8]) {
    #expect(fault(bytes) != nil)
  }

  @Test func oneBadElementRefusesTheWholeBundle() {
    let bytes = bundle(.immediate, message("/good"), message("/bad", "f", word(Float.nan.bitPattern)))
    #expect(fault(bytes)?.address == "/bad")
  }

  @Test func bundlesNestToTheLimitAndNoDeeper() {
    var bytes = message("/a")
    for depth in 1...OSCDatagram.nestingLimit + 1 {
      bytes = bundle(.immediate, bytes)
      #expect((fault(bytes) == nil) == (depth <= OSCDatagram.nestingLimit))
    }
  }

  @Test func elementsOfAllLevelsCountTogether() {
    let half = [UInt8](Array(repeating: word(8) + message("/a"), count: 31).joined())
    let inner = bundle() + half
    let full = bundle(.immediate, inner, inner)
    #expect(fault(full) == nil, "2 bundles and 62 messages")
    #expect(fault(full + word(8) + message("/a")) != nil)
  }

  @Test func everyTruncationIsSurvived() {
    for bytes in corpus {
      for count in bytes.indices { _ = fault(Array(bytes[..<count])) }
    }
  }
}
