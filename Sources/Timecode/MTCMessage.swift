/// A message of MIDI timecode.
package enum MTCMessage: BitwiseCopyable, Hashable, Sendable {
  /// One of the eight pieces, 0…7, of a timecode; one is sent each quarter of a frame. Piece 0 is sent at the frame whose
  /// timecode the eight pieces contain.
  case quarterFrame(piece: UInt8, of: Timecode, TimecodeRate)
  /// The whole timecode, after a locate.
  case fullFrame(Timecode, TimecodeRate)

  /// The length of the longest message in bytes.
  /// - Thread: any, audio
  package static var longest: Int { @_noLocks get { 10 } }

  /// The length in bytes: 2 or 10.
  /// - Thread: any, audio
  package var length: Int {
    @_noLocks get {
      switch self {
      case .quarterFrame: 2
      case .fullFrame: 10
      }
    }
  }

  /// A byte of the message.
  /// - Parameter index: 0..<`length`.
  /// - Thread: any, audio
  @_noLocks
  package func byte(_ index: Int) -> UInt8 {
    switch self {
    case .quarterFrame(let piece, let time, let rate):
      return index == 0 ? 0xF1 : piece << 4 | MTCMessage.nibble(piece, of: time, rate)
    case .fullFrame(let time, let rate):
      switch index {
      case 0: return 0xF0
      case 1, 2: return 0x7F
      case 3, 4: return 0x01
      case 5: return time.hours | rate.code << 5
      case 6: return time.minutes
      case 7: return time.seconds
      case 8: return time.frames
      default: return 0xF7
      }
    }
  }

  /// The data of a quarter-frame message: low and high four bits of frames, seconds, minutes and hours, in this order.
  @_noLocks
  private static func nibble(_ piece: UInt8, of time: Timecode, _ rate: TimecodeRate) -> UInt8 {
    switch piece {
    case 0: time.frames & 0x0F
    case 1: time.frames >> 4
    case 2: time.seconds & 0x0F
    case 3: time.seconds >> 4
    case 4: time.minutes & 0x0F
    case 5: time.minutes >> 4
    case 6: time.hours & 0x0F
    default: time.hours >> 4 | rate.code << 1
    }
  }
}

extension TimecodeRate {
  /// The code of the rate in MIDI timecode.
  var code: UInt8 {
    @_noLocks get {
      switch self {
      case .film: 0
      case .pal: 1
      case .dropFrame: 2
      case .thirty: 3
      }
    }
  }
}
