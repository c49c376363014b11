import TestNumbers

/// Datagrams of malicious senders.
enum Senders {
  /// Datagrams of which most are damaged.
  static func garbage(_ seed: UInt64, wallClock: Int64) -> [[UInt8]] {
    var numbers = Generator(seed: seed)
    let whole = OSCLine.bytes(
      [
        Deed.Message(address: "/tactus/tempo", arguments: [.float(120)]),
        Deed.Message(address: "/tactus/sound", arguments: [.text("sine")]),
      ], at: wallClock)[0]
    return (0..<numbers.number(1...20)).map { _ in
      var bytes = whole
      for _ in 0..<numbers.number(1...8) {
        bytes[numbers.number(0...bytes.count - 1)] = UInt8(numbers.number(0...255))
      }
      return Array(bytes.prefix(numbers.number(0...bytes.count)))
    }
  }

  /// Many datagrams: tempos, volumes, pings and addresses that don't exist.
  static func flood(_ count: Int, _ seed: UInt64) -> [[UInt8]] {
    var numbers = Generator(seed: seed)
    return (0..<count).map { _ in
      let message =
        switch numbers.number(1...6) {
        case 1: Deed.Message(address: "/tactus/tempo", arguments: [.float(Float(numbers.number(60...200)))])
        case 2: Deed.Message(address: "/tactus/ping", arguments: [])
        case 3: Deed.Message(address: "/tactus/nonsense", arguments: [.int(1)])
        default:
          Deed.Message(
            address: "/tactus/volume", arguments: [.float(Float(numbers.number(0...1_000)) / 1_000)])
        }
      return OSCLine.bytes([message])[0]
    }
  }
}
