import Engine

/// Reads a built-in sound set or a folder for a sample rate. Returns its full name and its clips. Sets that count use the
/// voice.
package typealias SoundReader =
  @Sendable (_ name: String, _ voice: VoiceSettings, _ sampleRate: Int) throws -> (
    name: String, clips: ClipSet
  )

/// A sound set that has been read, or the error.
package struct LoadedClips: Sendable {
  let wish: SoundLoader.Wish
  let sound: Result<(name: String, clips: ClipSet), any Error>
}

/// Decides which sound set is read next. A worker reads it, so that a large file delays nothing.
struct SoundLoader {
  struct Wish: Sendable {
    var name: String
    let voice: VoiceSettings
    /// Frames per second.
    var sampleRate: Int
    /// Receives the reason if the set can't be read.
    var asker: Asker
  }

  private var wishes = LatestWish<Wish>()
  /// The voice of the requested sets; nil until it has been read once.
  private var voice: VoiceSettings?
  var isReading: Bool { wishes.isBusy }

  /// Stores the user's voice.
  /// - Returns: whether it has changed, so that sets that count must be read again.
  mutating func follow(_ voice: VoiceSettings) -> Bool {
    defer { self.voice = voice }
    return self.voice.map { $0 != voice } ?? false
  }

  /// Requests a set.
  /// - Returns: the wish to carry out now; nil if it waits.
  mutating func load(_ wish: Wish) -> Wish? { wishes.add(wish) }

  /// Requests the set at another sample rate: the set that waits already, otherwise the one in use.
  /// - Returns: the wish to carry out now; nil if it waits.
  mutating func changeRate(to sampleRate: Int, inUse name: String, _ voice: VoiceSettings) -> Wish? {
    if wishes.changeWaiting({ $0.sampleRate = sampleRate }) { return nil }
    // When a set that is being read arrives, its rate is compared again.
    return isReading ? nil : load(Wish(name: name, voice: voice, sampleRate: sampleRate, asker: .nobody))
  }

  /// Notes that a set has been read.
  /// - Returns: the wish to carry out next; nil if none waits.
  mutating func advance() -> Wish? { wishes.advance() }
}
