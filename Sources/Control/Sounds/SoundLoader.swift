import Engine

/// Reads a sound set, a built-in one or a folder, for a sample rate; returns its full name, and its clips. Sets that count use
/// the voice.
package typealias SoundReader =
  @Sendable (_ name: String, _ voice: VoiceSettings, _ sampleRate: Int) throws -> (
    name: String, clips: ClipSet
  )

/// A sound set that has been read, or why not.
package struct LoadedClips: Sendable {
  let wish: SoundLoader.Wish
  let sound: Result<(name: String, clips: ClipSet), any Error>
}

/// Decides which sound set is read next. The runner reads it away from the conductor, so that a large file delays nothing.
struct SoundLoader {
  struct Wish: Sendable {
    var name: String
    let voice: VoiceSettings
    /// Frames per second.
    var sampleRate: Int
    /// Told what was wrong.
    var asker: Asker
  }

  private var wishes = LatestWish<Wish>()
  /// The voice of the sets that were wished for; nil before the first look at it.
  private var voice: VoiceSettings?
  var isReading: Bool { wishes.isBusy }

  /// Takes the user's voice.
  /// - Returns: whether it has changed, so that sets that count are to be read again.
  mutating func follow(_ voice: VoiceSettings) -> Bool {
    defer { self.voice = voice }
    return self.voice.map { $0 != voice } ?? false
  }

  /// Wishes for a set.
  /// - Returns: the wish to fulfil now, if any.
  mutating func load(_ wish: Wish) -> Wish? { wishes.add(wish) }

  /// Wishes for the set at another sample rate: the one that is wished for already, else the one in use.
  /// - Returns: the wish to fulfil now, if any.
  mutating func changeRate(to sampleRate: Int, inUse name: String, _ voice: VoiceSettings) -> Wish? {
    if wishes.changeWaiting({ $0.sampleRate = sampleRate }) { return nil }
    // A set that is being read turns out to be at the wrong rate when it arrives.
    return isReading ? nil : load(Wish(name: name, voice: voice, sampleRate: sampleRate, asker: .nobody))
  }

  /// A set has arrived.
  /// - Returns: the wish to fulfil next, if any.
  mutating func advance() -> Wish? { wishes.advance() }
}
