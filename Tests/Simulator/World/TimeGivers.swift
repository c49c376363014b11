import Engine
import MIDI

/// Those that may give the program its time: another leader of the transport, a MIDI clock, a Link session.
final class TimeGivers {
  /// What the program's beats are: the notes of its meter, which in `follow` is the leader's, those of a document, or others.
  enum BeatNote {
    case meter(Int)
    case fixed(Int)
    case other
  }

  var sender: ClockSender
  /// The client that leads the transport in place of the program; nil if none does.
  var leader: OtherLeader?
  private let link: SimulatedLink
  private let clockIn = BorrowedBuffer()

  init(link: SimulatedLink, seed: UInt64) {
    self.link = link
    sender = ClockSender(seed: seed)
  }

  /// Puts what they say into a cycle.
  func fill(_ cycle: inout Cycle, at time: UInt64, server: SimulatedServer) {
    if let leader, server.leader == .other {
      cycle.transport.leader = leader.reading(cycle.transport.frame, rate: server.rate)
    }
    if let sounding = server.soundingTime(of: cycle.clock) { cycle.link = link.reading(at: sounding) }
    clockIn.buffer.clear()
    sender.send(time..<time + server.periodTime, rate: server.rate, into: clockIn.buffer)
    cycle.clockIn = clockIn.buffer
  }

  /// Nanoseconds from the nearest beat of whoever gives the time, for a clock frame, and how many there may be; nil where nobody
  /// does, or it is not known.
  /// - Parameter role: the program's.
  func distance(
    _ frame: Int64, _ role: String, _ beat: BeatNote, server: SimulatedServer, transportShift: Int64
  ) -> (off: Double, limit: Double)? {
    guard let rendered = server.time(of: frame), let sounding = server.soundingTime(of: frame) else {
      return nil
    }
    let frameTime = 1e9 / Double(server.rate)
    switch (role, beat) {
    case ("link", .meter) where link.isJoined: return (link.distance(at: sounding), frameTime)
    case ("follow", .meter), ("follow", .fixed):
      guard server.leader == .other, let leader, leader.isHonestThroughout else { return nil }
      if case .fixed(let unit) = beat, unit != leader.unit { return nil }
      return (leader.distance(Double(frame + transportShift), rate: server.rate), frameTime)
    case ("midi-clock", .meter(4)), ("midi-clock", .fixed(4)):
      guard sender.isRunning, sender.steadySince + 10_000_000_000 < rendered else { return nil }
      // Pulses are on whole frames, and so are clicks.
      return (sender.distance(at: rendered), 300_000 + 2 * frameTime)
    default: return nil
    }
  }
}
