import CLiblo
import Glibc
import Realtime

/// The osc thread's loop. It sleeps until a datagram arrives or a packet is to be sent.
///
/// - Thread: osc.
final class OSCLoop {
  private let sockets: OSCSockets
  private let outbox: OSCOutbox
  private let connections: OSCConnections
  private let core: OSCCore
  private let batch = DatagramBatch()
  private var storm = StormDetector()

  /// How long datagrams are handled before the sockets are read and answers are sent again.
  private static let slice = Duration.milliseconds(1)

  init(_ sockets: OSCSockets, outbox: OSCOutbox, connections: OSCConnections, core: OSCCore) {
    self.sockets = sockets
    self.outbox = outbox
    self.connections = connections
    self.core = core
  }

  /// Runs until the outbox is closed.
  ///
  /// Each round receives what has arrived, handles datagrams for one slice of time, and sends one batch.
  func run() {
    var polled = [
      pollfd(fd: outbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: sockets.udp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: sockets.unix?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: connections.wakeup.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      // In a storm only the outbox wakes the thread, so that datagrams accumulate.
      let gathers = storm.isUnderWay && !core.hasWork
      let limit: Duration? = gathers ? StormDetector.gathering : timeout
      let milliseconds = limit.map { Int32($0.nanoseconds / 1_000_000) } ?? -1
      poll(&polled, gathers ? 1 : nfds_t(polled.count), milliseconds)
      let now = Instant.now
      var count = 0
      if gathers || polled[1].revents != 0 { count += receive(from: sockets.udp, at: now) }
      if let unix = sockets.unix, gathers || polled[2].revents != 0 { count += receive(from: unix, at: now) }
      if gathers || polled[3].revents != 0 { count += receiveFromConnections(at: now) }
      storm.note(count, at: now)
      handle(from: now)
      core.retry(at: now, through: sockets)
      guard polled[0].revents != 0 else { continue }
      guard let packets = outbox.drain() else { return }
      storm.noteAnswers(packets.count)
      core.send(packets, at: .now, through: sockets)
    }
  }

  /// How long the thread may sleep; nil for no limit.
  private var timeout: Duration? {
    if core.hasWork { return .zero }
    return core.isHolding ? OSCSender.interval : nil
  }

  private func receive(from socket: OSCSocket, at now: Instant) -> Int {
    let count = batch.receive(from: socket.descriptor)
    for index in 0..<count {
      let (bytes, length, peer) = batch[index]
      core.receive(bytes, length: length, from: peer, at: now, through: sockets)
    }
    return count
  }

  private func receiveFromConnections(at now: Instant) -> Int {
    let datagrams = connections.drain()
    for datagram in datagrams {
      datagram.bytes.withUnsafeBytes {
        core.receive($0, length: $0.count, from: datagram.peer, at: now, through: sockets)
      }
    }
    return datagrams.count
  }

  private func handle(from begin: Instant) {
    let end = begin + OSCLoop.slice
    var now = begin
    while core.hasWork, now < end {
      core.handleNext(at: now)
      now = .now
    }
  }
}
