import Synchronization

/// Watches whether a machine that is busy with something else holds a server up, or its clients: what sounded when says nothing
/// then. Who wants to know of clients has an active one in this process.
public final class ServerWatch: Sendable {
  private let server: JACKServer
  private let over = Event()
  private let delays = Mutex<(least: Double, most: Double)?>(nil)

  public init(_ server: JACKServer) {
    self.server = server
    startThread { [self] in
      repeat { look() } while !over.wait(until: .within(.milliseconds(20)))
    }
  }

  /// Watches no more.
  public func end() { over.post() }

  /// Whether it was held up by now.
  public var sawHoldUp: Bool {
    look()
    return server.xrunCount > 0 || delays.withLock { $0.map { $0.most - $0.least > 0.001 } ?? false }
  }

  private func look() {
    guard let delay = server.delay else { return }
    delays.withLock { $0 = (min($0?.least ?? delay, delay), max($0?.most ?? delay, delay)) }
  }
}
