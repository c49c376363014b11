/// A message of MIDI timecode.
package enum MTCMessage: BitwiseCopyable, Hashable, Sendable {
  /// A piece of a timecode, 0…7: a quarter of a frame. Piece 0 comes at the frame that all eight tell.
  case quarterFrame(piece: UInt8, of: Timecode, TimecodeRate)
  /// The whole timecode, after a locate.
  case fullFrame(Timecode, TimecodeRate)

  /// Bytes of the longest message.
  package static var longest: Int { @_noLocks get { 10 } }

  /// The number of bytes.
  /// - Thread: any, audio
  package var length: Int {
    @_noLocks get {
      switch self {
      case .quarterFrame: 2
      case .fullFrame: 10
      }
    }
  }

  /// One of the bytes.
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

  /// Four bits: the low ones first, of frames, seconds, minutes and hours.
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
  /// The rate in MIDI timecode.
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
