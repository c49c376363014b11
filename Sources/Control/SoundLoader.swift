import Dispatch
import Engine

/// Reads a sound set, a built-in one or a folder, for a sample rate; returns its full name, and its clips.
public typealias SoundReader =
  @Sendable (_ name: String, _ sampleRate: Int) throws -> (name: String, clips: ClipSet)

/// A sound set that has been read, or why not.
public struct LoadedClips: Sendable {
  let asked: String
  let sampleRate: Int
  let sound: Result<(name: String, clips: ClipSet), any Error>
  /// Told what was wrong.
  let refuse: (@Sendable (String) -> Void)?
}

/// Reads sound sets away from the conductor, so that a large file delays nothing.
final class SoundLoader: Sendable {
  private let queue = DispatchQueue(label: "tactus.sound")
  private let read: SoundReader

  init(_ read: @escaping SoundReader) {
    self.read = read
  }

  /// Reads a set and pushes it to a queue.
  func load(
    _ name: String, sampleRate: Int, into updates: UpdateQueue, refuse: (@Sendable (String) -> Void)?
  ) {
    queue.async { [read] in
      let sound = Result { try read(name, sampleRate) }
      updates.push(
        Request(.clips(LoadedClips(asked: name, sampleRate: sampleRate, sound: sound, refuse: refuse))))
    }
  }
}
