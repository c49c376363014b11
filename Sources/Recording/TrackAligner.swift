import Engine

/// Puts the click and what the player plays side by side: each sample at the time at which it was heard or played.
///
/// A sample that leaves the engine at a clock frame is heard later by the playback latency, and one that arrives was played
/// earlier by the capture latency. Missing frames are silence. A value without a clock or a file.
struct TrackAligner {
  /// A jump of the clock further than this, in seconds, is no gap in a file but its end.
  private static let longestGap = 10

  /// By how many frames each track is moved.
  private(set) var shifts: [Int]
  private let sampleRate: Int
  /// The frame of the common time with which the file begins.
  let begin: Int64
  /// Samples of each track that are not written yet; the first one belongs to the frame `begin + written`.
  private var tracks: [[Float]]
  /// Frames handed over.
  private(set) var written = 0
  /// Frames in which nothing was heard, as ranges from the file's beginning.
  private(set) var gaps: [Range<Int>] = []
  /// The clock frame that follows the last block.
  private var nextClock: Int64?

  /// - Parameters:
  ///   - shifts: frames by which each track is later than the clock: positive for the click, negative for what is played.
  ///   - begin: in the common time.
  init(shifts: [Int], begin: Int64, sampleRate: Int) {
    (self.shifts, self.begin, self.sampleRate) = (shifts, begin, sampleRate)
    tracks = Array(repeating: [], count: shifts.count)
  }

  /// The latencies have changed.
  mutating func move(to shifts: [Int]) { self.shifts = shifts }

  /// Whether a block belongs to the same file: its clock goes on, or has a gap that is worth filling.
  func continues(_ block: Capture.Block) -> Bool {
    guard block.sampleRate == sampleRate else { return false }
    guard let nextClock else { return true }
    return block.clock >= nextClock && block.clock - nextClock <= Int64(TrackAligner.longestGap * sampleRate)
  }

  /// Takes a block of all tracks.
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

  /// Puts samples where they belong: what is missing before them is silence, and what is there already stays.
  private mutating func place(_ samples: [Float], at frame: Int64, on track: Int) {
    let position = Int(frame - begin)
    let end = written + tracks[track].count
    if position >= end {
      tracks[track].append(contentsOf: repeatElement(0, count: position - end))
      tracks[track].append(contentsOf: samples)
    } else {
      tracks[track].append(contentsOf: samples.dropFirst(end - position))
    }
  }

  /// The frames of which all tracks are known, the samples of a frame together.
  /// - Parameter end: whether no more will come: what only some tracks have is handed over too, up to this frame of the file.
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
