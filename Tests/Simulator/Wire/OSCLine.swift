import Control
import Glibc
import MusicTime

@testable import OSC
@testable import OSCControl

/// The program's OSC remote without sockets: datagrams go in as bytes and come out as bytes. All that the simulator uses of
/// OSCControl's inside is in this file.
final class OSCLine {
  /// A datagram that the program sends.
  struct Sent {
    let peer: UInt16
    let messages: [OSCMessage]
    let time: OSCTime?
  }

  /// Most packets that wait to be sent: two lanes of the outbox.
  static let capacity = 2 * 1_024

  let remote: OSCRemote
  private let reader: LibloReader
  /// Packets that were waiting at a time, at most.
  private(set) var mostWaiting = 0
  /// What the program sent that can't be read, in words.
  private(set) var unreadable: [String] = []

  /// - Parameter clock: simulated time.
  init(_ updates: UpdateQueue, clock: RemoteClock, reader: LibloReader) throws {
    self.reader = reader
    remote = OSCRemote(OSCServer.Configuration(), updates: updates, clock: clock)
    try remote.server.startEmbedded(at: OSCLine.peer(9_700))
  }

  /// liblo's reader, on a descriptor that is no socket. One is enough for many programs.
  static func makeReader() throws -> LibloReader {
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nowhere) }
    return try LibloReader(replacingSocketBy: nowhere)
  }

  private static func peer(_ port: UInt16) -> OSCPeer { .udp(IPAddress("127.0.0.1")!, port: port) }

  /// A datagram arrives.
  func deliver(_ bytes: [UInt8], from port: UInt16) {
    remote.server.deliver(read(bytes), from: OSCLine.peer(port))
  }

  /// As the osc thread reads it.
  private func read(_ bytes: [UInt8]) -> Result<[OSCMessage], OSCFault> {
    do throws(OSCFault) {
      let datagram = try OSCDatagram(bytes)
      var bytes = bytes
      if !datagram.hasTypeTags { bytes += [UInt8(ascii: ","), 0, 0, 0] }
      let messages = reader.parse(&bytes)
      guard messages == datagram.messages else {
        throw OSCFault(reason: "the datagram can be read in two ways")
      }
      return .success(messages)
    } catch {
      return .failure(error)
    }
  }

  /// What the program sends now, through its bytes.
  func takeSent() -> [Sent] {
    var sent: [Sent] = []
    var waiting = 0
    while true {
      let packets = remote.server.takePackets()
      guard !packets.isEmpty else { break }
      waiting += packets.count
      for packet in packets {
        guard case .udp(_, let port) = packet.peer else { continue }
        _ = LibloWriter.datagrams(for: packet.messages, at: packet.time) { bytes in
          guard case .success(let messages) = read(Array(bytes)) else {
            return unreadable.append("\(packet.messages)")
          }
          sent.append(Sent(peer: port, messages: messages, time: messages.first?.time))
        }
      }
    }
    mostWaiting = max(mostWaiting, waiting)
    return sent
  }

  /// The bytes of messages that the app sends, in a bundle if they have a time.
  /// - Parameter wallClock: nanoseconds since the Unix epoch; nil for at once.
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
