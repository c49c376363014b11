import Engine
import MusicTime

/// Telling where the session is.
extension ConductorCore {
  /// Keeps in mind where a beat is.
  func noteProgress(_ beat: Event.Beat) {
    // After a stop come the beats that were on their way.
    guard now.isPlaying || playback?.isPaused == true || now.settings.role != .free else { return }
    guard var playback, playback.isReady, beat.section < playback.song.plans.count else { return }
    let hasMoved = playback.note(beat)
    self.playback = playback
    if hasMoved { notePlace() }
  }

  /// Keeps in mind where a transport stands that is about to roll: beats say so only when they come.
  func noteStanding() {
    let part = part
    guard var playback, part != playback.section else { return }
    playback.stand(atPart: part)
    self.playback = playback
    notePlace()
  }

  func notePlace() {
    guard let playback else { return }
    now.settings.session = SessionPlace(path: playback.path, song: playback.index, section: playback.section)
  }

  /// The part in which the music is. A transport that stands still may have been put anywhere.
  var part: Int {
    guard let playback else { return 0 }
    guard now.settings.role != .free, !now.isPlaying, playback.isReady, let map = scores.map else {
      return playback.section
    }
    return playback.part(of: map.section(at: channels.pointee.scoreFrame.load(ordering: .relaxed)))
  }

  func startFrame(ofPart part: Int) -> Int64 {
    guard let playback, let map = scores.map else { return 0 }
    return map.start(playback.parts[part])
  }

  /// How far the music is into the song, in frames at the present speed; where it has not begun, where it will.
  var songFrame: Int64 {
    guard let playback, playback.bar > 0 || now.settings.role != .free else {
      return startFrame(ofPart: part)
    }
    let frame = channels.pointee.scoreFrame.load(ordering: .relaxed)
    guard let map = scores.map, let next = playback.isHeld ? playback.plan : playback.song.loopStart,
      now.settings.role == .free, frame < map.start(playback.plan), let end = map.end(playback.plan)
    else { return frame }
    // After the last beat of a round the engine counts from the next one.
    return end - (map.start(next) - frame)
  }

  var progress: SessionProgress? {
    guard let playback else { return nil }
    let part = part
    let plan = playback.song.plans[
      playback.part(of: playback.plan) == part ? playback.plan : playback.parts[part]]
    var progress = SessionProgress(layout: plan.layout)
    if case .constant(let tempo) = plan.tempo { progress.tempo = tempo.scaled(percent: playback.percent) }
    (progress.song, progress.songs) = (playback.index + 1, playback.setlist.songs.count)
    progress.title = playback.song.title
    progress.section = playback.name(ofPart: part)
    progress.colour = plan.colour
    (progress.bar, progress.bars) = (part == playback.section ? playback.bar : 0, playback.bars(ofPart: part))
    progress.next = playback.nextName(after: part)
    (progress.isPaused, progress.isHeld, progress.speed) = (
      playback.isPaused, playback.isHeld, playback.percent
    )
    progress.isReady = playback.isReady
    guard playback.isReady, let map = scores.map else { return progress }
    if !playback.isOpen(part: part) {
      let end = map.end(
        (part + 1 < playback.parts.count ? playback.parts[part + 1] : playback.song.plans.count) - 1)
      progress.sectionLeft = end.map { map.seconds(from: songFrame, to: $0) }
    }
    if !playback.hasOpenPart { progress.songLeft = map.end.map { map.seconds(from: songFrame, to: $0) } }
    return progress
  }
}
