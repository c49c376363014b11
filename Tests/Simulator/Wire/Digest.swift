import OSC
import OSCControl

/// A running digest (FNV-1a) of a history's results.
struct Digest: Equatable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ number: UInt64) {
    value = (value ^ number) &* 0x100_0000_01B3
    value ^= value >> 29
  }

  mutating func add(_ text: some Sequence<UInt8>) { for byte in text { add(UInt64(byte)) } }

  /// - Parameter folder: a path that differs between runs and is left out.
  mutating func add(_ message: OSCMessage, without folder: String) {
    add(message.address.utf8)
    for argument in message.arguments {
      switch argument {
      case .int32(let number): add(UInt64(bitPattern: Int64(number)))
      case .float(let number): add(UInt64(number.bitPattern))
      case .string(let text): add((text.hasPrefix(folder) ? text.dropFirst(folder.count) : text[...]).utf8)
      default: add("\(argument)".utf8)
      }
    }
  }

  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
