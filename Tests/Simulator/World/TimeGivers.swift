import Engine

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

  init(link: SimulatedLink, seed: UInt64) {
    self.link = link
    sender = ClockSender(seed: seed)
  }

  /// Sends the messages of the machine in the cycle that begins now.
  func send(to server: SimulatedServer) {
    guard let port = server.devices.port(.machine).flatMap(server.graph.port(named:)),
      server.client?.port("clock-in")?.peers.isEmpty == false
    else { return }
    port.clear()
    sender.send(server.now..<server.now + server.periodTime, rate: server.rate, into: port)
  }

  /// Nanoseconds from the nearest beat of whoever gives the time, for a clock frame, and how many there may be; nil where nobody
  /// does, or it is not known.
  /// - Parameter role: the program's.
  func distance(
    _ frame: Int64, _ role: String, _ beat: BeatNote, server: SimulatedServer, transportShift: Int64
  ) -> (off: Double, limit: Double)? {
    guard let sounding = server.soundingTime(of: frame) else {
      return nil
    }
    let frameTime = 1e9 / Double(server.rate)
    switch (role, beat) {
    case ("link", .meter) where link.isJoined: return (link.distance(at: sounding), frameTime)
    case ("follow", .meter), ("follow", .fixed):
      guard server.leader == .other, let leader, leader.isHonestThroughout else { return nil }
      if case .fixed(let unit) = beat, unit != leader.unit { return nil }
      return (leader.distance(Double(frame + server.latency + transportShift), rate: server.rate), frameTime)
    case ("midi-clock", .meter(4)), ("midi-clock", .fixed(4)):
      guard sender.isRunning, sender.steadySince + 10_000_000_000 < sounding else { return nil }
      // Pulses are on whole frames, and so are clicks.
      return (sender.distance(at: sounding), 300_000 + 2 * frameTime)
    default: return nil
    }
  }
}
