import Engine
import MusicTime

/// Compiles what is to play into sections, and keeps the last ones: most scores differ in their volumes alone.
struct SectionCompiler {
  /// Bars to play; nil for ever.
  let bars: Int?

  private enum Source: Equatable {
    case settings(pattern: Settings, Tempo, Gap, sampleRate: Int)
    case song(SongPlan, percent: Int, sampleRate: Int)
  }

  private struct Compiled {
    let source: Source
    let generation: Int
    let sections: Score.Sections
    /// Where a song's sections lie; nil for the settings.
    var map: SectionMap?
  }

  /// As many as the scores of one update commonly differ in.
  private static let capacity = 4
  private var compiled: [Compiled] = []
  /// A bar's layout does not depend on the tempo: one that moves compiles it once.
  private var layout: (pattern: Settings, layout: BarLayout)?
  /// Where the sections lie of the song that was asked for last.
  private(set) var map: SectionMap?

  init(bars: Int?) { self.bars = bars }

  /// The bar that is set, again and again.
  /// - Parameter generation: that of the clips.
  mutating func sections(
    _ settings: Settings, sampleRate: Int, clips: ClipSet, generation: Int
  ) -> Score.Sections {
    let pattern = settings.pattern
    let source = Source.settings(pattern: pattern, settings.tempo, settings.gap, sampleRate: sampleRate)
    if let known = known(source, generation) { return known.sections }
    let plan = SectionPlan(
      layout: layout(of: pattern), tempo: settings.tempo, bars: bars, silence: SilencePlan(settings.gap))
    let sections = Score.Sections([plan], sampleRate: sampleRate, clips: clips)
    keep(Compiled(source: source, generation: generation, sections: sections))
    return sections
  }

  /// A song's sections at a percentage of their tempo.
  mutating func sections(_ song: PreparedSong, percent: Int, generation: Int) -> Score.Sections {
    let source = Source.song(song.plan, percent: percent, sampleRate: song.sampleRate)
    if let known = known(source, generation) {
      map = known.map
      return known.sections
    }
    let sections = song.sections(percent: percent)
    map = SectionMap(sections)
    keep(Compiled(source: source, generation: generation, sections: sections, map: map))
    return sections
  }

  private func known(_ source: Source, _ generation: Int) -> Compiled? {
    // The generation first: to compare long songs takes longer.
    compiled.first { $0.generation == generation && $0.source == source }
  }

  private mutating func keep(_ new: Compiled) {
    if compiled.count == SectionCompiler.capacity { compiled.removeFirst() }
    compiled.append(new)
  }

  private mutating func layout(of pattern: Settings) -> BarLayout {
    if let layout, layout.pattern == pattern { return layout.layout }
    // Settings are always valid as a whole.
    let new = try! pattern.layout
    layout = (pattern, new)
    return new
  }
}
