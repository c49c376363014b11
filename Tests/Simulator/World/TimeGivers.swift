import Engine
import MIDI

/// Those that may give the program its time: another leader of the transport, a MIDI clock, a Link session.
final class TimeGivers {
  var sender: ClockSender
  /// The client that leads the transport in place of the program; nil if none does.
  var leader: OtherLeader?
  private let link: SimulatedLink
  private let clockIn = MIDIBuffer()

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
    clockIn.clear()
    sender.send(time..<time + server.periodTime, rate: server.rate, into: clockIn)
    cycle.clockIn = clockIn
  }

  /// Nanoseconds from the nearest beat of whoever gives the time, for a clock frame; nil where nobody does, or it is not known.
  /// - Parameters:
  ///   - role: the program's.
  ///   - countsNotes, countsQuarters: whether the program's beats are its meter's notes, and whether these are quarters.
  func distance(
    _ frame: Int64, _ role: String, countsNotes: Bool, countsQuarters: Bool, server: SimulatedServer,
    transportShift: Int64
  ) -> Double? {
    guard let rendered = server.time(of: frame), let sounding = server.soundingTime(of: frame) else {
      return nil
    }
    switch role {
    case "link": return countsNotes && link.isJoined ? link.distance(at: sounding) : nil
    case "follow":
      guard countsNotes, server.leader == .other else { return nil }
      return leader?.distance(Double(frame + transportShift), rate: server.rate)
    case "midi-clock":
      guard countsQuarters, sender.isRunning, sender.steadySince + 10_000_000_000 < rendered
      else { return nil }
      return sender.distance(at: rendered)
    default: return nil
    }
  }
}
