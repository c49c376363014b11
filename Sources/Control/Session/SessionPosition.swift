import Engine
import MusicTime

/// The position of a session at one moment. A *part* is a section of the document.
struct SessionPosition {
  let playback: SessionPlayback
  let mode: SyncMode
  let isPlaying: Bool
  /// The positions of the score's sections; nil without a score.
  let map: SectionMap?
  /// Frames from the score's start to the music's position; in a loop, within the current lap.
  let scoreFrame: Int64
  /// The first clock frame that is not rendered yet.
  let clock: ClockFrame

  /// The current part. A stopped transport may have been moved by any client, so the engine's position counts.
  var part: Int {
    guard !mode.obeysCommands, !isPlaying, playback.isReady, let map else { return playback.section }
    return playback.part(of: map.section(at: scoreFrame))
  }

  /// The score frame at which a part begins.
  func startFrame(ofPart part: Int) -> Int64 { map?.start(playback.parts[part]) ?? 0 }

  /// The music's position in the song, in frames at the current speed; before the music begins, the position where it will
  /// begin.
  var songFrame: Int64 {
    guard playback.bar > 0 || !mode.obeysCommands else { return startFrame(ofPart: part) }
    // The engine reports its own position only after it has played.
    if playback.isOffered, let map, mode.obeysCommands { return map.start(playback.here) }
    guard let map, mode.obeysCommands, let round = round(map) else { return scoreFrame }
    return scoreFrame + round.end - round.start
  }

  /// The start and end of the round that is about to end, once its last beat has begun; nil otherwise. From then on the engine
  /// counts from the next round.
  private func round(_ map: SectionMap) -> (start: Int64, end: Int64)? {
    let repetition = playback.repetition
    switch repetition {
    case .none, .section:
      let next = repetition == .section ? playback.plan : playback.song.loopStart
      guard let next, let end = map.end(playback.plan), scoreFrame < map.start(playback.plan) else {
        return nil
      }
      return (map.start(next), end)
    case .bars(let range):
      let start = map.start(range.first)
      guard playback.bar > 0, playback.here == range.last, scoreFrame < start else { return nil }
      return (start, map.start(BarRange.Bar(section: range.last.section, bar: range.last.bar + 1)))
    }
  }

  /// Whether a song that another one follows has begun its last beat. A start or stop in this beat refers to the next song: it
  /// must neither stop this song just before its end nor restart it.
  var isInLastBeat: Bool {
    guard playback.isReady, playback.bar > 0, !playback.isLast, !playback.repeats.isOn,
      playback.target == nil,
      mode.obeysCommands, isPlaying, let lastBeat = map?.lastBeat
    else { return false }
    return songFrame >= lastBeat
  }

  /// Whether the music is within two seconds of the start of its part, or a jump that the player asked for is under way. `previous` then
  /// goes to the part before.
  var isEarlyInPart: Bool {
    guard let map, playback.requested == nil else { return true }
    return songFrame - startFrame(ofPart: part) < Int64(2 * map.sampleRate)
  }

  /// The plan that plays, or plays next.
  private var plan: SectionPlan { playback.song.plans[planIndex] }
  private var planIndex: Int {
    playback.part(of: playback.plan) == part ? playback.plan : playback.parts[part]
  }

  /// The section's tempo in its document; nil if it changes.
  var ownTempo: Tempo? { if case .constant(let tempo) = plan.tempo { tempo } else { nil } }

