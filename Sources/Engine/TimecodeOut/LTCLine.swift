import MusicTime
import Timecode

/// Linear timecode on its port. The level at a sample follows from the sample's place alone, so no error adds up.
struct LTCLine: BitwiseCopyable {
  let segments = TimecodeSegments()
  /// The first whole frame after a jump: readers can't decode a part of a frame.
  private var first = Int64.min
  private var frame = LTCFrame(Timecode(count: 0, rate: .pal), .pal)
  /// The number and rate of `frame`.
  private var shown: (count: Int64, rate: TimecodeRate) = (0, .pal)

  /// Renders a period into a buffer of zeros.
  /// - Thread: audio
  @_noLocks
  mutating func render(
    _ period: Range<ClockFrame>, sampleRate: Int, level: Float, into buffer: UnsafeMutablePointer<Float>
  ) {
    var clock = period.lowerBound
    while clock < period.upperBound {
      if segments.nextFrame <= clock {
        segments.advance()
        let segment = segments.now
        first = segment.rate.unit(from: segment.place(at: clock), parts: 1, sampleRate: sampleRate)
        continue
      }
      let end = min(period.upperBound, segments.nextFrame)
      if segments.now.isRunning {
        render(clock..<end, sampleRate, level, buffer + Int(clock - period.lowerBound))
      }
      clock = end
    }
  }

  @_noLocks
  private mutating func render(
    _ range: Range<ClockFrame>, _ sampleRate: Int, _ level: Float, _ buffer: UnsafeMutablePointer<Float>
  ) {
    let segment = segments.now
    let start = segment.place(at: range.lowerBound)
    let end = segment.place(at: range.upperBound)
    var half = segment.rate.unit(from: start + 1, parts: LTCFrame.halves, sampleRate: sampleRate) - 1
    var sample = start
    while sample < end {
      let next = segment.rate.sample(of: half + 1, parts: LTCFrame.halves, sampleRate: sampleRate)
      let until = min(next, end)
      let isNegative = half < 0
      let number = isNegative ? (half + 1) / LTCFrame.halves - 1 : half / LTCFrame.halves
      if number >= first {
        show(number, segment)
        let value = frame.isHigh(Int(half - number * LTCFrame.halves)) ? level : -level
        while sample < until {
          buffer[Int(sample &- start)] = value
          sample &+= 1
        }
      }
      sample = until
      half += 1
    }
  }

  @_noLocks
  private mutating func show(_ number: Int64, _ segment: TimecodeSegment) {
    let count = segment.start + number
    guard count != shown.count || segment.rate != shown.rate else { return }
    shown = (count, segment.rate)
    frame = LTCFrame(Timecode(count: count, rate: segment.rate), segment.rate)
  }
}
