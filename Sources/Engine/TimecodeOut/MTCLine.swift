import MusicTime
import Timecode

/// MIDI timecode on its port: quarter frames, and a full frame after a jump.
struct MTCLine: BitwiseCopyable {
  let segments = TimecodeSegments()
  /// The quarter after the last one that was sent; nil after a jump. A reader needs eight in sequence.
  private var next: Int64?
  /// The clock frame of the last full frame.
  private var lastFull = ClockFrame(.min / 2)
  /// Whether the position of a stopped transport must still be sent.
  private var owesPlace = false

  /// Quarters of a frame.
  private static var parts: Int64 { @_noLocks get { 4 } }

  /// Sends the messages of a period.
  /// - Thread: audio
  @_noLocks
  mutating func render(_ period: Range<ClockFrame>, sampleRate: Int, into buffer: MTCBuffer) {
    var clock = period.lowerBound
    while clock < period.upperBound {
      if segments.nextFrame <= clock {
        segments.advance()
        (next, owesPlace) = (nil, false)
        if segments.nextFrame > clock, segments.now.isJump { jump(clock, period, sampleRate, buffer) }
        continue
      }
      if owesPlace { jump(clock, period, sampleRate, buffer) }
      let end = min(period.upperBound, segments.nextFrame)
      if segments.now.isRunning { send(clock..<end, period, sampleRate, buffer) }
      clock = end
    }
  }

  /// Sends a full frame, at most one each tenth of a second: converters fail at bursts, and the quarter frames give the
  /// position soon. While the timecode is stopped, the full frame is sent later instead.
  @_noLocks
  private mutating func jump(
    _ clock: ClockFrame, _ period: Range<ClockFrame>, _ sampleRate: Int, _ buffer: MTCBuffer
  ) {
    let segment = segments.now
    owesPlace = !segment.isRunning
    guard clock - lastFull >= Int64(sampleRate / 10) else { return }
    (lastFull, owesPlace) = (clock, false)
    let frame = segment.rate.unit(from: segment.place(at: clock) + 1, parts: 1, sampleRate: sampleRate) - 1
    buffer.append(.fullFrame(segment.time(ofFrame: frame), segment.rate), at: Int(clock - period.lowerBound))
  }

  @_noLocks
  private mutating func send(
    _ range: Range<ClockFrame>, _ period: Range<ClockFrame>, _ sampleRate: Int, _ buffer: MTCBuffer
  ) {
    let segment = segments.now
    var quarter = segment.rate.unit(
      from: segment.place(at: range.lowerBound), parts: MTCLine.parts, sampleRate: sampleRate)
    while true {
      let clock = segment.clock(
        ofPlace: segment.rate.sample(of: quarter, parts: MTCLine.parts, sampleRate: sampleRate))
      guard clock < range.upperBound else { return }
      // Eight pieces encode the frame in which the first piece is sent; its number is even.
      let piece = (segment.start * MTCLine.parts + quarter) & 7
      if piece == 0 || next == quarter {
        let frame = (quarter - piece) >> 2
        buffer.append(
          .quarterFrame(piece: UInt8(piece), of: segment.time(ofFrame: frame), segment.rate),
          at: Int(clock - period.lowerBound))
        next = quarter + 1
      }
      quarter += 1
    }
  }
}
