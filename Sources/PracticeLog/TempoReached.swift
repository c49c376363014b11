/// The highest tempo of a take at which the player was in time.
struct TempoReached {
  /// The hits at one tempo, and how many of them were in the window.
  struct Row {
    let tempo: Double
    let hits: Int
    let inWindow: Int
  }

  /// The fewest hits for a result. Tempos that differ by at most `nearness` count together, because each bar of a ramp has
  /// another one.
  private static let (fewest, nearness) = (16, 0.95)
  /// How many tenths of the hits must be in the window.
  private static let tenths = 8

  /// In beats per minute; nil if the player was at no tempo in time.
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
