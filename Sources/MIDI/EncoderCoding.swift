/// How an endless encoder encodes its detents in a controller value.
package enum EncoderCoding: String, CaseIterable, BitwiseCopyable, Sendable {
  /// 1 is one detent to the right, 127 one to the left.
  case twosComplement = "twos-complement"
  /// 1 is one detent to the right, 65 one to the left.
  case signedBit = "signed-bit"
  /// 65 is one detent to the right, 63 one to the left.
  case binaryOffset = "binary-offset"

  /// Detents turned; to the right positive.
  /// - Parameter value: 0…127.
  package func detents(_ value: UInt8) -> Int {
    let value = Int(value & 0x7F)
    return switch self {
    case .twosComplement: value < 64 ? value : value - 128
    case .signedBit: value < 64 ? value : 64 - value
    case .binaryOffset: value - 64
    }
  }
}
