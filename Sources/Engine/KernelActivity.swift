import MIDI
import Synchronization

/// Showing that MIDI comes and goes.
extension Kernel {
  /// - Thread: audio
  @_noLocks
  func noteMIDI(of cycle: Cycle, _ outputs: Outputs) {
    if holdsMessages(cycle.control) || holdsMessages(cycle.clockIn) {
      channels.pointee.hasReceivedMIDI.store(true, ordering: .relaxed)
    }
    if holdsMessages(outputs.notes) || holdsMessages(outputs.clock) {
      channels.pointee.hasSentMIDI.store(true, ordering: .relaxed)
    }
  }

  @_noLocks
  private func holdsMessages(_ buffer: MIDIBuffer?) -> Bool {
    guard let buffer else { return false }
    return buffer.count > 0
  }
}
