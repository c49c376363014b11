import Engine
import MusicTime
import Validation

/// The sounds of the metronome's layers.
extension ConductorCore {
  /// Changes a parameter. If a layer would then have a sound that is not read, it is read first.
  func changeLayers(_ setting: Setting, _ asker: Asker) throws(InvalidValue) {
    var next = settings.current
    try next.set(setting)
    layerSounds.drop(setting.parameter)
    guard let name = unreadSound(of: next) else { return try change(setting) }
    layerSounds.wait(setting, for: name, asker)
    readLayerSounds()
  }

  /// A sound that settings need, and that is not read.
  func unreadSound(of next: Settings) -> String? {
    next.layerSounds.subtracting(settings.current.layerSounds).subtracting(scores.layers.keys).first
  }

  /// Layers that wait for their sounds are not wanted any more.
  func dropWaitingLayers() { layerSounds.drop(nil) }

  /// Has all sounds read again, for another sample rate.
  func restartLayerSounds() { layerSounds.restart() }

  /// Has all sounds read again, with another voice.
  func readLayerSoundsAnew() {
    layerSounds.restart(settings.current.layerSounds)
    readLayerSounds()
  }

  /// Has the sounds read that the layers need, one after the other.
  func readLayerSounds() {
    let known = scores.layers.filter { $0.value.sampleRate == scores.sampleRate }.keys
    let missing = settings.current.layerSounds.subtracting(known)
    let voice = settings.current.voice.ofMetronome
    if let wish = layerSounds.next(for: missing, voice, sampleRate: scores.sampleRate) {
      emit(.readLayerSound(wish))
    }
  }

  /// Takes a layer's sound that has been read.
  func use(_ loaded: LoadedLayerSound, at moment: Moment) {
    let name = loaded.wish.name
    layerSounds.finishReading()
    defer { readLayerSounds() }
    // The rate may have changed while the set was read: it is read once more.
    guard loaded.wish.sampleRate == scores.sampleRate else { return }
    let needed = settings.current.layerSounds
    switch loaded.sound {
    case .success(let (_, clips)):
      let waiting = layerSounds.takeWaiting(for: name, isRead: true, needed: needed)
      scores.use(clips, ofLayer: name, keeping: needed)
      let before = settings.current
      for (setting, asker) in waiting {
        do throws(InvalidValue) { try change(setting) } catch { refuse("\(error)", to: asker, at: moment) }
      }
      settings.noteChange(from: before)
    case .failure(let error):
      let waiting = layerSounds.takeWaiting(for: name, isRead: false, needed: needed)
      for (_, asker) in waiting { refuse(error, to: asker, at: moment) }
      if waiting.isEmpty { refuse(error, to: .nobody, at: moment) }
    }
  }
}
