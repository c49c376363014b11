import Engine
import MusicTime

/// Telling where the session is.
extension ConductorState {
  /// Keeps in mind where a beat is.
  func noteProgress(_ beat: Event.Beat) {
    // After a stop come the beats that were on their way.
    guard now.isPlaying || shelf?.isPaused == true || now.settings.role != .free else { return }
    guard var shelf, shelf.isReady, beat.section < shelf.song.plans.count else { return }
    let part = shelf.part(of: beat.section)
    shelf.bar = shelf.bars(inPart: part, before: beat.section) + beat.sectionBar
    let hasMoved = part != shelf.section
    (shelf.section, shelf.plan) = (part, beat.section)
    if hasMoved || (part == shelf.target && shelf.bar == 1 && beat.beat == 1) { shelf.target = nil }
    self.shelf = shelf
    if hasMoved { notePlace() }
  }

  /// Keeps in mind where a transport stands that is about to roll: beats say so only when they come.
  func noteStanding() {
    let part = part
    guard var shelf, part != shelf.section else { return }
    (shelf.section, shelf.bar, shelf.target) = (part, 0, nil)
    self.shelf = shelf
    notePlace()
  }

  func notePlace() {
    guard let shelf else { return }
    now.settings.session = SessionPlace(path: shelf.path, song: shelf.index, section: shelf.section)
  }

  /// The part in which the music is. A transport that stands still may have been put anywhere.
  var part: Int {
    guard let shelf else { return 0 }
    guard now.settings.role != .free, !now.isPlaying, shelf.isReady, let map = scores.map else {
      return shelf.section
    }
    return shelf.part(of: map.section(at: channels.pointee.scoreFrame.load(ordering: .relaxed)))
  }

  func startFrame(ofPart part: Int) -> Int64 {
    guard let shelf, let map = scores.map else { return 0 }
    return map.start(shelf.parts[part])
  }

  /// How far the music is into the song, in frames at the present speed; where it has not begun, where it will.
  var songFrame: Int64 {
    guard let shelf, shelf.bar > 0 || now.settings.role != .free else { return startFrame(ofPart: part) }
    let frame = channels.pointee.scoreFrame.load(ordering: .relaxed)
    guard let map = scores.map, let next = shelf.isHeld ? shelf.plan : shelf.song.loopStart,
      now.settings.role == .free, frame < map.start(shelf.plan), let end = map.end(shelf.plan)
    else { return frame }
    // After the last beat of a round the engine counts from the next one.
    return end - (map.start(next) - frame)
  }

  var progress: Progress? {
    guard let shelf else { return nil }
    let part = part
    let plan = shelf.song.plans[shelf.part(of: shelf.plan) == part ? shelf.plan : shelf.parts[part]]
    var progress = Progress(layout: plan.layout)
    if case .constant(let tempo) = plan.tempo { progress.tempo = tempo.scaled(percent: shelf.percent) }
    (progress.song, progress.songs) = (shelf.index + 1, shelf.setlist.songs.count)
    progress.title = shelf.song.title
    progress.section = shelf.name(ofPart: part)
    progress.colour = plan.colour
    (progress.bar, progress.bars) = (part == shelf.section ? shelf.bar : 0, shelf.bars(ofPart: part))
    progress.next = shelf.nextName(after: part)
    (progress.isPaused, progress.isHeld, progress.speed) = (shelf.isPaused, shelf.isHeld, shelf.percent)
    guard shelf.isReady, let map = scores.map else { return progress }
    if !shelf.isOpen(part: part) {
      let end = map.end((part + 1 < shelf.parts.count ? shelf.parts[part + 1] : shelf.song.plans.count) - 1)
      progress.sectionLeft = end.map { map.seconds(from: songFrame, to: $0) }
    }
    if !shelf.hasOpenPart { progress.songLeft = map.end.map { map.seconds(from: songFrame, to: $0) } }
    return progress
  }
}
