import Control
import Dispatch
import Engine
import MusicTime
import Realtime
import Synchronization

/// Speaks texts as long as there is time for it, so that a voice that hangs, or hundreds of texts, don't delay the first click.
///
/// The patience is for all texts together. What a slow voice says after it is dropped; `Speech` may have cached it.
final class HastyVoice: Sendable {
  private let speak: Speaker
  private let deadline: Instant
  private let queue = DispatchQueue(label: "tactus.voice")

  init(_ speak: @escaping Speaker, patience: Duration) {
    (self.speak, deadline) = (speak, Instant.now + patience)
  }

  /// - Throws: `LateVoice` when the patience is over; what the voice throws.
  func clip(_ text: String, _ voice: VoiceSettings, _ sampleRate: Int) throws -> Clip {
    guard Instant.now < deadline else { throw LateVoice() }
    let answer = Answer()
    queue.async { [speak] in
      answer.result.withLock { $0 = Result { try speak(text, voice, sampleRate) } }
      answer.isThere.signal()
    }
    guard answer.isThere.wait(until: deadline), let result = answer.result.withLock({ $0 }) else {
      throw LateVoice()
    }
    return try result.get()
  }

  private final class Answer: Sendable {
    let result = Mutex<Result<Clip, any Error>?>(nil)
    let isThere = MonotonicSemaphore()
  }
}
