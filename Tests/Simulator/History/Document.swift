/// A session document that the simulator writes, with the exact place of each onset.
struct Document: Equatable {
  struct Section: Equatable {
    let bars: Int
    let thousandths: Int
    let notes: Int
    let unit: Int
    let subdivision: Int
    /// Numbered from 1; sections of a klick map have no number.
    var layers: [LayerPattern] = []
  }

  let number: Int
  let sections: [Section]
  /// Whether it is written as a klick map, whose tempos count quarters.
  let isMap: Bool
  /// Bars of the count-in; 0 if there is none.
  var countIn = 0

  var name: String { "song-\(number).\(isMap ? "klick" : "yaml")" }

  /// The bar of the song, from 1.
  /// - Parameter section: from 1. The count-in counts as a section.
  func bar(_ bar: Int, ofSection section: Int) -> Int {
    sections.prefix(section - (countIn > 0 ? 2 : 1)).reduce(0) { $0 + $1.bars } + bar
  }

  var text: String {
    isMap
      ? sections.map {
        "\($0.bars) \($0.notes)/\($0.unit) \(Document.decimal($0.thousandths * 4 / $0.unit))\n"
      }
      .joined()
      : "title: Song \(number)\n\(countIn > 0 ? "count-in: \(countIn)\n" : "")sections:\n"
        + sections.map {
          """
            - bars: \($0.bars)
              tempo: \(Document.decimal($0.thousandths))
              meter: \($0.notes)/\($0.unit)
              subdivisions: {\($0.subdivision): 0.5}
              layers: [\($0.layers.map(\.entry).joined(separator: ", "))]

          """
        }.joined()
  }

  /// The name of the setlist of some songs.
  static func medley(of songs: [Document]) -> String { "medley-\(songs[0].number).yaml" }

  /// A setlist whose songs follow each other without a pause.
  static func text(ofMedley songs: [Document]) -> String {
    "songs:\n" + songs.map { "  - {file: \($0.name), then: 0}\n" }.joined()
  }

  static func decimal(_ thousandths: Int) -> String {
    let rest = String(thousandths % 1_000)
    return "\(thousandths / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}

extension Document: CustomStringConvertible {
  var description: String {
    "\(name) (\(countIn > 0 ? "a count-in of \(countIn), " : "")"
      + sections.map {
        "\($0.bars) bars of \($0.notes)/\($0.unit) at \(Document.decimal($0.thousandths))"
          + $0.layers.map { " with \($0.text)" }.joined()
      }
      .joined(separator: ", ") + ")"
  }
}
