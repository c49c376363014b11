import Engine
import MusicTime

/// Aligns the click and the inputs: each sample is placed at the time at which the player heard or played it.
///
/// The player hears a sample later than its clock frame by the playback latency, and has played a captured sample earlier by
/// the capture latency and the calibration. Missing frames are silence. It has no clock and no file.
struct TrackAligner {
  /// A longer jump of the clock, in seconds, is not a gap in the file: it ends the file.
  private static let longestGap = 10

  /// By how many frames each track is later than the clock; negative is earlier.
  private(set) var shifts: [Int]
  private let sampleRate: Int
  /// The frame with which the file begins, on the axis of the aligned time.
  let begin: ClockFrame
  /// Samples of each track that have not been taken yet; the first one belongs to the frame `begin + written`.
  private var tracks: [[Float]]
  /// Frames that have been taken.
  private(set) var written = 0
  /// Frames without captured audio, as ranges from the file's start.
  private(set) var gaps: [Range<Int>] = []
  /// The clock frame that follows the last block.
  private var nextClock: ClockFrame?

  /// - Parameters:
  ///   - shifts: by how many frames each track is later than the clock: positive for the click, negative for inputs.
  ///   - begin: the frame with which the file begins, on the axis of the aligned time.
  init(shifts: [Int], begin: ClockFrame, sampleRate: Int) {
    (self.shifts, self.begin, self.sampleRate) = (shifts, begin, sampleRate)
    tracks = Array(repeating: [], count: shifts.count)
  }

  /// Sets the shifts, because latencies have changed.
  mutating func move(to shifts: [Int]) { self.shifts = shifts }

  /// Whether a block belongs to the same file: the rate is the same, and the clock continues or has a gap that can be filled.
  func continues(_ block: Capture.Block) -> Bool {
    guard block.sampleRate == sampleRate else { return false }
    guard let nextClock else { return true }
    return block.clock >= nextClock && block.clock - nextClock <= Int64(TrackAligner.longestGap * sampleRate)
  }

  /// Adds a block with the samples of all tracks.
  mutating func add(_ block: Capture.Block, _ samples: [[Float]]) {
    if let nextClock, block.clock > nextClock {
      let start = max(Int(nextClock - begin), 0)
      let end = Int(block.clock - begin)
      if end > start { gaps.append(start..<end) }
      if gaps.count > 256 { gaps = [gaps[0].lowerBound..<end] }
    }
    nextClock = block.clock + Int64(block.count)
    for track in tracks.indices { place(samples[track], at: block.clock + Int64(shifts[track]), on: track) }
  }

  /// Places samples at a frame of the aligned time. Missing samples before them are silence; existing ones stay.
  private mutating func place(_ samples: [Float], at frame: ClockFrame, on track: Int) {
    let position = Int(frame - begin)
    let end = written + tracks[track].count
    if position >= end {
      tracks[track].append(contentsOf: repeatElement(0, count: position - end))
      tracks[track].append(contentsOf: samples)
    } else {
      tracks[track].append(contentsOf: samples.dropFirst(end - position))
    }
  }

  /// Takes the frames that all tracks have, as interleaved samples.
  /// - Parameter end: nil while more blocks will come. Otherwise frames that only some tracks have are included, up to this
  ///   frame of the file.
  mutating func take(until end: Int? = nil) -> [Float] {
    var count = end == nil ? tracks.map(\.count).min() ?? 0 : tracks.map(\.count).max() ?? 0
    if let end { count = min(count, max(end - written, 0)) }
    guard count > 0 else { return [] }
    var frames = [Float](repeating: 0, count: count * tracks.count)
    for (track, samples) in tracks.enumerated() {
      for index in 0..<min(count, samples.count) { frames[index * tracks.count + track] = samples[index] }
    }
    for track in tracks.indices { tracks[track].removeFirst(min(count, tracks[track].count)) }
    written += count
    return frames
  }
}
