import Engine
import MusicTime
import Validation

/// The sounds of the metronome's layers.
extension ConductorCore {
  /// Changes a layer's parameter. If a layer then needs a sound that is not loaded, the change waits until the sound has been
  /// read.
  /// - Throws: `InvalidValue` if the settings do not allow the value.
  mutating func changeLayers(_ setting: Setting, _ requester: Requester) throws(InvalidValue) {
    var next = settings.current
    try next.set(setting)
    layerSounds.drop(setting.parameter)
    guard let name = unreadSound(of: next) else { return try change(setting) }
    layerSounds.wait(setting, for: name, requester)
    readLayerSounds()
  }

  /// A sound that the settings need and that is not loaded; nil if there is none.
  func unreadSound(of next: Settings) -> String? {
    next.layerSounds.subtracting(settings.current.layerSounds).subtracting(scores.layers.keys).first
  }

  /// Drops all layer changes that wait for a sound.
  mutating func dropWaitingLayers() { layerSounds.drop(nil) }

  /// Allows failed sounds to be read again after a change of the sample rate. The others are read again because their rates
  /// differ.
  mutating func restartLayerSounds() { layerSounds.restart() }

  /// Reads all layer sounds again, because the voice has changed.
  mutating func readLayerSoundsAnew() {
    layerSounds.restart(settings.current.layerSounds)
    readLayerSounds()
  }

  /// Starts reading the next sound that the layers need. Only one is read at a time.
  mutating func readLayerSounds() {
    let known = scores.layers.filter { $0.value.sampleRate == scores.sampleRate }.keys
    let missing = settings.current.layerSounds.subtracting(known)
    let voice = settings.current.voice.ofMetronome
    if let job = layerSounds.next(for: missing, voice, sampleRate: scores.sampleRate) {
      emit(.readLayerSound(job))
    }
  }

  /// Uses a layer's sound after it has been read.
  mutating func use(_ loaded: LoadedLayerSound, at moment: Moment) {
    let name = loaded.job.name
    layerSounds.finishReading()
    defer { readLayerSounds() }
    // The rate has changed while the set was read: `readLayerSounds` reads it again.
    guard loaded.job.sampleRate == scores.sampleRate else { return }
    let needed = settings.current.layerSounds
    switch loaded.sound {
    case .success(let (_, clips)):
      let waiting = layerSounds.takeWaiting(for: name, isRead: true, needed: needed)
      scores.use(clips, ofLayer: name, keeping: needed)
      let before = settings.current
      for (setting, requester) in waiting {
        do throws(InvalidValue) { try change(setting) } catch {
          refuse("\(error)", to: requester, at: moment)
        }
      }
      settings.noteChange(from: before)
    case .failure(let error):
      let waiting = layerSounds.takeWaiting(for: name, isRead: false, needed: needed)
      for (_, requester) in waiting { refuse(error, to: requester, at: moment) }
      if waiting.isEmpty { refuse(error, to: .nobody, at: moment) }
    }
  }
}
