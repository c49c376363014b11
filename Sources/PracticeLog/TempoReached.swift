/// The highest tempo of a take at which it was played in time.
struct TempoReached {
  /// The hits at one tempo, and how many of them were in the window.
  struct Row {
    let tempo: Double
    let hits: Int
    let inWindow: Int
  }

  /// The fewest hits of which that is told, at tempos that differ by no more than this factor: of a ramp each bar has another.
  private static let (fewest, nearness) = (16, 0.95)
  /// The part of the hits that must be in the window, in tenths.
  private static let tenths = 8

  /// Beats a minute; nil where nothing was played in time.
  let tempo: Double?

  /// - Parameter rows: each tempo once, the highest first.
  init(_ rows: [Row]) {
    var (end, hits, inWindow) = (0, 0, 0)
    for row in rows {
      while end < rows.count, rows[end].tempo >= TempoReached.nearness * row.tempo {
        (hits, inWindow) = (hits + rows[end].hits, inWindow + rows[end].inWindow)
        end += 1
      }
      if hits >= TempoReached.fewest, inWindow * 10 >= hits * TempoReached.tenths {
        tempo = row.tempo
        return
      }
      (hits, inWindow) = (hits - row.hits, inWindow - row.inWindow)
    }
    tempo = nil
  }
}
