import TimeCheck

/// Finds faults in the samples of an input, independently of its detector.
///
/// It has no clock: it counts samples.
package struct InputWatch {
  package enum Fault: CaseIterable, Sendable {
    /// Samples are infinite or not a number. Detectors treat them as silence.
    case noNumbers
    /// A steady loud sound hides strokes, for example feedback.
    case steady
    /// The peaks of strokes are clipped.
    case clipped
  }

  /// The length of a block, in seconds.
  private static let block = 0.020
  /// A sound is steady if `steadyBlocks` blocks in a row (2 s) have at least the RMS level `loud`, −12 dB of full scale.
  private static let (loud, steadyBlocks) = (Float(0.25), 100)
  /// `flat` samples in a row at full scale are a clip. `clips` of them within `clippedBlocks` blocks (30 s) are a fault.
  private static let (flat, clips, clippedBlocks) = (3, 8, 1_500)
  /// Converters reach −1 and a little less than 1.
  private static let fullScale: Float = 0.999
  /// The number of blocks (10 s) without a fault before it is reported again.
  private static let rest = 500

  private let length: Int
  private let mode: ListeningSetup.Mode
  /// Of the present block: its samples so far, the sum of their squares, and how many are infinite or not a number.
  private var filled = 0
  private var power: Float = 0
  private var strange = 0
  private var blocks = 0
  /// Consecutive loud blocks.
  private var loudBlocks = 0
  /// Consecutive samples at full scale, the clips counted, and the block at which that count began.
  private var atFullScale = 0
  private var clips = 0
  private var clipsBegin = 0
  /// The last block with each reported fault.
  private var last: [Fault: Int] = [:]

  package init(sampleRate: Int, mode: ListeningSetup.Mode) {
    length = max(Int(Double(sampleRate) * InputWatch.block), 1)
    self.mode = mode
  }

  /// Examines samples that continue those of the last call.
  /// - Returns: the faults that are new, or that return after 10 s without them.
  package mutating func look(at samples: [Float]) -> [Fault] {
    var found: [Fault] = []
    for sample in samples {
      let level = abs(sample)
      if !sample.isFinite { strange += 1 } else { power += min(level, 4) * min(level, 4) }
      if level >= InputWatch.fullScale {
        atFullScale += 1
        if atFullScale == InputWatch.flat { clips += 1 }
      } else {
        atFullScale = 0
      }
      filled += 1
      if filled == length { found += endBlock() }
    }
    return found
  }

  private mutating func endBlock() -> [Fault] {
    defer { (filled, power, strange) = (0, 0, 0) }
    blocks += 1
    loudBlocks = power > InputWatch.loud * InputWatch.loud * Float(length) ? loudBlocks + 1 : 0
    if blocks - clipsBegin > InputWatch.clippedBlocks { (clips, clipsBegin) = (0, blocks) }
    return Fault.allCases.filter { has($0) && isNews($0) }
  }

  private func has(_ fault: Fault) -> Bool {
    switch fault {
    case .noNumbers: strange > 0
    // An input that is only recorded has no strokes to hide.
    case .steady: mode != .record && loudBlocks >= InputWatch.steadyBlocks
    // A trigger's pulses may clip: only their start matters.
    case .clipped: mode == .mic && clips >= InputWatch.clips && loudBlocks < InputWatch.steadyBlocks
    }
  }

  private mutating func isNews(_ fault: Fault) -> Bool {
    defer { last[fault] = blocks }
    // Clipping is reported once: players know it then, and may accept it.
    return last[fault].map { fault != .clipped && blocks - $0 > InputWatch.rest } ?? true
  }
}

extension InputWatch.Fault {
  /// The fault of an input and its remedy, in one sentence for the user.
  /// - Parameter port: the input's port.
  package func sentence(_ port: String) -> String {
    switch self {
    case .noNumbers:
      "\(port) receives samples that are not numbers, and treats them as silence: the connected program is faulty"
    case .steady:
      "\(port) receives a loud steady sound, which hides strokes: check for feedback, and check what is connected"
    case .clipped:
      "\(port): strokes clip: turn the input's gain down, or loud strokes all have the same strength"
    }
  }
}
