/// How loud the last stroke still rings, in blocks of a millisecond.
///
/// The ring is what was loudest a while ago, and not just now: a stroke that rises slowly would hide itself.
struct Ring {
  /// What after the last stroke was found is still the stroke itself, how far back the ring is looked for, and what may be the next stroke already,
  /// in blocks.
  private static let (attack, reach, rise) = (13, 40, 4)
  /// A stroke's first sample stands out of the ring's peak by this factor, and its scan time out of the ring's mean by that, squared:
  /// noise has peaks that mean nothing, and partials that beat rise slowly.
  private static let (peakFactor, powerFactor) = (Float(1.2), Float(1.5 * 1.5))

  private struct Block {
    var peak: Float = 0
    /// The sum of squares.
    var power: Float = 0
  }

  private let size: Int
  /// The newest last, at `count - 1` modulo their number.
  private var blocks = [Block](repeating: Block(), count: Ring.reach)
  private var count = 0
  /// The block that is being filled.
  private var block = Block()
  private var filled = 0
  /// The first block that can be the ring of the last stroke; nil before any stroke.
  private var first: Int?
  /// The ring's peak, and its mean square.
  private var ring = Block()
  /// The sum of squares since the signal rose, and of how many samples.
  private var risen = (power: Float(0), count: 0)

  /// - Parameter block: samples of a block.
  init(block: Int) { size = block }

  mutating func reset() { self = Ring(block: size) }

  /// The level below which a sample is part of the ring.
  var threshold: Float { Ring.peakFactor * ring.peak }

  mutating func beginRise(_ level: Float) { risen = (level * level, 1) }

  mutating func rise(_ level: Float) { risen = (risen.power + level * level, risen.count + 1) }

  /// Whether what rose is as much louder than the ring as a stroke is.
  var isStroke: Bool { risen.power >= Ring.powerFactor * ring.power * Float(risen.count) }

  /// Notes that what rose was a stroke.
  mutating func strike() {
    first = count + Ring.attack
    ring = Block()
  }

  /// Takes a sample's level.
  mutating func take(_ level: Float, isRising: Bool) {
    block.peak = max(block.peak, level)
    block.power += level * level
    filled += 1
    guard filled == size else { return }
    blocks[count % Ring.reach] = block
    count += 1
    (block, filled) = (Block(), 0)
    // What rises is compared with what was before it.
    if !isRising { measure() }
  }

  private mutating func measure() {
    ring = Block()
    guard let first else { return }
    for index in max(first, count - Ring.reach)..<max(first, count - Ring.reach, count - Ring.rise) {
      let block = blocks[index % Ring.reach]
      ring.peak = max(ring.peak, block.peak)
      ring.power = max(ring.power, block.power / Float(size))
    }
  }
}
