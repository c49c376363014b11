/// How loud a drum still rings after its last stroke.
///
/// It is measured in blocks of a millisecond, and is the loudest of the last blocks without the newest ones. These may belong to the next
/// stroke already, which would hide itself if it rises slowly.
struct Resonance {
  /// In blocks: how long the last stroke itself lasts after it was found, how many of the last blocks are looked at, and how many of the
  /// newest are left out.
  private static let (attack, reach, rise) = (13, 40, 4)
  /// By how much a stroke exceeds the ring: its first sample the peak, and its scan time the mean square. The peaks of noise mean little,
  /// and partials that beat rise slowly.
  private static let (peakFactor, powerFactor) = (Float(1.2), Float(1.5 * 1.5))

  private struct Block {
    var peak: Float = 0
    /// The sum of squares.
    var power: Float = 0
  }

  private let size: Int
  /// The newest last, at `count - 1` modulo their number.
  private var blocks = [Block](repeating: Block(), count: Resonance.reach)
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

  mutating func reset() { self = Resonance(block: size) }

  /// The level below which a sample is part of the ring.
  var threshold: Float { Resonance.peakFactor * ring.peak }

  mutating func beginRise(_ level: Float) { risen = (level * level, 1) }

  mutating func rise(_ level: Float) { risen = (risen.power + level * level, risen.count + 1) }

  /// Whether what rose is as much louder than the ring as a stroke is.
  var isStroke: Bool { risen.power >= Resonance.powerFactor * ring.power * Float(risen.count) }

  /// Notes that what rose was a stroke.
  mutating func strike() {
    first = count + Resonance.attack
    ring = Block()
  }

  /// Takes a sample's level.
  mutating func take(_ level: Float, isRising: Bool) {
    block.peak = max(block.peak, level)
    block.power += level * level
    filled += 1
    guard filled == size else { return }
    blocks[count % Resonance.reach] = block
    count += 1
    (block, filled) = (Block(), 0)
    // What rises is compared with what was before it.
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
