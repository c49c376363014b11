/// Writes a standard MIDI file that contains only meta events (Standard MIDI Files 1.0).
struct MIDITrack {
  struct Event {
    /// Ticks from the start of the file.
    let tick: Int
    /// 0x03 track name, 0x06 marker, 0x51 tempo, 0x58 time signature.
    let type: UInt8
    let data: [UInt8]
  }

  /// In order of time.
  let events: [Event]
  let end: Int

  /// The bytes of a file of format 0.
  /// - Parameter resolution: ticks per quarter.
  func file(resolution: Int) -> [UInt8] {
    var track: [UInt8] = []
    var tick = 0
    for event in events + [Event(tick: end, type: 0x2F, data: [])] {
      track += MIDITrack.variable(event.tick - tick) + [0xFF, event.type]
      track += MIDITrack.variable(event.data.count) + event.data
      tick = event.tick
    }
    let header = MIDITrack.big(0, bytes: 2) + MIDITrack.big(1, bytes: 2) + MIDITrack.big(resolution, bytes: 2)
    return MIDITrack.chunk("MThd", header) + MIDITrack.chunk("MTrk", track)
  }

  private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + big(body.count, bytes: 4) + body
  }

  private static func big(_ number: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(number >> (8 * $0) & 0xFF) }
  }

  /// A variable-length number of at most 28 bits: seven bits per byte, the highest first; the top bit is set in all bytes but
  /// the last.
  private static func variable(_ number: Int) -> [UInt8] {
    var bytes = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F | 0x80), at: 0)
      rest >>= 7
    }
    return bytes
  }
}
