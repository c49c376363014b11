import Engine
import MusicTime

extension SectionPlan {
  /// The metronome's only section.
  /// - Parameter layout: the layout of the settings' bar.
  package init(_ settings: Settings, _ layout: BarLayout, bars: Int?) {
    self.init(
      layout: layout, tempo: settings.tempo, bars: bars, silence: SilencePlan(settings.gap))
    layers = settings.layers
    // The score's own clips, even if a layer has a sound set with this name.
    sound = ""
  }
}

/// Compiles settings and songs into sections. It caches the last results, since most scores differ only in their volumes.
struct SectionCompiler {
  /// Number of bars to play; nil: without end.
  let bars: Int?

  private enum Source: Equatable {
    case settings(pattern: Settings, Tempo, Gap, sampleRate: Int)
    case song(SongPlan, Rendition, voice: Volume, isOnTransport: Bool, sampleRate: Int)

    /// Whether both are songs but not the same one.
    func isAnotherSong(than other: Source) -> Bool {
      guard case .song(let plan, _, _, _, _) = self, case .song(let otherPlan, _, _, _, _) = other else {
        return false
      }
      return plan != otherPlan
    }
  }

  private struct Compiled {
    let source: Source
    let generation: Int
    let sections: Score.Sections
    /// The frames of a song's sections; nil for the settings.
    var map: SectionMap?
  }

  /// Number of cached results. The scores of one update rarely have more different sections.
  private static let capacity = 4
  private var compiled: [Compiled] = []
  /// The layout of the last bar. It does not depend on the tempo, so that a tempo change does not compile it again.
  private var layout: (pattern: Settings, layout: BarLayout)?
  /// The frames of the sections of the last compiled song.
  private(set) var map: SectionMap?

  init(bars: Int?) { self.bars = bars }

  /// The sections of the settings: one bar that repeats.
  /// - Parameters:
  ///   - sounds: the clips of layers with a sound of their own.
  ///   - generation: the generation of the clips.
  mutating func sections(
    _ settings: Settings, sampleRate: Int, clips: ClipSet, sounds: [String: ClipSet] = [:], generation: Int
  ) -> Score.Sections {
    let pattern = settings.pattern
    let source = Source.settings(pattern: pattern, settings.tempo, settings.gap, sampleRate: sampleRate)
    if let known = known(source, generation) { return known.sections }
    let plan = SectionPlan(settings, layout(of: pattern), bars: bars)
    let sections = Score.Sections([plan], sampleRate: sampleRate, clips: clips, sounds: sounds)
    keep(Compiled(source: source, generation: generation, sections: sections))
    return sections
  }

  /// The sections of a song as it is played.
  /// - Parameters:
  ///   - voice: the user's volume for spoken texts.
  ///   - isOnTransport: whether a transport moves through the song.
  mutating func sections(
    _ song: PreparedSong, _ rendition: Rendition, voice: Volume = .full, isOnTransport: Bool = false,
    generation: Int
  ) -> Score.Sections {
    let source = Source.song(
      song.plan, rendition, voice: voice, isOnTransport: isOnTransport, sampleRate: song.sampleRate)
    if let known = known(source, generation) {
      map = known.map
      return known.sections
    }
    let sections = song.sections(rendition, voice: voice, isOnTransport: isOnTransport)
    map = SectionMap(sections)
    keep(Compiled(source: source, generation: generation, sections: sections, map: map))
    return sections
  }

  private func known(_ source: Source, _ generation: Int) -> Compiled? {
    // Compare the generation first: comparing long songs takes longer.
    compiled.first { $0.generation == generation && $0.source == source }
  }

  private mutating func keep(_ new: Compiled) {
    // A song may have a hundred thousand sections of half a kilobyte each, so only one song is cached.
    compiled.removeAll { $0.source.isAnotherSong(than: new.source) }
    if compiled.count == SectionCompiler.capacity { compiled.removeFirst() }
    compiled.append(new)
  }

  private mutating func layout(of pattern: Settings) -> BarLayout {
    if let layout, layout.pattern == pattern { return layout.layout }
    // Can't fail: settings are always valid as a whole.
    let new = try! pattern.layout
    layout = (pattern, new)
    return new
  }
}
