import Engine
import MusicTime

/// The JACK transport as a timebase leader sees it.
struct LedTransport {
  let rig: Rig
  var frame: UInt32
  var isRolling = true
  /// The position that was published for the next period's first frame.
  private(set) var published: BarBeatTick

  init(_ rig: Rig, frame: UInt32 = 0) {
    self.rig = rig
    self.frame = frame
    rig.render(1, LedTransport.cycle(frame, false))
    published = rig.barBeatTick(at: frame)
  }

  private static func cycle(_ frame: UInt32, _ isRolling: Bool) -> Cycle.Transport {
    var transport = Cycle.Transport()
    transport.frame = frame
    transport.isRolling = isRolling
    return transport
  }

  mutating func render(_ frames: Int) -> ArraySlice<Event> {
    let events = rig.render(frames, LedTransport.cycle(frame, isRolling))
    if isRolling { frame &+= UInt32(frames) }
    published = rig.barBeatTick(at: frame)
    return events
  }

  mutating func locate(_ frame: UInt32) {
    self.frame = frame
    published = rig.barBeatTick(at: frame)
  }

  /// Skips cycles that the client misses while the transport rolls on.
  mutating func miss(_ frames: Int) {
    rig.clock += Int64(frames)
    frame &+= UInt32(frames)
  }
}
