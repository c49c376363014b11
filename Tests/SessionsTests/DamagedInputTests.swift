import Control
import Foundation
import MusicTime
import Sessions
import TestNumbers
import Testing

/// Ten thousand damaged inputs to each reader, the same in every run; `make fuzz` has a million of libFuzzer's own.
@Suite struct DamagedInputTests {
  /// Words of documents and maps, and similar ones.
  static let words = [
    "bars: 0", "- ", ": ", "\n", "\r\n", "\t", "  ", "sections:", "repeat: 99999", "tempo: 1e9", "7/8",
    "99/99", "[", "]",
    "{", "}", "&a", "*a", "!!int", "|", "'", "\"", "#", "---", "~", "-1", "0.0000001", "9223372036854775808",
    "120-", "\0",
    "\u{FEFF}", "é", "X.xX",
  ]

  @Test(
    "A damaged document is played or refused with its place",
    arguments: [ExampleTests.files.filter { $0 != "README.md" }])
  func documents(files: [String]) throws {
    let folder = try DocumentFolder()
    var random = Generator(seed: 17)
    let whole = try files.map {
      ($0, [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(examples)/\($0)"))))
    }
    // The files that the setlist names are intact.
    for (name, bytes) in whole { try folder.write(name, bytes) }
    var played = 0
    for round in 0..<10_000 {
      let (name, bytes) = whole[round % whole.count]
      let path = try folder.write("damaged-" + name, random.damaged(bytes, with: DamagedInputTests.words))
      if try isPlayed({ () throws(Faults) in try SessionLoader(sounds: ["sine"]).load(path).songs.map(\.song)
      }) {
        played += 1
      }
    }
    #expect(100...9_900 ~= played, "both have to happen often enough to tell")
  }

  @Test("A damaged map of klick is played or refused with its place") func maps() throws {
    var random = Generator(seed: 18)
    let whole =
      try ["\(examples)/blues.klick"].map { try String(contentsOfFile: $0, encoding: .utf8) }
      + KlickMapTests.maps.map(\.text)
    var played = 0
    for round in 0..<10_000 {
      let bytes = random.damaged(Array(whole[round % whole.count].utf8), with: DamagedInputTests.words)
      let text = String(decoding: bytes, as: UTF8.self)
      if try isPlayed({ () throws(Faults) in [try KlickMap(text, file: "map.klick").plan()] }) { played += 1 }
    }
    #expect(100...9_900 ~= played, "both have to happen often enough to tell")
  }

  /// Whether the input gives songs; otherwise each fault must have a place.
  private func isPlayed(_ load: () throws(Faults) -> [SongPlan]) throws -> Bool {
    do throws(Faults) {
      let songs = try load()
      #expect(!songs.isEmpty && songs.allSatisfy { !$0.plans.isEmpty })
      return true
    } catch {
      #expect(
        !error.faults.isEmpty && error.faults.allSatisfy { $0.line > 0 && $0.column > 0 && !$0.what.isEmpty })
      return false
    }
  }
}

extension Generator {
  /// A few bytes changed, taken out, doubled, or words put between them.
  mutating func damaged(_ bytes: [UInt8], with words: [String]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let place = Int.random(in: 0...bytes.count, using: &self)
      let end = min(place + Int.random(in: 1...12, using: &self), bytes.count)
      switch Int.random(in: 0..<5, using: &self) {
      case 0 where place < end: bytes[place] = .random(in: 0...255, using: &self)
      case 1 where place < end: bytes[place] = .random(in: 32...126, using: &self)
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      default: bytes.insert(contentsOf: words.randomElement(using: &self)!.utf8, at: place)
      }
    }
    return bytes
  }
}
