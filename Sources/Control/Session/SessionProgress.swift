import Engine
import MusicTime

/// The position in a session, for users.
package struct SessionProgress: Equatable, Sendable {
  /// A tempo change within the section.
  package struct Step: Equatable, Sendable {
    package var tempo: Tempo
    /// Bars until the change, including the current one.
    package var bars: Int

    package init(tempo: Tempo, bars: Int) { (self.tempo, self.bars) = (tempo, bars) }
  }

  /// The song's number, from 1, and the number of songs.
  package var song = 1
  package var songs = 1
  /// Whether the song can be played: its sounds are read and its texts are spoken.
  package var isReady = false
  package var title = ""
  /// The songs, and the sections of the current one; nil if no one lists them. The number of the current section, from 1.
  package var outline: SessionOutline?
  package var sectionNumber = 1
  /// The section's name, and its colour in the document's notation.
  package var section = ""
  package var colour = ""
  /// The bar in the section, from 1; 0 before it begins. The number of bars; 0 if the section is open or its length is a time.
  package var bar = 0
  package var bars = 0
  /// The round through the document's sections, from 1, and the number of rounds; 0 if they repeat without end.
  package var cycle = 1
  package var cycles = 1
  /// Whole seconds since the section and the song began. The song's is nil after a section that lasts until the player goes on.
  /// For a song that repeats without end it includes all rounds.
  package var sectionElapsed = 0
  package var songElapsed: Int? = 0
  /// The length of the section and of the song in seconds, rounded up; nil if they are open.
  package var sectionLength: Int?
  package var songLength: Int?
  /// Seconds left in the section and in the song, rounded up; nil if they are open.
  package var sectionLeft: Int?
  package var songLeft: Int?
  /// The name of the next section or song; empty if none follows. While a jump waits for its line, or for the server, it is the
  /// jump's target.
  package var next = ""
  /// Whether a jump is under way.
  package var isJumping = false
  /// The next step of a section whose tempo changes in steps; nil if there is none.
  package var nextStep: Step?
  /// The layout of the current bar.
  package var layout: BarLayout
  /// The tempo at the current speed; nil if the section's tempo changes.
  package var tempo: Tempo?
  /// The speed in percent of the document's tempos.
  package var speed = 100
  /// The nudge, in thousandths of a beat per minute.
  package var nudge = 0
  /// Seconds until the song starts automatically, rounded up; nil if it does not.
  package var startsIn: Int?
  package var isPaused = false
  /// Whether the count-in plays, or plays next.
  package var isCountIn = false
  /// Whether the last song has ended.
  package var isFinished = false
  /// The coaching of this section; nil if it is not coached.
  package var coaching: CoachProgress?
  /// The layers of the section.
  package var layers: [LayerPlan] = []
  /// The bars that the player has silenced.
  package var gap = Gap.off
  /// Whether the section repeats.
  package var isHeld = false
  /// The bars that repeat; nil if none do. The loop's first bar while its last bar is not marked; nil otherwise.
  package var loop: SessionBars?
  package var loopMark: SessionBars.Bar?

  package init(layout: BarLayout) { self.layout = layout }
}

/// The positions of a score's sections, in frames from its start.
struct SectionMap {
  let sampleRate: Int
  /// The start of each section, and the end of the last one; nil if it has no end.
  private let starts: [Int64]
  private let lastEnd: Int64?
  /// The end of the score; nil if it loops or has no end.
  let end: Int64?
  /// The start of the last beat; nil if there is none.
  let lastBeat: Int64?
  /// The number of count-in bars, before bar 1.
  let countInBars: Int
  private let sections: Score.Sections

  init(_ sections: Score.Sections) {
    self.sections = sections
    sampleRate = sections.sampleRate
    starts = sections.startFrames
    lastEnd = sections.lastFrame
    end = sections.endFrame
    lastBeat = sections.lastBeatFrame
    countInBars = sections.countInBars
  }

  /// The start of a section.
  func start(_ section: Int) -> Int64 { starts[min(section, starts.count - 1)] }

  /// The start of a bar; the end of its section for the bar after the last.
  func start(_ bar: BarRange.Bar) -> Int64 {
    sections.startFrame(ofBar: bar.bar, inSection: min(bar.section, starts.count - 1))
  }

  /// The end of a section; nil if it has no end.
  func end(_ section: Int) -> Int64? { section + 1 < starts.count ? starts[section + 1] : lastEnd }

  /// Number of bars of a section; nil if it is open.
  func bars(ofSection section: Int) -> Int? { sections.bars(ofSection: min(section, starts.count - 1)) }

  /// The section that contains a frame.
  func section(at frame: Int64) -> Int {
    var (low, high) = (1, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= frame { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// Frames from the start of a section to the end of the last one; nil if the last one has no end.
  func length(from section: Int) -> Int64? { lastEnd.map { $0 - start(section) } }

  /// Seconds from one frame to another, rounded up.
  func seconds(from frame: Int64, to end: Int64) -> Int {
    Int((max(0, end - frame) + Int64(sampleRate) - 1) / Int64(sampleRate))
  }

  /// Whole seconds in a number of frames.
  func wholeSeconds(in frames: Int64) -> Int { Int(max(0, frames) / Int64(sampleRate)) }
}
