import TimeCheck

/// Finds what is wrong with the samples of an input, whatever its detector makes of them.
///
/// A value without a clock: it counts samples.
package struct InputWatch {
  /// What is wrong.
  package enum Fault: CaseIterable, Sendable {
    /// Samples that are no numbers, which are taken for silence.
    case noNumbers
    /// A steady sound in which no stroke stands out, as of feedback.
    case steady
    /// Strokes that are louder than the input can tell.
    case clipped
  }

  /// The length of a block, in seconds.
  private static let block = 0.020
  /// A sound is steady where each block is louder than this for so many: 2 s. Full scale is 1; that is −12 dB.
  private static let (loud, steadyBlocks) = (Float(0.25), 100)
  /// How many samples in a row at full scale are clipped, and how often that is in so many blocks (30 s) before it is told.
  private static let (flat, clips, clippedBlocks) = (3, 8, 1_500)
  /// Converters reach −1 and a little less than 1.
  private static let fullScale: Float = 0.999
  /// For so many blocks (10 s) a fault must be gone before it is told again.
  private static let rest = 500

  private let length: Int
  private let mode: ListeningSetup.Mode
  /// Of the present block: how many samples, their squares, and how many of them are no numbers.
  private var filled = 0
  private var power: Float = 0
  private var strange = 0
  private var blocks = 0
  /// Blocks in a row that are loud.
  private var loudBlocks = 0
  /// Samples in a row at full scale, how often there were enough, and when the counting began.
  private var atFullScale = 0
  private var clips = 0
  private var clipsBegin = 0
  /// The last block in which there was a fault that has been told.
  private var last: [Fault: Int] = [:]

  package init(sampleRate: Int, mode: ListeningSetup.Mode) {
    length = max(Int(Double(sampleRate) * InputWatch.block), 1)
    self.mode = mode
  }

  /// Looks at samples that follow on those before.
  /// - Returns: faults that were not there before, or have been gone for a while.
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
    // No stroke is looked for in what is only recorded.
    case .steady: mode != .record && loudBlocks >= InputWatch.steadyBlocks
    // A trigger's pulses may be as loud as they want.
    case .clipped: mode == .mic && clips >= InputWatch.clips && loudBlocks < InputWatch.steadyBlocks
    }
  }

  private mutating func isNews(_ fault: Fault) -> Bool {
    defer { last[fault] = blocks }
    // What clips is told once: it is known then.
    return last[fault].map { fault != .clipped && blocks - $0 > InputWatch.rest } ?? true
  }
}

extension InputWatch.Fault {
  /// What is wrong with an input, and what to do about it.
  /// - Parameter port: the input's port.
  package func sentence(_ port: String) -> String {
    switch self {
    case .noNumbers:
      "\(port): samples that are no numbers come in, and are taken for silence: the program that is connected there is broken"
    case .steady:
      "\(port): a loud steady sound comes in, which hides strokes: see whether the microphone feeds back, and what is connected"
    case .clipped: "\(port): strokes clip: turn the input's gain down, else soft and loud ones look alike"
    }
  }
}
