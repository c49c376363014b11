import CLTC
import Timecode

/// libltc's decoder.
final class LTCReader {
  struct Frame: Equatable {
    let time: String
    /// The sample of its first edge, and the one after its last.
    let start: Int64
    let end: Int64
    let isDropFrame: Bool
  }

  private let decoder: OpaquePointer
  private var place: Int64

  /// - Parameters:
  ///   - perFrame: the approximate number of samples in a timecode frame.
  ///   - start: the number of the first sample.
  init(perFrame: Int, from start: Int64 = 0) {
    decoder = ltc_decoder_create(Int32(perFrame), 4_096)
    place = start
  }

  deinit { ltc_decoder_free(decoder) }

  func read(_ samples: [Float]) -> [Frame] {
    var frames: [Frame] = []
    var samples = samples
    samples.withUnsafeMutableBufferPointer { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = min(rest.count, 1_024)
        ltc_decoder_write_float(decoder, buffer.baseAddress! + rest.startIndex, count, ltc_off_t(place))
        place += Int64(count)
        rest = rest.dropFirst(count)
        var frame = LTCFrameExt()
        while ltc_decoder_read(decoder, &frame) != 0 {
          var time = SMPTETimecode()
          ltc_frame_to_time(&time, &frame.ltc, 0)
          let numbers = [time.hours, time.mins, time.secs, time.frame].map { ($0 < 10 ? "0" : "") + "\($0)" }
          frames.append(
            Frame(
              time: numbers.joined(separator: ":"), start: Int64(frame.off_start),
              end: Int64(frame.off_end) + 1,
              isDropFrame: frame.ltc.dfbit != 0))
        }
      }
    }
    return frames
  }
}
