/// Combines the two halves of 14-bit controllers: controllers 0…31 are the coarse halves, 32…63 the fine ones.
package struct ControllerPairs: BitwiseCopyable, Sendable {
  /// The last coarse value of each controller on each channel.
  private var coarse = InlineArray<512, UInt8>(repeating: 0)

  package init() {}

  /// Handles one half.
  /// - Parameters:
  ///   - channel: 1…16.
  ///   - controller: 0…127.
  ///   - value: 0…127.
  /// - Returns: the pair's number, 0…31, and its value, 0…16383; nil for a controller that is not part of a pair. A coarse
  ///   half resets the fine one to 0, as the MIDI standard says.
  package mutating func take(channel: UInt8, controller: UInt8, value: UInt8) -> (
    controller: UInt8, value: UInt16
  )? {
    guard controller < 64, 1...16 ~= channel else { return nil }
    let number = controller & 0x1F
    let index = Int(channel - 1) * 32 + Int(number)
    if controller < 32 { coarse[index] = value & 0x7F }
    return (number, UInt16(coarse[index]) << 7 | (controller < 32 ? 0 : UInt16(value & 0x7F)))
  }
}
