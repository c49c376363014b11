import CJack
import CLink
import Foundation
import TestBench

/// The test's own Ableton Link peer, which stands for a musician's program.
final class LinkBench {
  private let peer: OpaquePointer
  /// Link sends multicast: its tests need an isolated network.
  static var isPossible: Bool {
    tactus_link_is_available() && ProcessInfo.processInfo.environment["TACTUS_NETWORK"] == "own"
  }

  /// Joins a session or begins one. If two sessions are of the same age within half a second, either may survive: so the next peer
  /// joins later than that.
  init(tempo: Double) throws {
    guard let peer = tactus_link_create(tempo) else { throw BenchError("no Link") }
    self.peer = peer
    tactus_link_enable(peer, true)
    let start = tactus_link_now()
    _ = eventually { tactus_link_now() - start > 700_000 }
  }

  /// Leaves the session.
  deinit { tactus_link_destroy(peer) }

  var peers: Int { Int(tactus_link_peers(peer)) }
  var now: tactus_link_state { state(at: tactus_link_now()) }

  func set(tempo: Double) { tactus_link_set_tempo(peer, tempo, tactus_link_now()) }
  func start(quantum: Double = 4) { tactus_link_start(peer, quantum, tactus_link_now()) }
  func stop() { tactus_link_stop(peer, tactus_link_now()) }

  private func state(at time: Int64) -> tactus_link_state { tactus_link_capture(peer, time) }

  /// The session's beat at which a recorded frame of Tactus leaves the speakers.
  func beat(of frame: Int64, _ recorder: RecorderClient) -> Double {
    let client = recorder.client.handle
    let offset = tactus_link_now() - Int64(jack_get_time())
    var latency = jack_latency_range_t()
    jack_port_get_latency_range(jack_port_by_name(client, "tactus:out"), JackPlaybackLatency, &latency)
    // PipeWire before 0.3.66 can't say when a frame was.
    let ahead = Int32(bitPattern: UInt32(truncatingIfNeeded: frame) &- jack_frame_time(client))
    let delay = (Int64(ahead) + Int64(latency.max)) * 1_000_000 / Int64(recorder.client.sampleRate)
    return state(at: Int64(jack_get_time()) + offset + delay).beat
  }
}

/// Compares Tactus's clicks with a peer's beats as they come, because each tempo changes the session's past.
final class LinkClicks {
  /// The largest allowed distance of a click from the other's beat, in milliseconds.
  static let tolerance = 3.0

  let recorder: RecorderClient
  private let peer: LinkBench
  private var seen = 0

  init(_ recorder: RecorderClient, _ peer: LinkBench) {
    (self.recorder, self.peer) = (recorder, peer)
    recorder.record()
  }

  /// Waits for the next clicks, and returns the numbers of their beats.
  /// - Throws: `BenchError` if a click is too far off, or does not come.
  func next(_ count: Int) throws -> [Int] {
    var beats: [Int] = []
    while beats.count < count {
      let frame = try nextFrame()
      let beat = peer.beat(of: frame, recorder)
      let error = (beat - beat.rounded()) * 60_000 / peer.now.tempo
      guard abs(error) <= LinkClicks.tolerance else {
        throw BenchError("click \(error) ms off beat \(beat) after \(beats) at \(peer.now.tempo)")
      }
      beats.append(Int(beat.rounded()))
    }
    return beats
  }

  /// Waits for the next click.
  func nextFrame() throws -> Int64 {
    guard eventually({ recorder.onsets().count > seen }) else { throw BenchError("no click") }
    defer { seen += 1 }
    return recorder.onsets()[seen]
  }

  /// Skips the clicks recorded so far.
  func skip() { seen = recorder.onsets().count }

  /// Whether there was no click for a number of frames.
  func isSilent(for frames: Int) throws -> Bool {
    skip()
    try recorder.pass(frames)
    return recorder.onsets().count == seen
  }
}
