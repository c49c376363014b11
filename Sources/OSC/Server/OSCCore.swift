import Realtime
import Synchronization

/// The part of an OSC server that needs no sockets, threads or clock: datagrams and instants in, messages and datagrams out.
///
/// - Thread: osc, or the one that runs a simulation.
final class OSCCore {
  typealias Handlers = (messages: OSCServer.MessageHandler, fault: OSCServer.FaultHandler)

  private let access: OSCAccess
  private let counters: OSCCounters
  private let handlers: Handlers
  private let urgent: [[UInt8]]
  private var inbox = OSCInbox()
  private var sender: OSCSender

  /// The longest datagram that can be urgent: one message and an argument.
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

  /// Whether slow peers are to be tried again, by `retry`, after `OSCSender.interval`.
  var isHolding: Bool { sender.isHolding }

  /// Receives a datagram, unless its sender may not speak, and sends what the sender has earned by it.
  ///
  /// - Parameters:
  ///   - bytes: copied. A datagram that is too long to be read may be cut.
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

  /// Handles the next datagram, and an urgent one before it if there is one.
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

  /// Tries what slow peers have not taken yet.
  func retry(at now: Instant, through transport: some OSCTransport) {
    sender.retry(at: now, through: transport)
  }
}
