import MusicTime
import Timecode

/// A machine that reads MIDI timecode: it knows the time after eight quarter frames in sequence, or a full frame.
struct MTCReader {
  struct Reading: Equatable {
    /// The clock frame of piece 0, at which the timecode applies.
    let frame: ClockFrame
    let time: String
    /// The rate code: 0 for 24, 1 for 25, 2 for 29.97 drop-frame, 3 for 30.
    let rate: UInt8
  }

  private(set) var readings: [Reading] = []
  private(set) var fullFrames: [Reading] = []
  private(set) var faults: [String] = []
  /// The frame of each piece.
  private(set) var pieces: [(frame: ClockFrame, piece: UInt8)] = []
  private var nibbles: [UInt8] = []
  private var begin: ClockFrame = 0
  private var last = ClockFrame.earliest

  mutating func read(_ messages: some Sequence<(frame: ClockFrame, message: MTCMessage)>) {
    for (frame, message) in messages { read((0..<message.length).map { message.byte($0) }, at: frame) }
  }

  private mutating func read(_ bytes: [UInt8], at frame: ClockFrame) {
    if frame < last { faults.append("\(frame) after \(last)") }
    last = frame
    switch (bytes[0], bytes.count) {
    case (0xF1, 2):
      let (piece, nibble) = (bytes[1] >> 4, bytes[1] & 0x0F)
      pieces.append((frame, piece))
      if piece == 0 { (nibbles, begin) = ([], frame) }
      guard Int(piece) == nibbles.count else {
        nibbles = []
        return
      }
      nibbles.append(nibble)
      guard nibbles.count == 8 else { return }
      let numbers = [
        nibbles[6] | nibbles[7] << 4 & 0x10, nibbles[4] | nibbles[5] << 4, nibbles[2] | nibbles[3] << 4,
        nibbles[0] | nibbles[1] << 4,
      ]
      readings.append(Reading(frame: begin, time: MTCReader.text(numbers), rate: nibbles[7] >> 1))
    case (0xF0, 10):
      if Array(bytes[1...4]) != [0x7F, 0x7F, 1, 1] || bytes[9] != 0xF7 { faults.append("\(bytes)") }
      nibbles = []
      fullFrames.append(
        Reading(
          frame: frame, time: MTCReader.text([bytes[5] & 0x1F, bytes[6], bytes[7], bytes[8]]),
          rate: bytes[5] >> 5))
    default: faults.append("\(bytes)")
    }
  }

  private static func text(_ numbers: [UInt8]) -> String {
    numbers.map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":")
  }
}
