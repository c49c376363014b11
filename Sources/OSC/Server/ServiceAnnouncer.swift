import Glibc
import Realtime

/// Announces services on the local network (DNS-SD over multicast DNS), so that apps can list them and users need not type an
/// address.
///
/// It runs a child process for each service: `avahi-publish`, which waits for Avahi's daemon and picks another name if two
/// machines use the same one. Without that program nothing is announced.
/// - Thread: the thread that made it, which must live as long as the services are announced (see `ChildProcess`)
package final class ServiceAnnouncer {
  /// A service to announce.
  package struct Service: Equatable, Sendable {
    /// The service type that is registered with DNS-SD, such as `_osc._udp`.
    package let type: String
    /// The UDP or TCP port.
    package let port: UInt16
    /// The strings of the TXT record, such as `path=/`.
    package let texts: [String]

    package init(_ type: String, port: UInt16, texts: [String] = []) {
      (self.type, self.port, self.texts) = (type, port, texts)
    }
  }

  /// The longest name of a service, in bytes (RFC 6763, 4.1.1).
  private static let longestName = 63

  private let program: String
  private var children: [ChildProcess] = []

  /// - Parameter program: `avahi-publish`, or a program with the same arguments.
  package init(program: String = "avahi-publish") { self.program = program }

  deinit { stop() }

  /// Announces services until `stop`.
  /// - Parameter name: the name that users see; cut to 63 bytes.
  package func announce(_ services: [Service], as name: String) {
    for service in services {
      let words = ["--no-fail", "--service", ServiceAnnouncer.shortened(name), service.type]
      let command = [program] + words + ["\(service.port)"] + service.texts
      if let child = ChildProcess(command, ending: .term) { children.append(child) }
    }
  }

  /// Ends all announcements. Waits up to 200 ms for each child process.
  package func stop() {
    for child in children { child.signal(SIGTERM) }
    for child in children { _ = child.wait(for: .milliseconds(200)) }
    children = []
  }

  private static func shortened(_ name: String) -> String {
    var name = name
    while name.utf8.count > longestName { name.removeLast() }
    return name
  }
}
