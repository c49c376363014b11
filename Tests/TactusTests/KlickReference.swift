import Glibc

/// A reference for klick maps from the definition of their grammar, without the program's code: the time and sound of each
/// beat.
struct KlickReference {
  enum Kind: Equatable { case accent, beat, silent }

  private(set) var beats: [(seconds: Double, kind: Kind, volume: Double)] = []
  private(set) var seconds = 0.0

  /// The map must be valid.
  init(_ map: String) {
    for line in map.split(whereSeparator: \.isNewline) {
      let content = line.prefix { $0 != "#" }.replacing(":", with: ": ")
      var words = content.split { " \t\r".contains($0) }.map(String.init)
      if words.first?.hasSuffix(":") == true { words.removeFirst() }
      guard !words.isEmpty else { continue }
      let bars = Int(words.removeFirst())!
      var meter = [4, 4]
      if words[0].contains("/") { meter = words.removeFirst().split(separator: "/").map { Int($0)! } }
      let tempo = words.removeFirst()
      var pattern = [Character]("X" + String(repeating: "x", count: meter[0] - 1))
      if let word = words.first, word.allSatisfy({ "Xx.".contains($0) }) {
        pattern = Array(words.removeFirst())
      }
      let volume = words.first.map { Double($0)! } ?? 1
      let place = KlickReference.placement(tempo, beats: bars * meter[0], quarters: 4 / Double(meter[1]))
      for beat in 0..<bars * meter[0] {
        let letter = pattern[beat % meter[0]]
        let kind: Kind = letter == "." || volume == 0 ? .silent : letter == "X" ? .accent : .beat
        beats.append((seconds + place(Double(beat)), kind, volume))
      }
      seconds += place(Double(bars * meter[0]))
    }
  }

  /// Seconds from an entry's start to one of its beats, which has so many quarters.
  private static func placement(_ tempo: String, beats: Int, quarters: Double) -> (Double) -> Double {
    if tempo.contains(",") {
      let lengths = tempo.split(separator: ",").map { 60 * quarters / Double($0)! }
      return { lengths.prefix(Int($0)).reduce(0, +) }
    }
    let ends = tempo.split(separator: "-").map { Double($0)! }
    let (first, rise) = (ends[0], ends.last! - ends[0])
    guard rise != 0 else { return { $0 * 60 * quarters / first } }
    // The integral of 60/t over the beats, where t is linear in them.
    let count = Double(beats)
    return { 60 * quarters * count / rise * log((first + rise * $0 / count) / first) }
  }
}
