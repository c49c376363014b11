import Engine
import MusicTime

/// A layer's sound set that has been read, or the error.
package struct LoadedLayerSound: Sendable {
  let job: LayerSounds.Job
  let sound: Result<(name: String, clips: ClipSet), any Error>
}

/// The sound sets of the metronome's layers that are being read. A layer with a sound that is not loaded is set when the sound
/// has been read.
struct LayerSounds {
  struct Job: Sendable {
    /// The name in the layer's setting.
    let name: String
    let voice: VoiceSettings
    /// Frames per second.
    let sampleRate: Int
  }

  /// The set that is being read; nil if none. Only one is read at a time, so that many changes read no more than the last one
  /// needs.
  private var reading: String?
  /// The sets that layers need and that could not be read.
  private var failed: Set<String> = []
  /// The sets that were read with another voice.
  private var stale: Set<String> = []
  /// The settings that wait for a set, with their senders; the newest of each parameter.
  private var waiting: [Parameter: (setting: Setting, name: String, requester: Requester)] = [:]

  /// Makes a setting wait for its sound. It replaces an earlier one of the same parameter.
  mutating func wait(_ setting: Setting, for name: String, _ requester: Requester) {
    waiting[setting.parameter] = (setting, name, requester)
    // A set that could not be read may be available now.
    failed.remove(name)
  }

  /// Drops the waiting setting of a parameter; nil: all of them.
  mutating func drop(_ parameter: Parameter?) {
    guard let parameter else {
      waiting = [:]
      return
    }
    waiting[parameter] = nil
    // The short form and the layer are two names of one layer.
    let first: Set = [Parameters.polyrhythm.parameter, Parameters.layer(1).parameter]
    if first.contains(parameter) { for name in first { waiting[name] = nil } }
  }

  /// Allows failed sets to be read again, because the sample rate has changed.
  mutating func restart() { failed = [] }

  /// Reads these sets again, with another voice.
  mutating func restart(_ names: Set<String>) { (failed, stale) = ([], names) }

  /// The set to read now; nil if one is being read or none is needed.
  mutating func next(for names: Set<String>, _ voice: VoiceSettings, sampleRate: Int) -> Job? {
    let wanted = names.subtracting(failed).union(stale).union(waiting.values.map(\.name))
    guard reading == nil, let name = wanted.min() else { return nil }
    reading = name
    stale.remove(name)
    return Job(name: name, voice: voice, sampleRate: sampleRate)
  }

  /// Notes that no set is being read.
  mutating func finishReading() { reading = nil }

  /// Takes out the settings that wait for a set after it has been read.
  /// - Parameter needed: the sets that the layers need.
  /// - Returns: the settings that waited for it.
  mutating func takeWaiting(
    for name: String, isRead: Bool, needed: Set<String>
  ) -> [(setting: Setting, requester: Requester)] {
    if !isRead { failed.insert(name) }
    failed.formIntersection(needed)
    let taken = waiting.values.filter { $0.name == name }
    waiting = waiting.filter { $0.value.name != name }
    return taken.map { ($0.setting, $0.requester) }
  }
}

/// The clips of the metronome's layers by the names of their sounds, with their sample rates.
typealias LayerClips = [String: (clips: ClipSet, sampleRate: Int)]

extension Settings {
  /// The sounds of the layers that have their own.
  var layerSounds: Set<String> { Set(layers.compactMap(\.layer.sound)) }
}
