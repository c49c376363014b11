/// One MIDI message of up to three bytes. Channels are 1…16; notes, controllers, programs and velocities are 0…127;
/// pitch bend is 0…16383 with its centre at 8192.
public enum MIDIMessage: BitwiseCopyable, Hashable, Sendable {
  case noteOff(channel: UInt8, note: UInt8, velocity: UInt8)
  /// The velocity is 1…127: a note on of velocity 0 is a note off.
  case noteOn(channel: UInt8, note: UInt8, velocity: UInt8)
  case polyphonicPressure(channel: UInt8, note: UInt8, pressure: UInt8)
  case controlChange(channel: UInt8, controller: UInt8, value: UInt8)
  case programChange(channel: UInt8, program: UInt8)
  case channelPressure(channel: UInt8, pressure: UInt8)
  case pitchBend(channel: UInt8, value: UInt16)
  case timeCode(UInt8)
  case songPosition(SongPosition)
  case songSelect(UInt8)
  case tuneRequest
  case clock
  case start
  case `continue`
  case stop
  case activeSensing
  case reset

  /// Parses a message.
  ///
  /// - Parameters:
  ///   - length: the number of bytes.
  /// - Returns: nil if the bytes are not one complete message: an undefined status, a length that does not match the status,
  ///   a data byte above 127, or system exclusive.
  /// - Thread: any, audio
  @_noLocks
  public init?(_ status: UInt8, _ first: UInt8, _ second: UInt8, length: Int) {
    guard length == MIDIMessage.length(ofStatus: status), length < 2 || first < 0x80,
      length < 3 || second < 0x80
    else { return nil }
    let channel = status & 0x0F + 1
    switch status {
    case 0x80...0x8F: self = .noteOff(channel: channel, note: first, velocity: second)
    // The standard's default velocity for a note off without one.
    case 0x90...0x9F where second == 0: self = .noteOff(channel: channel, note: first, velocity: 64)
    case 0x90...0x9F: self = .noteOn(channel: channel, note: first, velocity: second)
    case 0xA0...0xAF: self = .polyphonicPressure(channel: channel, note: first, pressure: second)
    case 0xB0...0xBF: self = .controlChange(channel: channel, controller: first, value: second)
    case 0xC0...0xCF: self = .programChange(channel: channel, program: first)
    case 0xD0...0xDF: self = .channelPressure(channel: channel, pressure: first)
    case 0xE0...0xEF: self = .pitchBend(channel: channel, value: UInt16(second) << 7 | UInt16(first))
    case 0xF1: self = .timeCode(first)
    case 0xF2: self = .songPosition(SongPosition(low: first, high: second))
    case 0xF3: self = .songSelect(first)
    case 0xF6: self = .tuneRequest
    case 0xF8: self = .clock
    case 0xFA: self = .start
    case 0xFB: self = .continue
    case 0xFC: self = .stop
    case 0xFE: self = .activeSensing
    case 0xFF: self = .reset
    default: return nil
    }
  }

  /// Parses bytes as they arrived.
  /// - Returns: nil if the bytes are not a message of one to three bytes.
  /// - Thread: any, audio
  @_noLocks
  public init?(_ bytes: UnsafePointer<UInt8>, count: Int) {
    guard count >= 1, count <= 3 else { return nil }
    self.init(bytes[0], count > 1 ? bytes[1] : 0, count > 2 ? bytes[2] : 0, length: count)
  }

  /// The message's bytes; the first `length` are valid. Values too large for their field are truncated to the low bits.
  /// - Thread: any, audio
  public var bytes: (status: UInt8, first: UInt8, second: UInt8, length: Int) {
    @_noLocks get {
      switch self {
      case .noteOff(let channel, let note, let velocity): MIDIMessage.bytes(0x80, channel, note, velocity)
      case .noteOn(let channel, let note, let velocity): MIDIMessage.bytes(0x90, channel, note, velocity)
      case .polyphonicPressure(let channel, let note, let pressure):
        MIDIMessage.bytes(0xA0, channel, note, pressure)
      case .controlChange(let channel, let controller, let value):
        MIDIMessage.bytes(0xB0, channel, controller, value)
      case .programChange(let channel, let program): MIDIMessage.bytes(0xC0, channel, program, nil)
      case .channelPressure(let channel, let pressure): MIDIMessage.bytes(0xD0, channel, pressure, nil)
      case .pitchBend(let channel, let value):
        MIDIMessage.bytes(0xE0, channel, UInt8(value & 0x7F), UInt8(value >> 7 & 0x7F))
      case .timeCode(let value): (0xF1, value & 0x7F, 0, 2)
      case .songPosition(let position): (0xF2, position.low, position.high, 3)
      case .songSelect(let song): (0xF3, song & 0x7F, 0, 2)
      case .tuneRequest: (0xF6, 0, 0, 1)
      case .clock: (0xF8, 0, 0, 1)
      case .start: (0xFA, 0, 0, 1)
      case .continue: (0xFB, 0, 0, 1)
      case .stop: (0xFC, 0, 0, 1)
      case .activeSensing: (0xFE, 0, 0, 1)
      case .reset: (0xFF, 0, 0, 1)
      }
    }
  }

  @_noLocks
  private static func bytes(
    _ kind: UInt8, _ channel: UInt8, _ first: UInt8, _ second: UInt8?
  ) -> (status: UInt8, first: UInt8, second: UInt8, length: Int) {
    (kind | (channel &- 1) & 0x0F, first & 0x7F, (second ?? 0) & 0x7F, second == nil ? 2 : 3)
  }

  /// The length of a message with this status; 0 if the message is not one to three bytes long.
  @_noLocks
  private static func length(ofStatus status: UInt8) -> Int {
    switch status {
    case 0x80...0xBF, 0xE0...0xEF, 0xF2: 3
    case 0xC0...0xDF, 0xF1, 0xF3: 2
    case 0xF6, 0xF8, 0xFA...0xFC, 0xFE, 0xFF: 1
    default: 0
    }
  }
}
