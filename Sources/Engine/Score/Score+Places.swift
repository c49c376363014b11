/// Positions given in notes from the start, the unit of a MIDI clock.
extension Score {
  /// The bar that contains a position, numbered through the laps of a loop, and the whole notes since the bar's start.
  /// - Parameter wholes: whole notes from the score's start.
  /// - Thread: any, audio
  @_noLocks
  func place(wholes: Double) -> (bar: Int, wholes: Double) {
    var (inScore, lapBars) = (wholes, 0)
    let last = sections[sections.count - 1]
    if let loop, let end = last.end {
      let length = last.startWholes + last.wholes(bar: end.bar, step: end.step)
      let loopLength = length - sections[loop].startWholes
      if wholes >= length, loopLength > 0 {
        let laps = Int((wholes - length) / loopLength) + 1
        inScore -= Double(laps) * loopLength
        lapBars = laps * loopBars
      }
    }
    let section = sections[sectionIndex(atWholes: inScore)]
    let inSection = inScore - section.startWholes
    let barLength = section.wholes(bar: 2, step: 0)
    let bars = max(Int(inSection / barLength), 0)
    return (section.firstBar + bars + lapBars, inSection - Double(bars) * barLength)
  }

  /// The index of the section that contains a position; the first section for positions before the score.
  @_noLocks
  private func sectionIndex(atWholes wholes: Double) -> Int {
    var (low, high) = (1, sections.count)
    while low < high {
      let middle = (low + high) / 2
      if sections[middle].startWholes <= wholes { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }
}
