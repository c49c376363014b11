import Engine

/// Reads a built-in sound set or a folder for a sample rate. Returns its full name and its clips. Sets that count use the
/// voice.
package typealias SoundReader =
  @Sendable (_ name: String, _ voice: VoiceSettings, _ sampleRate: Int) throws -> (
    name: String, clips: ClipSet
  )

/// A sound set that has been read, or the error.
package struct LoadedClips: Sendable {
  let job: SoundLoader.Job
  let sound: Result<(name: String, clips: ClipSet), any Error>
}

/// Decides which sound set is read next. A worker reads it, so that a large file delays nothing.
struct SoundLoader {
  struct Job: Sendable {
    var name: String
    let voice: VoiceSettings
    /// Frames per second.
    var sampleRate: Int
    /// Receives the reason if the set can't be read.
    var requester: Requester
  }

  private var jobs = LatestJob<Job>()
  /// The voice of the requested sets; nil until it has been read once.
  private var voice: VoiceSettings?
  var isReading: Bool { jobs.isBusy }

  /// Stores the user's voice.
  /// - Returns: whether it has changed, so that sets that count must be read again.
  mutating func follow(_ voice: VoiceSettings) -> Bool {
    defer { self.voice = voice }
    return self.voice.map { $0 != voice } ?? false
  }

  /// Requests a set.
  /// - Returns: the job to carry out now; nil if it waits.
  mutating func load(_ job: Job) -> Job? { jobs.add(job) }

  /// Requests the set at another sample rate: the set that waits already, otherwise the one in use.
  /// - Returns: the job to carry out now; nil if it waits.
  mutating func changeRate(to sampleRate: Int, inUse name: String, _ voice: VoiceSettings) -> Job? {
    if jobs.changeWaiting({ $0.sampleRate = sampleRate }) { return nil }
    // When a set that is being read arrives, its rate is compared again.
    return isReading ? nil : load(Job(name: name, voice: voice, sampleRate: sampleRate, requester: .nobody))
  }

  /// Notes that a set has been read.
  /// - Returns: the job to carry out next; nil if none waits.
  mutating func advance() -> Job? { jobs.advance() }
}
