import Dispatch
import Engine

/// A sound set that has been read, or why not.
public struct LoadedClips: Sendable {
  let name: String
  let sampleRate: Int
  let clips: Result<ClipSet, any Error>
  /// Told what was wrong.
  let refuse: (@Sendable (String) -> Void)?
}

/// Reads sound sets away from the conductor, so that a large file delays nothing.
final class SoundLoader: Sendable {
  private let queue = DispatchQueue(label: "tactus.sound")
  private let load: @Sendable (_ name: String, _ sampleRate: Int) throws -> ClipSet

  init(_ load: @escaping @Sendable (_ name: String, _ sampleRate: Int) throws -> ClipSet) {
    self.load = load
  }

  /// Reads a set on the calling thread.
  func loadNow(_ name: String, sampleRate: Int) throws -> ClipSet { try load(name, sampleRate) }

  /// Reads a set and pushes it to a queue.
  func load(
    _ name: String, sampleRate: Int, into updates: UpdateQueue, refuse: (@Sendable (String) -> Void)?
  ) {
    queue.async { [load] in
      let clips = Result { try load(name, sampleRate) }
      updates.push(
        Request(.clips(LoadedClips(name: name, sampleRate: sampleRate, clips: clips, refuse: refuse))))
    }
  }
}
