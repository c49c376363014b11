/// Measures how loud a drum still rings after its last stroke.
///
/// The level is measured in blocks of a millisecond. The ring's level is that of the loudest of the last blocks, without the
/// newest ones: these may contain the attack of the next stroke, which would otherwise raise the threshold that it must exceed.
struct Resonance {
  /// In blocks: the length of a stroke after its detection, how many of the last blocks are compared, and how many of the
  /// newest are omitted.
  private static let (attack, reach, rise) = (13, 40, 4)
  /// By how much a stroke exceeds the ring: its first sample exceeds the peak, and its scan time the mean square. Peaks of
  /// noise mean little, and beating partials rise slowly.
  private static let (peakFactor, powerFactor) = (Float(1.2), Float(1.5 * 1.5))

  private struct Block {
    var peak: Float = 0
    /// The sum of squares.
    var power: Float = 0
  }

  private let size: Int
  /// A ring buffer; the newest block is at `count - 1` modulo `reach`.
  private var blocks = [Block](repeating: Block(), count: Resonance.reach)
  private var count = 0
  /// The incomplete block, and its samples so far.
  private var block = Block()
  private var filled = 0
  /// The first block that belongs to the ring of the last stroke; nil before the first stroke.
  private var first: Int?
  /// The ring's peak, and its mean square.
  private var ring = Block()
  /// The sum of squares since the signal rose above the threshold, and the number of its samples.
  private var risen = (power: Float(0), count: 0)

  /// - Parameter block: the number of samples in a block.
  init(block: Int) { size = block }

  mutating func reset() { self = Resonance(block: size) }

  /// The level below which a sample is part of the ring.
  var threshold: Float { Resonance.peakFactor * ring.peak }

  /// Notes the first sample above the threshold.
  mutating func beginRise(_ level: Float) { risen = (level * level, 1) }

  /// Notes a further sample of the scan time.
  mutating func rise(_ level: Float) { risen = (risen.power + level * level, risen.count + 1) }

  /// Whether the samples of the scan time exceed the ring by as much as a stroke does.
  var isStroke: Bool { risen.power >= Resonance.powerFactor * ring.power * Float(risen.count) }

  /// Notes a stroke: the ring is measured again after it.
  mutating func strike() {
    first = count + Resonance.attack
    ring = Block()
  }

  /// Notes the level of a sample; call it for each sample.
  /// - Parameter isRising: whether the sample is in a scan time.
  mutating func take(_ level: Float, isRising: Bool) {
    block.peak = max(block.peak, level)
    block.power += level * level
    filled += 1
    guard filled == size else { return }
    blocks[count % Resonance.reach] = block
    count += 1
    (block, filled) = (Block(), 0)
    // A rising signal is compared with the ring before it.
    if !isRising { measure() }
  }

  private mutating func measure() {
    ring = Block()
    guard let first else { return }
    let begin = max(first, count - Resonance.reach)
    for index in begin..<max(begin, count - Resonance.rise) {
      let block = blocks[index % Resonance.reach]
      ring.peak = max(ring.peak, block.peak)
      ring.power = max(ring.power, block.power / Float(size))
    }
  }
}
