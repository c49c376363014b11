/// A standard MIDI file put together by tests, event by event.
struct MIDIBytes {
  var resolution = 480
  private(set) var tracks: [[UInt8]] = []
  private var tick = 0

  /// Begins a track.
  mutating func track() {
    tracks.append([])
    tick = 0
  }

  /// - Parameter at: ticks from the track's start, not before the last event's.
  mutating func meta(_ type: UInt8, _ data: [UInt8], at next: Int) {
    put(next, [0xFF, type] + MIDIBytes.variable(data.count) + data)
  }

  mutating func put(_ next: Int, _ bytes: [UInt8]) {
    tracks[tracks.count - 1] += MIDIBytes.variable(next - tick) + bytes
    tick = next
  }

  mutating func tempo(_ quarter: Int, at tick: Int) {
    meta(0x51, [UInt8(quarter >> 16 & 0xFF), UInt8(quarter >> 8 & 0xFF), UInt8(quarter & 0xFF)], at: tick)
  }

  mutating func meter(_ count: UInt8, _ unit: UInt8, click: UInt8 = 24, at tick: Int) {
    meta(0x58, [count, UInt8(unit.trailingZeroBitCount), click, 8], at: tick)
  }

  mutating func marker(_ name: String, at tick: Int) { meta(0x06, Array(name.utf8), at: tick) }

  mutating func end(at tick: Int) { meta(0x2F, [], at: tick) }

  var bytes: [UInt8] {
    func big(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(number >> (8 * $0) & 0xFF) }
    }
    let header = big(tracks.count > 1 ? 1 : 0, 2) + big(tracks.count, 2) + big(resolution, 2)
    var file = Array("MThd".utf8) + big(6, 4) + header
    for track in tracks { file += Array("MTrk".utf8) + big(track.count, 4) + track }
    return file
  }

  static func variable(_ number: Int) -> [UInt8] {
    var bytes = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F | 0x80), at: 0)
      rest >>= 7
    }
    return bytes
  }
}
