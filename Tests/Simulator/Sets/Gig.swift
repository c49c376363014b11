import TestNumbers

/// A set of ten songs, as documents. Some songs have sections that last until the player goes on; some songs follow
/// automatically.
struct Gig {
  struct Section: Equatable {
    /// Number of bars; nil if the section lasts until the player goes on.
    let bars: Int?
    let thousandths: Int
  }

  struct Song: Equatable {
    /// Beats in each bar. No two songs have the same number, so that the beats identify the song.
    let beats: Int
    /// Bars.
    let countIn: Int
    let sections: [Section]
    /// Milliseconds until the next song starts; nil if it waits.
    let pause: Int?

    /// Whether the next song must begin on the frame on which this one ends. On a busy machine the conductor hears a quarter of a
    /// second late that a song has begun, and of a shorter song it can't name the next one in time.
    var isFollowedAtOnce: Bool { pause == 0 && leastTime >= 1_000 }

    /// Milliseconds that it lasts at least.
    private var leastTime: Int {
      sections.reduce(0) { $0 + ($1.bars ?? 1) * beats * 60_000_000 / $1.thousandths }
    }
  }

  static let songCount = 10

  let songs: [Song]

  init(_ random: inout Generator) {
    // Most sets are fast, which takes less time to simulate; some have stage tempos.
    let tempos = random.oneIn(8) ? 80_000...200_000 : 300_000...900_000
    songs = (0..<Gig.songCount).map { index in
      Song(
        beats: index + 2, countIn: random.oneIn(3) ? random.number(1...2) : 0,
        sections: (0..<random.number(1...3)).map { _ in
          Section(bars: random.oneIn(4) ? nil : random.number(1...2), thousandths: random.number(tempos))
        }, pause: random.oneIn(3) ? max(0, random.number(-500...1_500)) : nil)
    }
  }

  /// The documents by name. `Gig.name` is the set itself.
  var files: [String: String] {
    var files = [Gig.name: "title: Tonight\nsongs:\n"]
    for (index, song) in songs.enumerated() {
      let name = "song-\(index + 1).yaml"
      let then = song.pause.map { "\($0) ms" } ?? "wait"
      files[Gig.name]! += "  - {file: \(name), then: \(then)}\n"
      files[name] = text(of: song, number: index + 1)
    }
    return files
  }

  static let name = "tonight.yaml"

  private func text(of song: Song, number: Int) -> String {
    let countIn = song.countIn > 0 ? "count-in: \(song.countIn)\n" : ""
    return "title: Song \(number)\n\(countIn)defaults: {meter: \(song.beats)/4}\nsections:\n"
      + song.sections.map { section in
        let length = section.bars.map { "bars: \($0)" } ?? "until: next"
        return "  - {\(length), tempo: \(Document.decimal(section.thousandths))}\n"
      }.joined()
  }
}
