import CLink
import Engine
import Realtime
import Synchronization

/// Tactus as an Ableton Link peer.
///
/// Link and its threads start when the peer joins for the first time.
/// - Thread: control, unless stated otherwise
package final class LinkPeer: LinkSession, @unchecked Sendable {
  // `@unchecked`: the pointer's memory outlives the peer, and everything in it is atomic.

  /// The data that the process callback shares with the peer. It is never freed.
  package let line: UnsafePointer<LinkLine>

  /// Whether this build has Link.
  package static var isBuiltIn: Bool { tactus_link_is_available() }

  /// Makes a peer that is in no session. Returns nil if this build has no Link.
  package init?() {
    guard LinkPeer.isBuiltIn else { return nil }
    let line = UnsafeMutablePointer<LinkLine>.allocate(capacity: 1)
    line.initialize(to: LinkLine())
    self.line = UnsafePointer(line)
  }

  /// Leaves the session and ends Link. Call it after the last process callback.
  /// - Thread: any
  package func end() {
    if let peer = line.pointee.peer.exchange(nil, ordering: .acquiringAndReleasing) {
      tactus_link_destroy(peer)
    }
  }

  private var peer: OpaquePointer? { line.pointee.peer.load(ordering: .acquiring) }

  // MARK: LinkSession

  package func join(tempo: Double, playing start: LinkStart?) -> Bool {
    if peer == nil {
      guard let made = tactus_link_create(tempo) else { return false }
      line.pointee.peer.store(made, ordering: .releasing)
    }
    guard let peer else { return false }
    tactus_link_set_tempo(peer, tempo, tactus_link_now())
    // Set the state before joining: Link resets its state on its own thread when it is enabled, so a later change could reach a
    // session that already plays.
    if let start { self.start(start) } else { stop() }
    tactus_link_enable(peer, true)
    return true
  }

  package func leave() { if let peer { tactus_link_enable(peer, false) } }

  package func set(tempo: Double) { if let peer { tactus_link_set_tempo(peer, tempo, tactus_link_now()) } }

  package func start(_ start: LinkStart) {
    guard let peer else { return }
    let now = tactus_link_now()
    let time =
      if let downbeat = start.downbeat {
        now + (downbeat - .now).nanoseconds / 1_000
      } else {
        max(now, line.pointee.earliest.load(ordering: .relaxed))
      }
    tactus_link_start(peer, start.quantum, time)
  }

  package func stop() { if let peer { tactus_link_stop(peer, tactus_link_now()) } }

  package var state: LinkState {
    guard let peer else { return LinkState(tempo: 0, isPlaying: false, peers: 0) }
    let state = tactus_link_capture(peer, tactus_link_now())
    return LinkState(
      tempo: state.tempo, isPlaying: state.is_playing, peers: Int(clamping: tactus_link_peers(peer)))
  }
}

/// What the process callback and the peer share.
package struct LinkLine: ~Copyable {
  /// The Link instance; nil before the first join.
  package let peer = Atomic<OpaquePointer?>(nil)
  /// The earliest time at which a change requested now can be heard, in microseconds of Link's clock.
  package let earliest = Atomic<Int64>(0)
  /// Reads Link's clock, in microseconds.
  package let now: @convention(c) () -> Int64
  /// Reads the session as it stands at a time of Link's clock.
  package let captureAudio: @convention(c) (OpaquePointer?, Int64) -> tactus_link_state

  /// - Parameters:
  ///   - now: Link's own functions, or a simulation's.
  package init(
    now: @escaping @convention(c) () -> Int64 = tactus_link_now,
    captureAudio: @escaping @convention(c) (OpaquePointer?, Int64) -> tactus_link_state =
      tactus_link_capture_audio
  ) {
    (self.now, self.captureAudio) = (now, captureAudio)
  }
}
