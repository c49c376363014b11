import Engine

/// The possible sources of the program's time: another leader of the transport, a MIDI clock, a Link session.
final class TimeSources {
  /// The note of the program's beats: the meter's, which in `follow` is the leader's; a document's; or another.
  enum BeatNote {
    case meter(Int)
    case fixed(Int)
    case other
  }

  var sender: ClockSender
  /// The other client that leads the transport; nil if there is none.
  var leader: OtherLeader?
  private let link: SimulatedLink

  init(link: SimulatedLink, seed: UInt64) {
    self.link = link
    link.begin(seed: seed)
    sender = ClockSender(seed: seed)
  }

  /// Sends the machine's messages in the cycle that begins now.
  func send(to server: SimulatedServer) {
    guard let port = server.devices.port(.machine).flatMap(server.graph.port(named:)), isHeard(server)
    else { return }
    port.clear()
    sender.send(server.now..<server.now + server.periodTime, rate: server.rate, into: port)
  }

  /// Nanoseconds of a whole note of the machine's clock; nil if the program does not receive it, or not steadily.
  func machineWhole(_ server: SimulatedServer) -> UInt64? {
    sender.isRunning && isHeard(server) && sender.steadySince < server.now ? sender.wholeTime : nil
  }

  /// Whether the program is connected to the machine.
  private func isHeard(_ server: SimulatedServer) -> Bool {
    server.client?.port("clock-in")?.peers.isEmpty == false
  }

  /// The distance of a click from the nearest beat of the source of the time.
  struct Distance {
    /// The distance and the allowed distance, in nanoseconds.
    let off: Double
    let limit: Double
    /// The number of that beat; nil if the source does not count beats.
    var beat: Int?
  }

  /// The distance of a click at a clock frame; nil if there is no source of the time, or if it is not known.
  /// - Parameter role: the program's role.
  func distance(
    _ frame: Int64, _ role: String, _ beat: BeatNote, server: SimulatedServer, transportShift: Int64
  ) -> Distance? {
    guard let rendered = server.time(of: frame), let sounding = server.soundingTime(of: frame) else {
      return nil
    }
    let frameTime = 1e9 / Double(server.rate)
    switch (role, beat) {
    case ("link", .meter) where link.isJoined:
      // The cycle began up to a period earlier.
      let cycle = rendered - min(rendered, server.periodTime)...rendered
      guard let place = link.place(at: sounding, rendered: cycle) else { return nil }
      // The click is on the frame nearest to the beat that the program reads, which has the error of its measurement of the
      // session's time. If a new measurement moves the next beat into the past, it is played at once: between the places of the
      // old and the new measurement.
      return Distance(
        off: place.distance, limit: Double(SimulatedLink.jitter) + frameTime, beat: place.number)
    case ("follow", .meter), ("follow", .fixed):
      guard server.leader == .other, let leader, leader.isHonestThroughout else { return nil }
      if case .fixed(let unit) = beat, unit != leader.unit { return nil }
      return Distance(
        off: leader.distance(Double(frame + server.latency + transportShift), rate: server.rate),
        limit: frameTime)
    case ("midi-clock", .meter(4)), ("midi-clock", .fixed(4)):
      // Without the machine the program continues in the tempo that it has measured.
      guard sender.isRunning, isHeard(server), sender.steadySince + 10_000_000_000 < sounding else {
        return nil
      }
      // Pulses are on whole frames, and so are clicks.
      return Distance(off: sender.distance(at: sounding), limit: 300_000 + 2 * frameTime)
    default: return nil
    }
  }
}
