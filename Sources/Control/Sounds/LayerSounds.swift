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
    /// Frames per second.
    let sampleRate: Int
  }

  /// The sets that are being read, or could not be.
  private var asked: Set<String> = []
  /// The settings that wait for a set, and who has sent them; the newest of each parameter.
  private var waiting: [Parameter: (setting: Setting, name: String, asker: Asker)] = [:]

  /// Has a setting wait for its sound; an earlier one of the same parameter is not wanted any more.
  mutating func wait(_ setting: Setting, for name: String, _ asker: Asker) {
    waiting[setting.parameter] = (setting, name, asker)
    // What could not be read may be there now.
    asked.remove(name)
  }

  /// A parameter is set, or all are: what waits is not wanted any more.
  mutating func drop(_ parameter: Parameter?) {
    if let parameter { waiting[parameter] = nil } else { waiting = [:] }
  }

  /// All sets have to be read again, for another sample rate.
  mutating func restart() { asked = [] }

  /// Those of some sets that are to be read now.
  mutating func wishes(for names: Set<String>, sampleRate: Int) -> [Wish] {
    let wanted = names.union(waiting.values.map(\.name)).subtracting(asked).sorted()
    asked.formUnion(wanted)
    return wanted.map { Wish(name: $0, sampleRate: sampleRate) }
  }

  /// A set has been read.
  /// - Returns: the settings that waited for it.
  mutating func takeWaiting(for name: String, isRead: Bool) -> [(setting: Setting, asker: Asker)] {
    if isRead { asked.remove(name) }
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
