import Control
import ControlBench
import Engine
import MusicTime

/// A section for tests.
func section(
  _ name: String, _ length: SectionLength = .bars(4), tempo: Int = 120_000, meter: (Int, Int) = (4, 4),
  label: String? = nil, cue: CuePlan? = nil
) throws -> SectionPlan {
  SectionPlan(
    name: name, label: label, length: length, layout: try BarLayout(meter: Meter(meter.0, meter.1)),
    tempo: .constant(try Tempo(thousandths: tempo)), cue: cue)
}

/// A setlist of songs; each plan is a separate section of its document.
func setlist(_ songs: [(title: String, sections: [SectionPlan], after: AfterSong)]) -> Setlist {
  Setlist(
    title: "set",
    songs: songs.map { song in
      var plans = song.sections
      for index in plans.indices { plans[index].source = index }
      return Setlist.Entry(song: SongPlan(title: song.title, plans: plans), after: song.after)
    })
}

extension Rig {
  /// A rig with an open song; `loop` is the index of the section to which it returns.
  convenience init(
    _ sections: [SectionPlan], loop: Int? = nil, settings: Settings = Settings(), place: Int = 0
  ) throws {
    var list = setlist([("song", sections, .wait)])
    list.songs[0].song.loopStart = loop
    try self.init(list, settings: settings, place: SessionPlace(path: "/song.yaml", section: place))
  }

  convenience init(
    _ list: Setlist, settings: Settings = Settings(), place: SessionPlace = SessionPlace(path: "/set.yaml"),
    work: SimulatedWork = SimulatedWork(), configure: (inout Conductor.Configuration) -> Void = { _ in }
  ) throws {
    try self.init(settings, work: work) { configuration in
      configuration.session = (list, place)
      configure(&configuration)
    }
    settle()
  }

  /// Pushes an update, and lets the conductor handle it: it takes effect in the engine from the next period on.
  func ask(_ update: Update) {
    push(update)
    look()
  }

  /// The snapshot after the conductor has handled all of the engine's events.
  @discardableResult
  func look() -> Snapshot {
    settle()
    return settle()
  }

  /// Plays up to a clock frame and returns the snapshot there.
  @discardableResult
  func play(until frame: ClockFrame) -> Snapshot {
    render(until: frame)
    return look()
  }

  @discardableResult
  func play(frames: Int64) -> Snapshot { play(until: clock + frames) }

  /// The beats reported so far.
  var heard: [Event.Beat] {
    look()
    return reports.beats.filter { $0.role != .subdivision && $0.role != .cue }
  }

  /// Where sections began, as `section@frame`.
  var sectionStarts: [String] {
    heard.filter { $0.sectionBar == 1 && $0.beat == 1 }.map { "\($0.section)@\($0.frame)" }
  }

  var hasFinished: Bool { reports.all.contains { if case .finished = $0 { true } else { false } } }
}
