import CLink
import Engine
import Link
import Realtime

/// An Ableton Link session with others in it, whose clock the program reads with some jitter.
final class SimulatedLink: LinkSession, @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  var now: UInt64 = 0
  private(set) var isJoined = false
  private var tempo = 120.0
  private var isPlaying = false
  private var peers = 0
  private var origin: (beat: Double, time: UInt64) = (0, 0)
  private var startBeat = 0.0

  private func beat(at time: UInt64) -> Double {
    origin.beat + Double(Int64(bitPattern: time &- origin.time)) * tempo / 60e9
  }

  /// Nanoseconds from the nearest beat.
  func distance(at time: UInt64) -> Double {
    let beat = beat(at: time)
    return abs(beat - beat.rounded()) * 60e9 / tempo
  }

  /// What the process callback reads the session through. Its clock is JACK's.
  private let memory: UnsafeMutablePointer<LinkLine>
  var line: UnsafePointer<LinkLine> { UnsafePointer(memory) }

  init() {
    memory = .allocate(capacity: 1)
    memory.initialize(
      to: LinkLine(
        now: { 0 },
        captureAudio: { peer, microseconds in
          Unmanaged<SimulatedLink>.fromOpaque(UnsafeRawPointer(peer!)).takeUnretainedValue()
            .reading(at: UInt64(microseconds) * 1_000)
        }))
  }

  deinit {
    memory.deinitialize(count: 1)
    memory.deallocate()
  }

  /// As the program reads it at an instant.
  private func reading(at time: UInt64) -> tactus_link_state {
    let beat = (beat(at: time) * 1e6).rounded() / 1e6
    return tactus_link_state(tempo: tempo, beat: beat, start: startBeat, is_playing: isPlaying)
  }

  // MARK: The others

  func setPeers(_ count: Int) { peers = count }

  func setTempo(_ beatsPerMinute: Double) {
    origin = (beat(at: now), now)
    tempo = beatsPerMinute
  }

  func play(_ plays: Bool) {
    if plays, !isPlaying { startBeat = (beat(at: now) / 4).rounded(.up) * 4 }
    isPlaying = plays
  }

  // MARK: LinkSession

  func join(tempo: Double, playing start: LinkStart?) -> Bool {
    isJoined = true
    memory.pointee.peer.store(
      OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), ordering: .releasing)
    if peers == 0 {
      self.tempo = tempo
      let downbeat = start?.downbeat?.nanoseconds ?? now
      origin = (0, downbeat)
      (isPlaying, startBeat) = (start != nil, 0)
    }
    return true
  }

  func leave() {
    isJoined = false
    memory.pointee.peer.store(nil, ordering: .releasing)
  }

  func set(tempo: Double) { setTempo(tempo) }

  func start(_ start: LinkStart) {
    if peers == 0 { origin = (0, now) }
    startBeat = peers == 0 ? 0 : (beat(at: now) / start.quantum).rounded(.up) * start.quantum
    isPlaying = true
  }

  func stop() { isPlaying = false }

  var state: LinkState { LinkState(tempo: tempo, isPlaying: isPlaying, peers: peers) }
}
