import Control
import ControlBench
import Engine
import MusicTime

/// A section as a test needs it.
func section(
  _ name: String, _ length: SectionLength = .bars(4), tempo: Int = 120_000, meter: (Int, Int) = (4, 4),
  label: String? = nil, cue: CuePlan? = nil
) throws -> SectionPlan {
  SectionPlan(
    name: name, label: label, length: length, layout: try BarLayout(meter: Meter(meter.0, meter.1)),
    tempo: .constant(try Tempo(thousandths: tempo)), cue: cue)
}

/// Songs one after the other; each section is one of the document's own.
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
  /// A rig with a song open; `loop` is the section to which it goes back.
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

  /// Pushes an update, and waits until the conductor has dealt with it: the engine has it from the next period on.
  func ask(_ update: Update) {
    push(update)
    look()
  }

  /// How things stand once the conductor has heard of all that the engine did.
  @discardableResult
  func look() -> Snapshot {
    settle()
    return settle()
  }

  /// Plays up to a clock frame and says how things stand there.
  @discardableResult
  func play(until frame: Int64) -> Snapshot {
    render(until: frame)
    return look()
  }

  @discardableResult
  func play(frames: Int64) -> Snapshot { play(until: clock + frames) }

  /// The beats so far, as heard by the observers.
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
