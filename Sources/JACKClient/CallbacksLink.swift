import CJack
import Engine
import Link
import Synchronization

// Calls of Ableton Link, which the compiler can't check either.

/// The state of the session at the instant at which the cycle's first frame leaves the speakers; nil while Link is off, or if
/// JACK's clock can't be read.
/// - Thread: audio
@inline(__always)
func readLink(
  _ line: UnsafePointer<LinkLine>, _ client: OpaquePointer, _ context: UnsafeMutablePointer<ProcessContext>,
  _ frames: UInt32
) -> Cycle.Link? {
  guard let peer = line.pointee.peer.load(ordering: .acquiring) else { return nil }
  return readLink(line, peer, client, context, frames)
}

@inline(never)
private func readLink(
  _ line: UnsafePointer<LinkLine>, _ peer: OpaquePointer, _ client: OpaquePointer,
  _ context: UnsafeMutablePointer<ProcessContext>, _ frames: UInt32
) -> Cycle.Link? {
  let jack = context.pointee.jack
  let before = jack.pointee.time()
  let now = line.pointee.now()
  let after = jack.pointee.time()
  // If the thread was interrupted between the readings, keep the last comparison.
  if after &- before <= 50 || context.pointee.linkOffset == nil {
    context.pointee.linkOffset = now - Int64(before / 2 + after / 2)
  }
  var (frame, start, next, period): (jack_nframes_t, jack_time_t, jack_time_t, Float) = (0, 0, 0, 0)
  let rate = Int64(context.pointee.shared.pointee.sampleRate.load(ordering: .relaxed))
  guard jack.pointee.cycleTimes(client, &frame, &start, &next, &period) == 0, rate > 0,
    let offset = context.pointee.linkOffset
  else { return nil }
  let latency = Int64(context.pointee.shared.pointee.latency.load(ordering: .relaxed)) * 1_000_000 / rate
  let time = Int64(start) + offset + latency
  let length = Int64(frames) * 1_000_000 / rate
  // A change may take 10 ms from the conductor to the next cycle.
  line.pointee.earliest.store(time + length + max(length, 10_000), ordering: .relaxed)
  let state = line.pointee.captureAudio(peer, time)
  return Cycle.Link(
    beat: state.beat, beatsPerMinute: state.tempo, isPlaying: state.is_playing, start: state.start)
}
