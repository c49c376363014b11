import Engine
import TimeCheck

/// Coached sections: carries out what the coach advises.
extension ConductorCore {
  /// Reports once per song why a coached section does not continue by itself.
  mutating func warnOfIdleCoach(at moment: Moment) {
    let reason =
      if timeCheck == nil {
        "this section goes on when it hears you keep time: start with --listen or --hits, or go on with next"
      } else if !transport.mode.obeysCommands {
        "this section is coached in the role free alone, where Tactus chooses what follows: go on with next"
      } else { String?.none }
    if let reason, playback?.isNews(reason) == true { warn(reason, at: moment) }
  }

  /// Carries out the coach's advice at the next bar line.
  mutating func follow(_ advice: Coach.Advice, at moment: Moment) {
    guard let playback, playback.isReady, transport.isPlaying, advice.place.section < playback.parts.count,
      let coaching = playback.coaching(of: playback.plan), coaching.place == advice.place
    else { return }
    let first = playback.parts[advice.place.section]
    switch advice.move {
    case .again: break
    case .step(let step): send(Command(.jump(BarRange.Bar(section: first + step), .bar)), at: moment)
    case .done: endSection(at: moment)
    }
    emit(.report(.timing(.coached(report(advice, playback, first: first)))))
  }

  private mutating func endSection(at moment: Moment) {
    guard let playback else { return }
    if playback.part(after: playback.section) == nil {
      endSongAtBar(at: moment)
    } else {
      // No one waits for an answer: a jump in role `free` is never refused.
      try? go(.next, quantise: .bar, at: moment)
    }
  }

  private func report(_ advice: Coach.Advice, _ playback: SessionPlayback, first: Int) -> CoachReport {
    let step = if case .step(let step) = advice.move { step } else { advice.place.step }
    // The steps of a section with a length of its own are not steps of the coach.
    func tempo(_ step: Int) -> Double? {
      playback.song.plans[first].isOpen ? playback.tempo(ofPlan: first + step) : nil
    }
    return CoachReport(
      section: playback.name(ofPart: advice.place.section), advice: advice, tempo: tempo(advice.place.step),
      nextTempo: tempo(step))
  }
}
