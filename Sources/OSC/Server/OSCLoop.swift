import CLiblo
import Glibc
import Realtime

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
  private var inbox = OSCInbox()
  private let urgent: Set<[UInt8]>
  private let buffer: UnsafeMutableRawBufferPointer

  init(
    _ sockets: OSCSockets, access: OSCAccess, outbox: OSCOutbox, counters: OSCCounters,
    handlers: Handlers, urgent: Set<String>
  ) throws(OSCStartError) {
    liblo = try LibloReader(replacingSocketBy: sockets.udp.descriptor)
    self.sockets = sockets
    self.access = access
    self.outbox = outbox
    self.counters = counters
    self.handlers = handlers
    self.urgent = Set(urgent.map { Array($0.utf8) })
    sender = OSCSender(counters: counters)
    buffer = .allocate(byteCount: OSCDatagram.lengthLimit, alignment: 8)
  }

  deinit { buffer.deallocate() }

  /// Runs until the outbox is closed.
  ///
  /// Each round takes in what has come, deals with one datagram or two and sends a batch, so that whoever is next never waits
  /// for more than that.
  func run() {
    var polled = [
      pollfd(fd: outbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: sockets.udp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: sockets.unix?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      poll(&polled, nfds_t(polled.count), inbox.isEmpty ? sender.timeout : 0)
      if polled[1].revents != 0 { receive(from: sockets.udp) }
      if polled[2].revents != 0, let unix = sockets.unix { receive(from: unix) }
      for datagram in inbox.take(now: monotonicNow()) { handle(datagram) }
      sender.retry(through: sockets)
      guard polled[0].revents != 0 else { continue }
      guard let packets = outbox.drain() else { return }
      for packet in packets { sender.send(packet, through: sockets) }
    }
  }

  /// How many datagrams are read from one socket before the other one and the answers have their turn.
  private static let batch = 64
  /// The longest datagram that can be urgent: one message and an argument.
  private static let urgentLength = 64

  private func receive(from socket: OSCSocket) {
    let now = monotonicNow()
    for _ in 0..<Self.batch {
      guard case .datagram(let length, let peer) = socket.receive(into: buffer) else { return }
      counters.received.add(1, ordering: .relaxed)
      guard access.allows(peer) else {
        counters.refused.add(1, ordering: .relaxed)
        continue
      }
      sender.hear(length, from: peer)
      sender.pay(peer, through: sockets)
      let bytes = length <= buffer.count ? [UInt8](buffer[..<length]) : []
      let isUrgent = bytes.count <= Self.urgentLength && urgent.contains(Array(bytes.prefix { $0 != 0 }))
      let lost = inbox.add(
        .init(bytes: bytes, length: length, peer: peer, arrival: now, isUrgent: isUrgent))
      counters.refused.add(lost, ordering: .relaxed)
    }
  }

  private func handle(_ datagram: OSCInbox.Datagram) {
    do {
      handlers.messages(try read(datagram), datagram.peer)
    } catch {
      counters.refused.add(1, ordering: .relaxed)
      handlers.fault(error, datagram.peer)
    }
  }

  /// Checks the datagram, then lets liblo read it, and takes it only when both read the same.
  private func read(_ received: OSCInbox.Datagram) throws(OSCFault) -> [OSCMessage] {
    guard received.length <= buffer.count else {
      throw OSCFault(reason: "datagram of \(received.length) bytes: at most \(buffer.count) are read")
    }
    var bytes = received.bytes
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
