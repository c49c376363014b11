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
    link.begin(seed: seed)
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

  /// How far a click is from the nearest beat of whoever gives the time.
  struct Distance {
    /// Nanoseconds, and how many there may be.
    let off: Double
    let limit: Double
    /// The number of that beat, if whoever gives the time counts beats.
    var beat: Int?
  }

  /// How far a click at a clock frame is off; nil where nobody gives the time, or it is not known.
  /// - Parameter role: the program's.
  func distance(
    _ frame: Int64, _ role: String, _ beat: BeatNote, server: SimulatedServer, transportShift: Int64
  ) -> Distance? {
    guard let rendered = server.time(of: frame), let sounding = server.soundingTime(of: frame) else {
      return nil
    }
    let frameTime = 1e9 / Double(server.rate)
    switch (role, beat) {
    case ("link", .meter) where link.isJoined:
      // Its cycle began within a period before.
      let cycle = rendered - min(rendered, server.periodTime)...rendered
      guard let place = link.place(at: sounding, rendered: cycle) else { return nil }
      // The click is on the frame nearest to where the program reads the beat, and that is as far off as its measurement of the
      // session's time is. Where a new measurement moves a beat that is to come into the past, it is played at once: between the
      // places where the old and the new measurement have it.
      return Distance(
        off: place.distance, limit: Double(SimulatedLink.jitter) + frameTime, beat: place.number)
    case ("follow", .meter), ("follow", .fixed):
      guard server.leader == .other, let leader, leader.isHonestThroughout else { return nil }
      if case .fixed(let unit) = beat, unit != leader.unit { return nil }
      return Distance(
        off: leader.distance(Double(frame + server.latency + transportShift), rate: server.rate),
        limit: frameTime)
    case ("midi-clock", .meter(4)), ("midi-clock", .fixed(4)):
      guard sender.isRunning, sender.steadySince + 10_000_000_000 < sounding else { return nil }
      // Pulses are on whole frames, and so are clicks.
      return Distance(off: sender.distance(at: sounding), limit: 300_000 + 2 * frameTime)
    default: return nil
    }
  }
}
