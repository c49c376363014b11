import Engine
import MusicTime

/// Sound sets, and the sample rate for which they are made.
extension ConductorState {
  /// The sound set that is asked for, or the one that stands in for it where it can't be read.
  static func firstClips(_ configuration: Conductor.Configuration, _ updates: UpdateQueue) throws -> ClipSet {
    do {
      return try configuration.readSound(configuration.settings.sound, configuration.sampleRate).clips
    } catch {
      guard let other = configuration.fallbackSound else { throw error }
      let clips = try configuration.readSound(other, configuration.sampleRate).clips
      updates.push(Request(.problem("\(error); playing \(other)")))
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

  /// Takes a sound set that has been read.
  func use(_ loaded: LoadedClips) {
    loader.advance()
    // The rate may have changed while the set was read.
    let isUpToDate = loaded.wish.sampleRate == scores.sampleRate
    switch loaded.sound {
    case .success(let (name, clips)) where isUpToDate:
      scores.use(clips, sampleRate: loaded.wish.sampleRate)
      // Any name is valid of which there are clips.
      try? now.settings.set(.sound(name))
      needsScore = true
    case .success:
      guard !loader.isReading else { return }
      var wish = loaded.wish
      wish.sampleRate = scores.sampleRate
      loader.load(wish)
    case .failure(let error):
      if let refuse = loaded.wish.refuse { refuse("\(error)") } else { report(.warning("\(error)")) }
      guard scores.clipRate != scores.sampleRate, !loader.isReading else { return }
      guard isUpToDate, loaded.wish.name == now.settings.sound else {
        return loader.load(.init(name: now.settings.sound, sampleRate: scores.sampleRate))
      }
      report(.warning("the sounds keep the pitch that they have at \(scores.clipRate) Hz"))
    }
  }
}
