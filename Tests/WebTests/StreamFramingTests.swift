import Testing

@testable import Web

@Suite struct StreamFramingTests {
  private func read(_ bytes: [UInt8], _ framing: StreamFraming, pieces: Int = .max) throws -> [[UInt8]] {
    var (reader, datagrams): (StreamReader, [[UInt8]]) = (StreamReader(framing), [])
    var rest = bytes[...]
    while !rest.isEmpty {
      try reader.read(rest.prefix(pieces)) { datagrams.append($0) }
      rest = rest.dropFirst(pieces)
    }
    return datagrams
  }

  @Test(arguments: [StreamFraming.slip, .lengths])
  func `Framed packets arrive unchanged, in any pieces`(framing: StreamFraming) throws {
    let datagrams = [[0x2F, 192, 219, 220, 221, 0], [UInt8](0...255), [UInt8](repeating: 192, count: 8_192)]
    let bytes = datagrams.flatMap { framing.framed($0) }
    for pieces in [1, 2, 3, 1_000, .max] {
      #expect(try read(bytes, framing, pieces: pieces) == datagrams)
    }
  }

  @Test func `SLIP reads datagrams with and without an end before them, and no empty ones`() throws {
    #expect(try read([47, 97, 192, 192, 192, 47, 98, 192], .slip) == [[47, 97], [47, 98]])
    #expect(try read([0, 0, 0, 0, 0, 0, 0, 2, 47, 97], .lengths) == [[47, 97]])
  }

  @Test func `A datagram that is too long, or wrongly escaped, ends the stream`() {
    let long = [UInt8](repeating: 47, count: 8_193)
    #expect(throws: StreamReader.Fault()) { try read(long, .slip) }
    #expect(throws: StreamReader.Fault()) { try read([47, 219, 47, 192], .slip) }
    #expect(throws: StreamReader.Fault()) { try read([0, 0, 32, 1], .lengths) }
    #expect(throws: StreamReader.Fault()) { try read([255, 255, 255, 255], .lengths) }
  }

  @Test func `The first byte tells SLIP, lengths and HTTP apart`() {
    #expect(StreamFraming(firstByte: 192) == .slip && StreamFraming(firstByte: UInt8(ascii: "/")) == .slip)
    #expect(StreamFraming(firstByte: 0) == .lengths)
    for letter in "GPHOD".utf8 { #expect(StreamFraming(firstByte: letter) == nil) }
  }
}
