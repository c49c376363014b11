import Control
import Dispatch
import Engine
import MusicTime
import Realtime
import Synchronization

/// Speaks texts within a time limit, so that a hanging voice or hundreds of texts don't delay the first click.
///
/// The limit is for all texts together. A text that is spoken later is dropped; `Speech` may have cached it.
final class TimeLimitedSpeech: Sendable {
  private let speak: Speaker
  private let deadline: Instant
  private let queue = DispatchQueue(label: "tactus.voice.first")

  /// - Parameter patience: the time limit, from now on.
  init(_ speak: @escaping Speaker, patience: Duration) {
    (self.speak, deadline) = (speak, Instant.now + patience)
  }

  /// Speaks a text. Blocks until the time limit at most.
  /// - Throws: `SpeechTimeout` after the time limit; the errors of `speak`.
  func clip(_ text: String, _ voice: VoiceSettings, _ sampleRate: Int) throws -> Clip {
    guard Instant.now < deadline else { throw SpeechTimeout() }
    let answer = Answer()
    queue.async { [speak] in
      answer.result.withLock { $0 = Result { try speak(text, voice, sampleRate) } }
      answer.isThere.signal()
    }
    guard answer.isThere.wait(until: deadline), let result = answer.result.withLock({ $0 }) else {
      throw SpeechTimeout()
    }
    return try result.get()
  }

  private final class Answer: Sendable {
    let result = Mutex<Result<Clip, any Error>?>(nil)
    let isThere = MonotonicSemaphore()
  }
}
