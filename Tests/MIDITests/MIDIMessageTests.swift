import Testing

@testable import MIDI

@Suite struct MIDIMessageTests {
  private func message(_ bytes: [UInt8]) -> MIDIMessage? {
    bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.flatMap { MIDIMessage($0, count: buffer.count) }
    }
  }

  @Test func `Each kind of message is read from its bytes and written to them`() {
    let table: [(MIDIMessage, [UInt8])] = [
      (.noteOff(channel: 1, note: 60, velocity: 0), [0x80, 60, 0]),
      (.noteOn(channel: 16, note: 127, velocity: 1), [0x9F, 127, 1]),
      (.polyphonicPressure(channel: 2, note: 3, pressure: 4), [0xA1, 3, 4]),
      (.controlChange(channel: 10, controller: 64, value: 127), [0xB9, 64, 127]),
      (.programChange(channel: 3, program: 99), [0xC2, 99]),
      (.channelPressure(channel: 4, pressure: 5), [0xD3, 5]),
      (.pitchBend(channel: 5, value: 8_192), [0xE4, 0, 64]),
      (.pitchBend(channel: 5, value: 16_383), [0xE4, 127, 127]),
      (.timeCode(0x71), [0xF1, 0x71]),
      (.songPosition(SongPosition(sixteenths: 130)!), [0xF2, 2, 1]),
      (.songSelect(7), [0xF3, 7]),
      (.tuneRequest, [0xF6]), (.clock, [0xF8]), (.start, [0xFA]), (.continue, [0xFB]), (.stop, [0xFC]),
      (.activeSensing, [0xFE]), (.reset, [0xFF]),
    ]
    for (expected, bytes) in table {
      #expect(message(bytes) == expected)
      let written = expected.bytes
      #expect(Array([written.status, written.first, written.second].prefix(written.length)) == bytes)
    }
  }

  @Test func `A note on of velocity 0 is a note off`() {
    #expect(message([0x90, 60, 0]) == .noteOff(channel: 1, note: 60, velocity: 64))
  }

  @Test func `What is no whole message is none`() {
    for bytes: [UInt8] in [
      [], [0x90], [0x90, 60], [0x90, 60, 128], [0x90, 200, 1], [0xC0], [0xC0, 1, 2], [0xF8, 0], [0xF4],
      [0xF5],
      [0xF9], [0xFD], [0xF0, 1, 0xF7], [0xF7], [60, 1], [0, 0, 0], [0x90, 1, 2, 3], [0xF2, 1],
    ] {
      #expect(message(bytes) == nil, "\(bytes)")
    }
  }

  @Test func `Any three bytes are a message that is written as it was read, or none`() {
    for status in UInt8.min...UInt8.max {
      for data: UInt8 in [0, 1, 63, 64, 127, 128, 255] {
        for length in 1...3 {
          guard let read = MIDIMessage(status, data, data, length: length) else { continue }
          let bytes = read.bytes
          #expect(bytes.length == length)
          #expect(MIDIMessage(bytes.status, bytes.first, bytes.second, length: bytes.length) == read)
          #expect(status >= 0x80 && (length < 2 || data < 0x80))
        }
      }
    }
  }

  @Test func `An event is small enough to copy about`() {
    #expect(MemoryLayout<MIDIEvent>.size <= 16)
  }
}

@Suite struct SongPositionTests {
  @Test func `It has 14 bits`() {
    #expect(SongPosition(sixteenths: -1) == nil)
    #expect(SongPosition(sixteenths: 16_384) == nil)
    #expect(SongPosition(sixteenths: 16_383)?.pulse == 98_298)
    #expect(SongPosition(sixteenths: 6)?.quarters == 1.5)
  }

  @Test func `The place after a pulse is the next sixteenth`() {
    #expect(SongPosition(atOrAfterPulse: -1) == nil)
    #expect(SongPosition(atOrAfterPulse: 0)?.sixteenths == 0)
    #expect(SongPosition(atOrAfterPulse: 1)?.sixteenths == 1)
    #expect(SongPosition(atOrAfterPulse: 6)?.sixteenths == 1)
    #expect(SongPosition(atOrAfterPulse: 7)?.sixteenths == 2)
    #expect(SongPosition(atOrAfterPulse: 98_298)?.sixteenths == 16_383)
    #expect(SongPosition(atOrAfterPulse: 98_299) == nil)
    #expect(SongPosition(atOrAfterPulse: .max) == nil)
  }
}
