import Foundation

/// A sound file by its bytes.
enum RIFF {
  /// 10 ms of 1000 Hz at 48 kHz, 16 bit, mono.
  static var click: Data { sine(seconds: 0.01) }

  /// 1000 Hz at 48 kHz, 16 bit, mono.
  static func sine(seconds: Double) -> Data {
    func bytes<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    let samples = (0..<Int(48_000 * seconds)).map { Int16(16_000 * sin(Double($0) * 2 * .pi / 48)) }
    let data = samples.flatMap { bytes($0) }
    var file =
      Array("RIFF".utf8) + bytes(UInt32(36 + data.count)) + Array("WAVEfmt ".utf8) + bytes(UInt32(16))
    file += bytes(UInt16(1)) + bytes(UInt16(1)) + bytes(UInt32(48_000)) + bytes(UInt32(96_000))
    file += bytes(UInt16(2)) + bytes(UInt16(16)) + Array("data".utf8) + bytes(UInt32(data.count)) + data
    return Data(file)
  }
}
