/// How an endless encoder tells in a controller's value by how many detents it was turned.
public enum EncoderCoding: String, CaseIterable, BitwiseCopyable, Sendable {
  /// 1 is one to the right, 127 one to the left.
  case twosComplement = "twos-complement"
  /// 1 is one to the right, 65 one to the left.
  case signedBit = "signed-bit"
  /// 65 is one to the right, 63 one to the left.
  case binaryOffset = "binary-offset"

  /// Detents to the right; to the left they are negative.
  /// - Parameter value: 0…127.
  public func detents(_ value: UInt8) -> Int {
    let value = Int(value & 0x7F)
    return switch self {
    case .twosComplement: value < 64 ? value : value - 128
    case .signedBit: value < 64 ? value : 64 - value
    case .binaryOffset: value - 64
    }
  }
}
