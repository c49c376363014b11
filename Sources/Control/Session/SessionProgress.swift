import Engine
import MusicTime

/// The position in a session, for people.
package struct SessionProgress: Equatable, Sendable {
  /// A tempo that comes within the section.
  package struct Step: Equatable, Sendable {
    package var tempo: Tempo
    /// Bars until then, this one included.
    package var bars: Int

    package init(tempo: Tempo, bars: Int) { (self.tempo, self.bars) = (tempo, bars) }
  }

  /// The song, from 1, and how many there are.
  package var song = 1
  package var songs = 1
  /// Whether the song can be played: its sounds are read and its texts are spoken.
  package var isReady = false
  package var title = ""
  /// The songs, and the sections of this one; nil if nobody lists them. The number of the current section, from 1.
  package var outline: SessionOutline?
  package var sectionNumber = 1
  /// The section's name, and its colour as the document writes it.
  package var section = ""
  package var colour = ""
  /// The bar of the section, from 1; 0 before it begins. The number of bars; 0 if the section is open or its length is a time.
  package var bar = 0
  package var bars = 0
  /// The round through the document's sections, from 1, and how many there are; 0 if they repeat without end.
  package var cycle = 1
  package var cycles = 1
  /// Whole seconds since the section and the song began; nil for the song after a section that lasts until the player goes on. A song that repeats without end counts all rounds.
  package var sectionElapsed = 0
  package var songElapsed: Int? = 0
  /// The length of the section and of the song in seconds, rounded up; nil if they are open.
  package var sectionLength: Int?
  package var songLength: Int?
  /// Whole seconds left in the section and in the song; nil if they are open.
  package var sectionLeft: Int?
  package var songLeft: Int?
  /// The name of what comes next: a section, a song, or nothing.
  package var next = ""
  /// The next step of a section whose tempo goes in steps; nil if it stays.
  package var nextStep: Step?
  /// The layout of the current bar.
  package var layout: BarLayout
  /// Beats per minute at the present speed; nil if the section's tempo changes.
  package var tempo: Tempo?
  /// The speed in percent of the document's tempos.
  package var speed = 100
  /// Thousandths of a beat a minute that each tempo is moved by.
  package var nudge = 0
  /// Seconds until the song starts by itself, rounded up; nil if it does not.
  package var startsIn: Int?
  package var isPaused = false
  /// Whether the count-in plays, or comes next.
  package var isCountIn = false
  /// Whether the last song has come to its end.
  package var isFinished = false
  /// What is asked of the player in this section; nil if nobody is coached.
  package var coaching: CoachProgress?
  /// The layers of the section.
  package var layers: [LayerPlan] = []
  /// The bars that the player has silenced.
  package var gap = Gap.off
  /// Whether the section repeats.
  package var isHeld = false
  /// The bars that repeat; nil if none do. The first of them, while the last is not marked.
  package var loop: SessionBars?
  package var loopMark: SessionBars.Bar?

  package init(layout: BarLayout) { self.layout = layout }
}

/// The positions of a score's sections, in frames from its start.
struct SectionMap {
  let sampleRate: Int
  /// The start of each section, and the end of the last one; nil if it does not end.
  private let starts: [Int64]
  private let lastEnd: Int64?
  /// The end of the score; nil if it loops or does not end.
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

  /// The end of a section; nil if it does not end.
  func end(_ section: Int) -> Int64? { section + 1 < starts.count ? starts[section + 1] : lastEnd }

  /// The section that contains a frame.
  func section(at frame: Int64) -> Int {
    var (low, high) = (1, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= frame { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  /// Frames from the start of a section to the end of the last one; nil if that does not end.
  func length(from section: Int) -> Int64? { lastEnd.map { $0 - start(section) } }

  /// Seconds from one frame to another, rounded up.
  func seconds(from frame: Int64, to end: Int64) -> Int {
    Int((max(0, end - frame) + Int64(sampleRate) - 1) / Int64(sampleRate))
  }

  /// Whole seconds in a number of frames.
  func wholeSeconds(in frames: Int64) -> Int { Int(max(0, frames) / Int64(sampleRate)) }
}
