import Engine
import MusicTime

/// The sound set of a layer that has been read, or why not.
package struct LoadedLayerSound: Sendable {
  let wish: LayerSounds.Wish
  let sound: Result<(name: String, clips: ClipSet), any Error>
}

/// Which sound sets of the metronome's layers are being read. A layer whose sound is not known yet is set when it has been read.
struct LayerSounds {
  struct Wish: Sendable {
    /// As the layer has it.
    let name: String
    let voice: VoiceSettings
    /// Frames per second.
    let sampleRate: Int
  }

  /// The set that is being read; one at a time, so that many wishes cost no more than the last of them.
  private var reading: String?
  /// Those that layers need and that could not be read.
  private var failed: Set<String> = []
  /// Those that were read with another voice.
  private var stale: Set<String> = []
  /// The settings that wait for a set, and who has sent them; the newest of each parameter.
  private var waiting: [Parameter: (setting: Setting, name: String, asker: Asker)] = [:]

  /// Has a setting wait for its sound; an earlier one of the same parameter is not wanted any more.
  mutating func wait(_ setting: Setting, for name: String, _ asker: Asker) {
    waiting[setting.parameter] = (setting, name, asker)
    // What could not be read may be there now.
    failed.remove(name)
  }

  /// A parameter is set, or all are: what waits is not wanted any more.
  mutating func drop(_ parameter: Parameter?) {
    guard let parameter else {
      waiting = [:]
      return
    }
    waiting[parameter] = nil
    // Two names of one layer.
    let first: Set = [Parameters.polyrhythm.parameter, Parameters.layer(1).parameter]
    if first.contains(parameter) { for name in first { waiting[name] = nil } }
  }

  /// All sets have to be read again, for another sample rate.
  mutating func restart() { failed = [] }

  /// Sets have to be read again, with another voice.
  mutating func restart(_ names: Set<String>) { (failed, stale) = ([], names) }

  /// The set that is to be read now, if none is being read.
  mutating func next(for names: Set<String>, _ voice: VoiceSettings, sampleRate: Int) -> Wish? {
    let wanted = names.subtracting(failed).union(stale).union(waiting.values.map(\.name))
    guard reading == nil, let name = wanted.min() else { return nil }
    reading = name
    stale.remove(name)
    return Wish(name: name, voice: voice, sampleRate: sampleRate)
  }

  /// Nothing is being read any more.
  mutating func finishReading() { reading = nil }

  /// A set has been read.
  /// - Parameter needed: those that the layers have.
  /// - Returns: the settings that waited for it.
  mutating func takeWaiting(
    for name: String, isRead: Bool, needed: Set<String>
  ) -> [(setting: Setting, asker: Asker)] {
    if !isRead { failed.insert(name) }
    failed.formIntersection(needed)
    let taken = waiting.values.filter { $0.name == name }
    waiting = waiting.filter { $0.value.name != name }
    return taken.map { ($0.setting, $0.asker) }
  }
}

/// The clips of the metronome's layers by the names of their sounds, with their sample rates.
typealias LayerClips = [String: (clips: ClipSet, sampleRate: Int)]

extension Settings {
  /// The sounds of the layers that have their own.
  var layerSounds: Set<String> { Set(layers.compactMap(\.layer.sound)) }
}
