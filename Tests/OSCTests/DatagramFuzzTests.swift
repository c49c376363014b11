import OSC
import OSCBench
import TestNumbers
import Testing

@Suite struct DatagramFuzzTests {
  /// Changes a few bytes, words or lengths, in ways that tend to reach past the first check.
  private func mutate(_ bytes: [UInt8], _ random: inout Generator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: bytes.indices, using: &random)
      let aligned = place & ~3
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes[place] = .random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes[place] = 0
      case 3: bytes.removeSubrange(aligned..<min(aligned + 4, bytes.count))
      case 4: bytes.insert(contentsOf: word(.random(in: 0...12, using: &random)), at: aligned)
      case 5: bytes[place] = Array("#/,ihfdsSbtcmTFNI[]{}*?".utf8).randomElement(using: &random) ?? 0
      case 6: bytes.append(contentsOf: corpus.randomElement(using: &random) ?? [])
      default:
        let value: UInt32 =
          [0, 1, 4, 0x7fff_ffff, 0x8000_0000, 0xffff_fffc, 0xffff_ffff].randomElement(using: &random) ?? 0
        bytes.replaceSubrange(aligned..<min(aligned + 4, bytes.count), with: word(value))
      }
    }
    return bytes
  }

  /// What a datagram is read as, or why it is refused.
  private enum Reading: Equatable {
    case messages([OSCMessage])
    case fault(OSCFault)

    init(_ read: () throws(OSCFault) -> [OSCMessage]) {
      do throws(OSCFault) { self = .messages(try read()) } catch { self = .fault(error) }
    }
  }

  @Test func whatIsAcceptedOfHalfAMillionMutationsReadsTheSameInLiblo() {
    var random = Generator(seed: 7)
    var accepted = 0
    for _ in 0..<500_000 {
      let bytes = mutate(corpus.randomElement(using: &random) ?? [], &random)
      let read = Reading { () throws(OSCFault) in try OSCDatagram(bytes).messages }
      let expected = Reading { () throws(OSCFault) in try ReferenceDatagram(bytes).messages }
      if read != expected { Issue.record("\(bytes): \(read), not \(expected)") }
      if case .messages = read { accepted += 1 }
    }
    #expect(accepted > 50_000, "the mutations must reach liblo often enough to tell")
  }

  @Test func randomBytesOfAnyLengthAreSurvived() {
    var random = Generator(seed: 8)
    for round in 0..<100_000 {
      var bytes = (0..<round % 260).map { _ in UInt8.random(in: 0...255, using: &random) }
      if round % 3 == 0 { bytes = bundle() + bytes }
      if round % 5 == 0 { bytes = padded("/a") + [UInt8(ascii: ",")] + bytes }
      _ = try? OSCDatagram(bytes).messages
    }
  }
}
