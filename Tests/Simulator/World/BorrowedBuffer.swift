import MIDI
import Synchronization

/// A MIDI buffer for as long as this lives. The memory of buffers is never freed: the next one who needs a buffer gets it.
final class BorrowedBuffer: Sendable {
  private static let spare = Mutex<[MIDIBuffer]>([])

  let buffer: MIDIBuffer

  init() {
    buffer = BorrowedBuffer.spare.withLock { $0.popLast() } ?? MIDIBuffer()
    buffer.clear()
  }

  deinit { BorrowedBuffer.spare.withLock { [buffer] in $0.append(buffer) } }
}
