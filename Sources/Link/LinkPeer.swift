import CLink
import Engine
import Realtime
import Synchronization

/// Tactus as a peer of Ableton Link.
///
/// Link itself begins with the first joining: who never joins has none of its threads.
public final class LinkPeer: LinkSession, @unchecked Sendable {
  // `@unchecked`: the pointer is to memory that outlives the peer, and all in it is atomic.

  /// What the process callback has to know of it. It lives as long as the process.
  public let line: UnsafePointer<LinkLine>

  /// nil where this build has no Link.
  public init?() {
    guard tactus_link_is_available() else { return nil }
    let line = UnsafeMutablePointer<LinkLine>.allocate(capacity: 1)
    line.initialize(to: LinkLine())
    self.line = UnsafePointer(line)
  }

  /// Ends Link, once no callback runs any more: the others hear that it has gone.
  public func end() {
    if let peer = line.pointee.peer.exchange(nil, ordering: .acquiringAndReleasing) {
      tactus_link_destroy(peer)
    }
  }

  private var peer: OpaquePointer? { line.pointee.peer.load(ordering: .acquiring) }

  // MARK: LinkSession

  public func join(tempo: Double, playing start: LinkStart?) -> Bool {
    if peer == nil {
      guard let made = tactus_link_create(tempo) else { return false }
      line.pointee.peer.store(made, ordering: .releasing)
    }
    guard let peer else { return false }
    tactus_link_set_tempo(peer, tempo, tactus_link_now())
    // What comes after the joining is for the others too, or lost: Link begins anew then, on a thread of its own.
    if let start { self.start(start) } else { stop() }
    tactus_link_enable(peer, true)
    return true
  }

  public func leave() { if let peer { tactus_link_enable(peer, false) } }

  public func set(tempo: Double) { if let peer { tactus_link_set_tempo(peer, tempo, tactus_link_now()) } }

  public func start(_ start: LinkStart) {
    guard let peer else { return }
    let now = tactus_link_now()
    let time =
      if let downbeat = start.downbeat {
        now + Int64(bitPattern: downbeat &- monotonicNow()) / 1_000
      } else {
        max(now, line.pointee.earliest.load(ordering: .relaxed))
      }
    tactus_link_start(peer, start.quantum, time)
  }

  public func stop() { if let peer { tactus_link_stop(peer, tactus_link_now()) } }

  public var state: LinkState {
    guard let peer else { return LinkState(tempo: 0, isPlaying: false, peers: 0) }
    let state = tactus_link_capture(peer, tactus_link_now())
    return LinkState(
      tempo: state.tempo, isPlaying: state.is_playing, peers: Int(clamping: tactus_link_peers(peer)))
  }
}

/// Between the process callback and the peer.
public struct LinkLine: ~Copyable {
  /// nil before the first joining.
  public let peer = Atomic<OpaquePointer?>(nil)
  /// The first moment at which what is asked for now can be heard, by Link's clock in microseconds.
  public let earliest = Atomic<Int64>(0)
}
