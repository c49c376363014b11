import Control
import OSC
import OSCControl

/// The program's OSC remote without sockets: datagrams enter and leave as bytes.
final class OSCLine {
  /// A datagram that the program sends.
  struct Sent {
    let peer: UInt16
    let messages: [OSCMessage]
    let time: OSCTime?
  }

  /// The maximum number of datagrams sent at a time: two lanes of the outbox, each with packets that may need several
  /// datagrams.
  static let capacity = 4 * 1_024

  let remote: OSCRemote
  private let osc: EmbeddedOSC
  private let clock: RemoteClock
  /// Sent datagrams that have not been taken yet.
  private var waiting: [EmbeddedOSC.Datagram] = []
  /// The highest number of datagrams that waited at a time.
  private(set) var mostWaiting = 0
  /// Sent datagrams that can't be parsed, in words.
  private(set) var unreadable: [String] = []

  /// - Parameter clock: simulated time.
  init(_ updates: UpdateQueue, clock: RemoteClock) {
    self.clock = clock
    remote = OSCRemote(OSCServer.Configuration(), updates: updates, clock: clock)
    osc = remote.embed(at: OSCLine.peer(9_700))
  }

  private static func peer(_ port: UInt16) -> OSCPeer { .udp(IPAddress("127.0.0.1")!, port: port) }

  /// A datagram arrives.
  func deliver(_ bytes: [UInt8], from port: UInt16) {
    run([EmbeddedOSC.Datagram(bytes, OSCLine.peer(port))])
  }

  private func run(_ datagrams: [EmbeddedOSC.Datagram]) {
    waiting += osc.run(datagrams, at: clock.now())
    mostWaiting = max(mostWaiting, waiting.count)
  }

  /// Takes what the program sends now, through its bytes.
  func takeSent() -> [Sent] {
    run([])
    defer { waiting = [] }
    return waiting.compactMap { datagram in
      guard case .udp(_, let port) = datagram.peer else { return nil }
      do throws(OSCFault) {
        let messages = try OSCDatagram(datagram.bytes).messages
        return Sent(peer: port, messages: messages, time: messages.first?.time)
      } catch {
        unreadable.append(error.reason)
        return nil
      }
    }
  }

  /// The bytes of an app's messages, in a bundle if they have a time.
  /// - Parameter wallClock: nanoseconds since the Unix epoch; nil: at once.
  static func bytes(_ messages: [Deed.Message], at wallClock: Int64? = nil) -> [[UInt8]] {
    var datagrams: [[UInt8]] = []
    let made = messages.map { OSCMessage($0.address, arguments: $0.arguments.map(argument)) }
    _ = LibloWriter.datagrams(for: made, at: wallClock.map { OSCTime(unixNanoseconds: $0) }) {
      datagrams.append(Array($0))
    }
    return datagrams
  }

  private static func argument(_ argument: Deed.Argument) -> OSCArgument {
    switch argument {
    case .int(let number): .int32(number)
    case .float(let number): .float(number)
    case .text(let text): .string(text)
    }
  }
}
