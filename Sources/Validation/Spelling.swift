/// Finds the known name that a misspelled one stands for.
package enum Spelling {
  /// The maximum length of a compared name, in bytes.
  private static let limit = 32

  /// The most similar known name, for a suggestion; nil if none is similar.
  package static func nearest(to name: String, among known: [String]) -> String? {
    guard name.utf8.count <= limit else { return nil }
    let nearest = known.map { (name: $0, distance: distance(name.lowercased(), $0)) }
      .min { $0.distance < $1.distance }
    guard let nearest, nearest.distance <= max(2, nearest.name.count / 2) else { return nil }
    return nearest.name
  }

  /// The known name that a name with one slip stands for: a letter too many or too few, another letter, or two letters in the
  /// wrong order. nil if there is none, or if the name has fewer than three letters.
  package static func corrected(_ name: String, among known: [String]) -> String? {
    guard (3...limit).contains(name.utf8.count) else { return nil }
    let letters = name.lowercased()
    return known.first { known in
      guard known != name, abs(known.utf8.count - letters.utf8.count) <= 1 else { return false }
      let distance = distance(letters, known)
      return distance <= 1 || distance == 2 && letters.sorted() == known.sorted()
    }
  }

  /// The number of letters to insert, delete or replace to turn one text into the other (Levenshtein distance).
  private static func distance(_ a: String, _ b: String) -> Int {
    let b = Array(b)
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in b.indices {
        let change = diagonal + (letter == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}
