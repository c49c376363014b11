/// A session document that the simulator writes: it knows where each of its onsets must be.
struct Document: Equatable {
  struct Section: Equatable {
    let bars: Int
    let thousandths: Int
    let notes: Int
    let unit: Int
    let subdivision: Int
  }

  let number: Int
  let sections: [Section]
  /// Whether it is written as a map for klick, whose tempos count quarters.
  let isMap: Bool

  var name: String { "song-\(number).\(isMap ? "klick" : "yaml")" }

  var text: String {
    isMap
      ? sections.map { "\($0.bars) \($0.notes)/\($0.unit) \(decimal($0.thousandths * 4 / $0.unit))\n" }
        .joined()
      : "title: Song \(number)\nsections:\n"
        + sections.map {
          """
            - bars: \($0.bars)
              tempo: \(decimal($0.thousandths))
              meter: \($0.notes)/\($0.unit)
              subdivisions: {\($0.subdivision): 0.5}

          """
        }.joined()
  }

  private func decimal(_ thousandths: Int) -> String {
    let rest = String(thousandths % 1_000)
    return "\(thousandths / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}

extension Document: CustomStringConvertible {
  var description: String {
    "\(name) ("
      + sections.map { "\($0.bars) bars of \($0.notes)/\($0.unit) at \(decimal($0.thousandths))" }
      .joined(separator: ", ") + ")"
  }
}
