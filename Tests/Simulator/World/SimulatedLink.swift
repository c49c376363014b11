import CLink
import Engine
import Link
import Realtime
import TestNumbers

/// An Ableton Link session with other peers. The program reads its beat with an error.
///
/// A Link peer does not know the session's time. It measures the difference to its own clock when it joins and again every few
/// seconds, and each measurement has an error of its own (the intercept of `GhostXForm`). So the beat that it reads at an
/// instant is the beat of up to `jitter` nanoseconds earlier or later, and jumps by up to twice as much at a measurement.
final class SimulatedLink: LinkSession, @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  /// The largest error of a measurement, in nanoseconds.
  static let jitter: UInt64 = 250_000

  /// The session's beats from an instant on.
  private struct Course {
    let since: UInt64
    let beat: Double
    /// The instant of that beat.
    let time: UInt64
    let tempo: Double

    func beat(at time: UInt64) -> Double {
      beat + Double(Int64(bitPattern: time &- self.time)) * tempo / 60e9
    }
  }

  var now: UInt64 = 0 {
    didSet { if now >= nextMeasurement, isJoined, peers > 0 { measure() } }
  }
  private(set) var isJoined = false
  private var isPlaying = false
  private var peers = 0
  private var startBeat = 0.0
  /// The latest courses: sound at this moment was rendered with an earlier one.
  private var courses = [Course(since: 0, beat: 0, time: 0, tempo: 120)]
  private var numbers = Generator(seed: 1)
  /// The error of the last measurement, in nanoseconds; positive if the program is ahead.
  private var error: Int64 = 0
  private var nextMeasurement: UInt64 = 0
  /// Number of peers that have dropped out.
  private var absent = 0
  /// Until when the program reads past beats, if that flaw is planted.
  private var isBackUntil: UInt64 = 0
  private let flaw: Flaw?

  /// Seeds the measurements, so that they differ between histories.
  func begin(seed: UInt64) { numbers = Generator(seed: ~seed) }

  private var course: Course { courses[courses.count - 1] }
  private var tempo: Double { course.tempo }

  private func set(beat: Double, at time: UInt64, tempo: Double) {
    courses.append(Course(since: now, beat: beat, time: time, tempo: tempo))
    if courses.count > 16 { courses.removeFirst() }
  }

  private func measure() {
    error = Int64(numbers.number(-Int(SimulatedLink.jitter)...Int(SimulatedLink.jitter)))
    nextMeasurement = now + UInt64(numbers.number(500...30_000)) * 1_000_000
    if flaw == .linkDoublesBeats { isBackUntil = now + 1_000_000_000 }
  }

  /// The place of a click among the session's beats.
  /// - Parameters:
  ///   - time: when it sounds.
  ///   - rendered: when it was rendered; later changes do not apply to it.
  /// - Returns: the number of the nearest beat and the nanoseconds from it; nil if the session changed in that cycle.
  func place(at time: UInt64, rendered: ClosedRange<UInt64>) -> (number: Int, distance: Double)? {
    let valid = courses.lastIndex { $0.since <= rendered.lowerBound } ?? 0
    if valid + 1 < courses.count, courses[valid + 1].since <= rendered.upperBound { return nil }
    let beat = courses[valid].beat(at: time)
    return (Int(beat.rounded()), abs(beat - beat.rounded()) * 60e9 / courses[valid].tempo)
  }

  /// The connection through which the process callback reads the session. Its clock is JACK's.
  private let memory: UnsafeMutablePointer<LinkLine>
  var line: UnsafePointer<LinkLine> { UnsafePointer(memory) }

  init(flaw: Flaw? = nil) {
    self.flaw = flaw
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

  /// The session as the program reads it at an instant.
  private func reading(at time: UInt64) -> tactus_link_state {
    var beat = (course.beat(at: time &+ UInt64(bitPattern: error)) * 1e6).rounded() / 1e6
    if now < isBackUntil { beat -= 0.2 }
    return tactus_link_state(tempo: tempo, beat: beat, start: startBeat, is_playing: isPlaying)
  }

  // MARK: Other peers

  func setPeers(_ count: Int) {
    (peers, absent) = (count, 0)
    nextMeasurement = now
  }

  /// Drops the other peers for a while. The session continues with the program alone.
  func dropOut() { (peers, absent) = (0, max(absent, peers)) }

  /// Returns the other peers: the session becomes theirs, with another beat.
  /// - Parameter beats: by how many beats theirs is ahead.
  func rejoin(beats: Double) {
    guard absent > 0 else { return }
    (peers, absent) = (absent, 0)
    set(beat: course.beat(at: now) + beats, at: now, tempo: tempo)
    nextMeasurement = now
  }

  func setTempo(_ beatsPerMinute: Double) {
    set(beat: course.beat(at: now), at: now, tempo: beatsPerMinute)
  }

  func play(_ plays: Bool) {
    if plays, !isPlaying { startBeat = (course.beat(at: now) / 4).rounded(.up) * 4 }
    isPlaying = plays
  }

  // MARK: LinkSession

  func join(tempo: Double, playing start: LinkStart?) -> Bool {
    isJoined = true
    memory.pointee.peer.store(
      OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), ordering: .releasing)
    if peers == 0 {
      set(beat: 0, at: start?.downbeat?.nanoseconds ?? now, tempo: tempo)
      (isPlaying, startBeat) = (start != nil, 0)
    }
    nextMeasurement = now
    return true
  }

  func leave() {
    isJoined = false
    memory.pointee.peer.store(nil, ordering: .releasing)
  }

  func set(tempo: Double) { setTempo(tempo) }

  func start(_ start: LinkStart) {
    if peers == 0 { set(beat: 0, at: now, tempo: tempo) }
    startBeat = peers == 0 ? 0 : (course.beat(at: now) / start.quantum).rounded(.up) * start.quantum
    isPlaying = true
  }

  func stop() { isPlaying = false }

  var state: LinkState { LinkState(tempo: tempo, isPlaying: isPlaying, peers: peers) }
}
