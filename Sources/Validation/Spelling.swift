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

  /// The known name that a name is similar to: a third of its letters differ at most, two are in the wrong order, or it is a whole
  /// word of a known name, as `port` of `osc-port`. nil if none is similar.
  package static func similar(to name: String, among known: [String]) -> String? {
    guard (3...limit).contains(name.utf8.count) else { return nil }
    let letters = name.lowercased()
    func isNear(_ known: String, _ distance: Int) -> Bool {
      distance <= letters.count / 3 || distance == 2 && letters.sorted() == known.sorted()
    }
    let nearest = known.map { (name: $0, distance: distance(letters, $0)) }.filter(isNear)
      .min { $0.distance < $1.distance }
    let isWord = { (known: String) in known.split(separator: "-").contains { $0 == letters } }
    return nearest?.name ?? known.first(where: isWord)
  }

  /// The known name that a name with one slip stands for: a letter too many or too few, another letter, two letters in the
  /// wrong order, or capitals. nil if the name is known, has fewer than three letters, or could stand for several.
  /// Another digit is no slip: the names of numbered things differ in nothing else.
  /// - Parameter known: a name may occur more than once.
  package static func corrected(_ name: String, among known: some Sequence<String>) -> String? {
    guard (3...limit).contains(name.utf8.count) else { return nil }
    let letters = name.lowercased()
    let words = letters.filter { !$0.isNumber }
    var similar: Set<String> = []
    var isInCapitals = false
    // Most names differ in length. They cost no memory, because a network client may send many misspelled names.
    for known in known where abs(known.utf8.count - letters.utf8.count) <= 1 {
      if known == name { return nil }
      isInCapitals = isInCapitals || known == letters
      guard known.filter({ !$0.isNumber }) != words else { continue }
      let distance = distance(letters, known)
      if distance <= 1 || distance == 2 && letters.sorted() == known.sorted() { similar.insert(known) }
    }
    return isInCapitals ? letters : similar.count == 1 ? similar.first : nil
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
