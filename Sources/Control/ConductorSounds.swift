import Engine
import MusicTime
import Validation

/// Sound sets, and the sample rate for which they are made.
extension ConductorCore {
  /// The sound set that is asked for, or the one that stands in for it where it can't be read.
  static func firstClips(_ configuration: Conductor.Configuration, _ updates: UpdateQueue) throws -> ClipSet {
    do {
      return try configuration.readSound(configuration.settings.sound, configuration.sampleRate).clips
    } catch {
      guard let other = configuration.fallbackSound else { throw error }
      let clips = try configuration.readSound(other, configuration.sampleRate).clips
      let outline = "\(error.publicText); playing \(other)"
      updates.push(Request(.guardedProblem("\(error); playing \(other)", outline: outline)))
      return clips
    }
  }

  /// Plays at another rate: in time at once, with the clips at hand, whose pitch is wrong until the others are read.
  /// Silence in the meantime would be worse.
  func changeRate(to sampleRate: Int) {
    guard sampleRate != scores.sampleRate else { return }
    scores.sampleRate = sampleRate
    needsScore = true
    loader.changeRate(to: sampleRate, inUse: now.settings.sound)
    remakeSong()
  }

  /// Has a sound set read for the present sample rate.
  func readSound(_ name: String, refuse: (@Sendable (String) -> Void)? = nil) {
    loader.load(.init(name: name, sampleRate: scores.sampleRate, refuse: refuse))
  }

  /// Takes a sound set that has been read.
  func use(_ loaded: LoadedClips) {
    loader.advance()
    // The rate may have changed while the set was read.
    let isUpToDate = loaded.wish.sampleRate == scores.sampleRate
    switch loaded.sound {
    case .success(let (name, clips)) where isUpToDate:
      scores.use(clips, sampleRate: loaded.wish.sampleRate)
      let before = now.settings
      // Any name is valid of which there are clips.
      try? now.settings.set(.sound(name))
      noteChange(from: before)
      needsScore = true
    case .success:
      guard !loader.isReading else { return }
      var wish = loaded.wish
      wish.sampleRate = scores.sampleRate
      loader.load(wish)
    case .failure(let error):
      refuse(error, to: loaded.wish.refuse)
      guard scores.clipRate != scores.sampleRate, !loader.isReading else { return }
      guard isUpToDate, loaded.wish.name == now.settings.sound else {
        return readSound(now.settings.sound)
      }
      report(.warning("the sounds keep the pitch that they have at \(scores.clipRate) Hz"))
    }
  }
}
