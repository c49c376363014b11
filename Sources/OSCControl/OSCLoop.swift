import CLiblo
import Glibc

/// What the osc thread runs: it sleeps until a datagram or something to send arrives, and never otherwise.
///
/// - Thread: osc.
final class OSCLoop {
  typealias Handlers = (messages: OSCServer.MessageHandler, fault: OSCServer.FaultHandler)

  private let sockets: OSCSockets
  private let access: OSCAccess
  private let outbox: OSCOutbox
  private let counters: OSCCounters
  private let handlers: Handlers
  private let liblo: LibloReader
  private var sender: OSCSender
  private let buffer: UnsafeMutableRawBufferPointer

  init(
    _ sockets: OSCSockets, access: OSCAccess, outbox: OSCOutbox, counters: OSCCounters,
    handlers: Handlers
  ) throws(OSCStartError) {
    liblo = try LibloReader(replacingSocketBy: sockets.udp.descriptor)
    self.sockets = sockets
    self.access = access
    self.outbox = outbox
    self.counters = counters
    self.handlers = handlers
    sender = OSCSender(counters: counters)
    buffer = .allocate(byteCount: OSCDatagram.lengthLimit, alignment: 8)
  }

  deinit { buffer.deallocate() }

  /// Runs until the outbox is closed.
  func run() {
    var polled = [
      pollfd(fd: outbox.wake, events: Int16(POLLIN), revents: 0),
      pollfd(fd: sockets.udp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: sockets.unix?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      poll(&polled, nfds_t(polled.count), sender.timeout)
      if polled[1].revents != 0 { receive(from: sockets.udp) }
      if polled[2].revents != 0, let unix = sockets.unix { receive(from: unix) }
      sender.retry(through: sockets)
      guard polled[0].revents != 0 else { continue }
      guard let packets = outbox.drain() else { return }
      for packet in packets { sender.send(packet, through: sockets) }
    }
  }

  /// How many datagrams are read from one socket before the other one and the answers have their turn.
  private static let batch = 64

  private func receive(from socket: OSCSocket) {
    for _ in 0..<Self.batch {
      guard case .datagram(let length, let peer) = socket.receive(into: buffer) else { return }
      counters.received.add(1, ordering: .relaxed)
      guard access.allows(peer) else {
        counters.refused.add(1, ordering: .relaxed)
        continue
      }
      do {
        handlers.messages(try read(length), peer)
      } catch {
        counters.refused.add(1, ordering: .relaxed)
        handlers.fault(error, peer)
      }
    }
  }

  /// Checks the datagram in the buffer, then lets liblo read it, and takes it only when both read the same.
  private func read(_ length: Int) throws(OSCFault) -> [OSCMessage] {
    guard length <= buffer.count else {
      throw OSCFault(reason: "datagram of \(length) bytes: at most \(buffer.count) are read")
    }
    var bytes = [UInt8](buffer[..<length])
    let datagram = try OSCDatagram(bytes)
    if !datagram.hasTypeTags { bytes += [UInt8(ascii: ","), 0, 0, 0] }
    let messages = liblo.parse(&bytes)
    guard messages == datagram.messages else {
      throw OSCFault(
        address: datagram.messages.first?.address, reason: "the datagram can be read in two ways")
    }
    return messages
  }
}
