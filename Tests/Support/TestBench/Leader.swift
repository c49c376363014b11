import CJack
import Synchronization

/// A timebase leader: publishes the bar, beat and tick of a `LeaderMap`.
///
/// `@unchecked Sendable`: only the timebase callback uses the map; orders reach it through an atomic.
final class Leader: @unchecked Sendable {
  /// The requested tempo in thousandths of a beat a minute; 0 for none.
  let orderedTempo = Atomic<Int>(0)
  /// All maps so far, in order.
  let history = FixedList<LeaderMap>(capacity: 10_000)
  let publication: TransportControl.Publication
  private var map: LeaderMap
  private let client: OpaquePointer
  private var lastFrame: Int64 = -1
  private var lastTime: UInt32 = 0

  init(client: OpaquePointer, map: LeaderMap, publication: TransportControl.Publication) {
    self.client = client
    self.map = map
    self.publication = publication
    history.put(map)
  }

  /// The timebase callback: fills `position`, which is the next cycle's.
  func publish(_ frameCount: Int64, _ position: UnsafeMutablePointer<jack_position_t>, isNew: Bool) {
    let frame = Int64(position.pointee.frame)
    if isRelocation(to: frame, frameCount, isNew: isNew) {
      map = map.relocated()
      history.put(map)
    }
    lastFrame = frame
    lastTime = jack_last_frame_time(client)
    let tempo = orderedTempo.exchange(0, ordering: .acquiringAndReleasing)
    if tempo > 0 {
      map = map.changing(tempo: tempo, at: frame)
      history.put(map)
    }
    write(map.position(at: frame), to: position)
  }

  /// jack2 does not mark the position as new after a locate while rolling. After missed cycles the transport has advanced by the
  /// passed time, which is not a locate.
  private func isRelocation(to frame: Int64, _ frameCount: Int64, isNew: Bool) -> Bool {
    let jump = frame - lastFrame
    guard lastFrame >= 0, abs(jump) > frameCount else { return false }
    let elapsed = Int64(jack_last_frame_time(client) &- lastTime)
    return isNew || abs(jump - elapsed) > frameCount
  }

  private func write(_ place: LeaderMap.Position, to position: UnsafeMutablePointer<jack_position_t>) {
    guard publication != .nothing else {
      position.pointee.valid = jack_position_bits_t(0)
      return
    }
    position.pointee.bar = Int32(place.bar)
    position.pointee.beat = Int32(place.beat)
    position.pointee.tick = Int32(place.tick)
    position.pointee.bar_start_tick = place.barStartTick
    position.pointee.beats_per_bar = Float(map.beatsPerBar)
    position.pointee.beat_type = Float(map.beatType)
    position.pointee.ticks_per_beat = Double(LeaderMap.ticksPerBeat)
    position.pointee.beats_per_minute = Double(map.tempo) / 1_000
    var valid = JackPositionBBT.rawValue
    if publication == .exactTicks {
      position.pointee.tick_double = place.exactTick
      valid |= JackTickDouble.rawValue
    }
    position.pointee.valid = jack_position_bits_t(valid)
  }
}
