import TestNumbers

/// The subject of a history.
enum Subject: String {
  case everything
  /// Leaders of the transport that appear, leave, publish wrong positions and stall.
  case leaders
  /// Starts, stops and moves of the transport, also together with other changes.
  case transport
  /// Ports that users connect and disconnect, and servers, devices and programs that appear and leave.
  case connections
  /// Documents with count-ins, and how players move through them: loops, holds, jumps, pauses.
  case sessions
}

/// All events of one run, generated from a seed alone.
struct History {
  let seed: UInt64
  /// Whether the server is PipeWire.
  let isPipeWire: Bool
  /// Nanoseconds.
  let duration: UInt64
  /// Frames per second, and frames per period, of the server at the beginning.
  var rate: Int
  var period: Int
  var happenings: [Happening]

  /// - Parameters:
  ///   - minutes: the length in minutes of simulated time.
  init(seed: UInt64, minutes: Int = 60, subject: Subject = .everything, isPipeWire: Bool = false) {
    var maker = DeedMaker(seed: seed, subject: subject)
    (self.seed, self.isPipeWire) = (seed, isPipeWire)
    duration = UInt64(minutes) * 60_000_000_000
    rate = maker.rate
    period = maker.period
    happenings = []
    var time: UInt64 = 200_000_000
    while time < duration {
      happenings.append(Happening(time: time, deed: maker.next()))
      time += maker.pause()
    }
  }

  /// The events up to a time, in words.
  func reported(until end: UInt64 = .max) -> [String] {
    ["at the start: \(isPipeWire ? "PipeWire" : "a JACK server") at \(rate) Hz, \(period) frames a period"]
      + happenings.filter { $0.time <= end }.map { "at \(seconds($0.time)) s: \($0.deed)" }
  }

  private func seconds(_ time: UInt64) -> String {
    let milliseconds = String(1_000 + time / 1_000_000 % 1_000).dropFirst()
    return "\(time / 1_000_000_000).\(milliseconds)"
  }
}
