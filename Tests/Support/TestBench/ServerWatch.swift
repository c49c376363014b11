import Synchronization

/// Watches whether a busy machine delays a server or its clients: then the times of sounds prove nothing.
public final class ServerWatch: Sendable {
  private static let latest = Mutex<ServerWatch?>(nil)

  /// Whether the last server of this process was delayed.
  public static var latestSawHoldUp: Bool { latest.withLock { $0 }?.sawHoldUp ?? false }

  /// Forgets the last server.
  public static func forget() { latest.withLock { $0 = nil } }

  private let server: JACKServer
  private let over = Event()
  private let delays = Mutex<(least: Double, most: Double)?>(nil)

  init(_ server: JACKServer) {
    self.server = server
    ServerWatch.latest.withLock { $0 = self }
    startThread { [self] in
      repeat { look() } while !over.wait(until: .within(.milliseconds(20)))
    }
  }

  /// Ends the watch; its result can still be read.
  func end() { over.post() }

  private var sawHoldUp: Bool {
    look()
    return server.hasMissedCycles || delays.withLock { $0.map { $0.most - $0.least > 0.001 } ?? false }
  }

  private func look() {
    guard let delay = server.delay else { return }
    delays.withLock { $0 = (min($0?.least ?? delay, delay), max($0?.most ?? delay, delay)) }
  }
}
