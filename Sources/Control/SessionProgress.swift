import Engine
import MusicTime

/// Where a session is.
public struct SessionProgress: Equatable, Sendable {
  /// The song, from 1, and how many there are.
  public var song = 1
  public var songs = 1
  /// Whether the song can be played: its sounds are read and its texts are spoken.
  public var isReady = false
  public var title = ""
  /// The section's name, and its colour as the document writes it.
  public var section = ""
  public var colour = ""
  /// The bar of the section, from 1; 0 before it begins. How many bars it has, as far as that is known; 0 where it goes on
  /// until told.
  public var bar = 0
  public var bars = 0
  /// Whole seconds left in the section and in the song; nil where they go on until told.
  public var sectionLeft: Int?
  public var songLeft: Int?
  /// The name of what comes next: a section, a song, or nothing.
  public var next = ""
  /// The bar that plays.
  public var layout: BarLayout
  /// Beats a minute as they play, at the present speed; nil where the section's tempo moves.
  public var tempo: Tempo?
  /// Percent of the document's tempos.
  public var speed = 100
  public var isPaused = false
  /// Whether the section is played again and again.
  public var isHeld = false

  public init(layout: BarLayout) { self.layout = layout }
}

/// A score's sections on the frame axis, for telling how far the music is.
struct SectionMap {
  let sampleRate: Int
  /// Where each section of the score begins, and where the last ends; nil where that is never.
  private let starts: [Int64]
  private let lastEnd: Int64?
  /// Where the score ends: not where it goes round.
  let end: Int64?
  /// Where the last beat begins; nil where the score has none.
  let lastBeat: Int64?
  /// Bars that count in, before bar 1.
  let countInBars: Int

  init(_ sections: Score.Sections) {
    sampleRate = sections.sampleRate
    starts = sections.startFrames
    lastEnd = sections.lastFrame
    end = sections.endFrame
    lastBeat = sections.lastBeatFrame
    countInBars = sections.countInBars
  }

  /// Where a section begins.
  func start(_ section: Int) -> Int64 { starts[min(section, starts.count - 1)] }

  /// Where a section ends; nil where that is never.
  func end(_ section: Int) -> Int64? { section + 1 < starts.count ? starts[section + 1] : lastEnd }

  /// The section in which a frame lies.
  func section(at frame: Int64) -> Int {
    var (low, high) = (1, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= frame { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// Whole seconds from a frame of the score to another, rounded up.
  func seconds(from frame: Int64, to end: Int64) -> Int {
    Int((max(0, end - frame) + Int64(sampleRate) - 1) / Int64(sampleRate))
  }
}