  /// The position for users.
  var progress: SessionProgress {
    let (part, plan) = (part, plan)
    var progress = SessionProgress(layout: plan.counted?.layout ?? plan.layout)
    if case .constant(let tempo) = plan.tempo { progress.tempo = playback.rendition.applied(to: tempo) }
    (progress.song, progress.songs) = (playback.index + 1, playback.setlist.songs.count)
    progress.title = playback.song.title
    (progress.outline, progress.sectionNumber) = (playback.outline, part + 1)
    progress.section = playback.name(ofPart: part)
    progress.colour = plan.colour
    (progress.bar, progress.bars) = (part == playback.section ? playback.bar : 0, playback.bars(ofPart: part))
    progress.next = playback.target.map(playback.name(ofPart:)) ?? playback.nextName(after: part)
    progress.isJumping = playback.target != nil
    progress.nextStep = nextStep(of: part, bar: progress.bar)
    (progress.isPaused, progress.isHeld, progress.speed) = (
      playback.isPaused, playback.repeats.isHeld, playback.rendition.percent
    )
    progress.loop = playback.repeats.loop.map {
      SessionBars(playback.bar(at: $0.first), through: playback.bar(at: $0.last))
    }
    progress.loopMark = playback.repeats.mark.map(playback.bar(at:))
    progress.nudge = playback.rendition.nudge
    (progress.isReady, progress.isFinished) = (playback.isReady, playback.isFinished)
    progress.isCountIn = plan.isCountIn
    progress.coaching = playback.coachProgress(of: planIndex)
    (progress.layers, progress.gap) = (plan.layers, playback.rendition.gap)
    (progress.cycle, progress.cycles) = (playback.cycle(ofPart: part), playback.song.cycles)
    if let start = playback.start, start.frame > .earliest, let map {
      progress.startsIn = map.seconds(from: 0, to: start.frame - clock)
    }
    if playback.isReady, let map { addTimes(part, map, to: &progress) }
    return progress
  }

  /// The next step of a tempo ladder; nil if the bars before it repeat, or if a coach chooses it. A section can have several plans
  /// of the same tempo: one for each beat of a spoken count-in, for example.
  private func nextStep(of part: Int, bar: Int) -> SessionProgress.Step? {
    let (plans, parts) = (playback.song.plans, playback.parts)
    let end = part + 1 < parts.count ? parts[part + 1] : plans.count
    guard planIndex + 1 < end, !playback.repeats.isOn, !plan.isOpen, playback.coaching(of: planIndex) == nil,
      let next = plans[planIndex + 1..<end].firstIndex(where: { $0.tempo != plan.tempo }),
      case .constant(let tempo) = plans[next].tempo
    else { return nil }
    let bars = playback.bars(inPart: part, before: next) - max(bar, 1) + 1
    return bars > 0 ? SessionProgress.Step(tempo: playback.rendition.applied(to: tempo), bars: bars) : nil
  }

  private func addTimes(_ part: Int, _ map: SectionMap, to progress: inout SessionProgress) {
    // The steps that a coach chooses are open: the time since the first one is unknown.
    let isLaterStep = playback.isOpen(part: part) && planIndex > playback.parts[part]
    let (songFrame, partFrame) = (songFrame, map.start(isLaterStep ? planIndex : playback.parts[part]))
    progress.sectionElapsed = map.wholeSeconds(in: songFrame - partFrame)
    let round = playback.song.loopStart.flatMap { map.length(from: $0) } ?? 0
    let isTimed =
      !isLaterStep && !playback.hasOpenPart(before: part) && (playback.laps == 0 || !playback.hasOpenPart)
    progress.songElapsed = isTimed ? map.wholeSeconds(in: songFrame + Int64(playback.laps) * round) : nil
    if !playback.isOpen(part: part) {
      let end = map.end(
        (part + 1 < playback.parts.count ? playback.parts[part + 1] : playback.song.plans.count) - 1)
      progress.sectionLeft = end.map { map.seconds(from: songFrame, to: $0) }
      progress.sectionLength = end.map { map.seconds(from: partFrame, to: $0) }
    }
    if !playback.hasOpenPart(from: part) {
      progress.songLeft = map.end.map { map.seconds(from: songFrame, to: $0) }
    }
    if !playback.hasOpenPart {
      progress.songLength = map.end.map { map.seconds(from: 0, to: $0) }
    }
  }
}
