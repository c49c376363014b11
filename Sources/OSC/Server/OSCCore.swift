import Realtime
import Synchronization

/// The part of an OSC server that needs no sockets, threads or clock. Its input is datagrams and instants, its output messages
/// and datagrams.
///
/// - Thread: osc, or the thread that runs a simulation.
final class OSCCore {
  typealias Handlers = (messages: OSCServer.MessageHandler, fault: OSCServer.FaultHandler)

  private let access: OSCAccess
  private let counters: OSCCounters
  private let handlers: Handlers
  private let urgent: [[UInt8]]
  private var inbox = OSCInbox()
  private var sender: OSCSender

  /// The length of the longest datagram that can be urgent, in bytes: one message with one argument.
  private static let urgentLength = 64

  init(access: OSCAccess, urgent: Set<String>, counters: OSCCounters, handlers: Handlers) {
    self.access = access
    self.counters = counters
    self.handlers = handlers
    self.urgent = urgent.map { Array($0.utf8) + [0] }
    sender = OSCSender(counters: counters)
  }

  /// Whether datagrams wait to be handled.
  var hasWork: Bool { !inbox.isEmpty }

  /// Whether `retry` must be called again after `OSCSender.interval`.
  var isHolding: Bool { sender.isHolding }

  /// Receives a datagram, unless its sender is not allowed, and sends the outstanding answers that its sender has earned by it.
  ///
  /// - Parameters:
  ///   - bytes: copied. A datagram that is too long to be read may be truncated.
  ///   - length: of the whole datagram, in bytes.
  func receive(
    _ bytes: UnsafeRawBufferPointer, length: Int, from peer: OSCPeer, at now: Instant,
    through transport: some OSCTransport
  ) {
    counters.received.add(1, ordering: .relaxed)
    guard access.allows(peer) else {
      counters.refused.add(1, ordering: .relaxed)
      return
    }
    sender.receive(length, from: peer, at: now)
    sender.pay(peer, at: now, through: transport)
    let isWhole = length <= OSCDatagram.lengthLimit
    let datagram = OSCInbox.Datagram(
      bytes: isWhole ? [UInt8](bytes) : [], length: length, peer: peer, arrival: now,
      isUrgent: isWhole && isUrgent(bytes))
    let lost = inbox.add(datagram)
    if lost > 0 { counters.refused.add(lost, ordering: .relaxed) }
  }

  private func isUrgent(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count <= OSCCore.urgentLength && urgent.contains { bytes.starts(with: $0) }
  }

  /// Handles the next datagram. If the peers take turns (see `OSCInbox`), handles an urgent one before it.
  func handleNext(at now: Instant) {
    for datagram in inbox.take(now: now) {
      do {
        handlers.messages(try read(datagram), datagram.peer, now)
      } catch {
        counters.refused.add(1, ordering: .relaxed)
        handlers.fault(error, datagram.peer)
      }
    }
  }

  private func read(_ received: OSCInbox.Datagram) throws(OSCFault) -> [OSCMessage] {
    guard received.length <= OSCDatagram.lengthLimit else {
      throw OSCFault(
        reason: "datagram of \(received.length) bytes: at most \(OSCDatagram.lengthLimit) are read")
    }
    return try OSCDatagram(received.bytes).messages
  }

  /// Sends packets from the outbox.
  func send(_ packets: [OSCOutbox.Packet], at now: Instant, through transport: some OSCTransport) {
    for packet in packets { sender.send(packet, at: now, through: transport) }
  }

  /// Sends again what slow peers have not accepted yet, and what is due.
  func retry(at now: Instant, through transport: some OSCTransport) {
    sender.retry(at: now, through: transport)
  }
}
