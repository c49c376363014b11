import Files
import Glibc
import JACKClient
import OSC
import OSCControl
import Realtime

/// The JACK server of a run, and its OSC server.
extension PlaySession {
  /// The JACK server's name and a client on it. If no server runs, none was named and `--wait` is not given, starts a private
  /// server.
  /// - Parameters:
  ///   - opening: the first attempt to open a client on the server.
  ///   - isManaged: whether a session manager has started Tactus: then it must be on the same server as the manager's other
  ///     clients.
  /// - Throws: `CommandError`.
  static func findServer(
    _ options: Play, _ display: Display, _ opening: ClientOpening, isManaged: Bool
  ) throws -> (name: String, client: OpenClient, own: PrivateServer?) {
    let name = options.jack.server ?? JACKHost.defaultServerName
    do {
      return (name, try awaitServer(options.jack, name, display, opening), nil)
    } catch JACKError.noServer
      where options.jack.wait == nil && !namesServer(options.jack) && !JACKHost.usesPipeWire && !isManaged
    {
      let started = PrivateServer()
      do {
        let client = try started.start(openingClient: options.jack.name)
        display.warn(
          "no JACK server runs: started a private one; other programs reach it with JACK_DEFAULT_SERVER=\(started.name)"
        )
        return (started.name, client, started)
      } catch {
        throw CommandError("\(error)", code: .unavailable)
      }
    } catch {
      throw CommandError("\(error)", code: .unavailable)
    }
  }

  /// Whether the user has named a server. A private one never replaces it.
  private static func namesServer(_ options: JACKOptions) -> Bool {
    options.server != nil || environmentValue("JACK_DEFAULT_SERVER") != nil
  }

  /// A client on a server, after waiting for the server if that was requested. SIGINT and SIGTERM end the program during the
  /// wait.
  /// - Throws: `JACKError`.
  private static func awaitServer(
    _ options: JACKOptions, _ name: String, _ display: Display, _ opening: ClientOpening
  ) throws(JACKError) -> OpenClient {
    let limit = options.wait?.duration ?? (namesServer(options) ? nil : .zero)
    let deadline = limit.map { ContinuousClock.now + $0 }
    let pause = MonotonicSemaphore()
    var isFirst = true
    while true {
      do {
        return try isFirst ? opening.wait() : OpenClient.open(name: options.name, server: options.server)
      } catch .noServer(let server) {
        if let deadline, ContinuousClock.now >= deadline { throw .noServer(name: server) }
        if isFirst {
          display.warn(
            JACKHost.usesPipeWire
              ? "waiting for PipeWire to start" : "waiting for the JACK server '\(name)' to start")
          display.flush()
        }
        isFirst = false
        _ = pause.wait(for: .milliseconds(250))
      }
    }
  }

  /// The configuration of the OSC server.
  /// - Parameters:
  ///   - server: the JACK server's name; nil for a private one.
  ///   - isManaged: whether a session manager has started Tactus: then the user can't give each client a port of its own.
  static func listening(_ options: Play, server: String?, isManaged: Bool) -> OSCServer.Configuration {
    var listening = OSCServer.Configuration()
    if isManaged { listening.portCount = 64 }
    listening.address = options.osc.oscBind
    listening.port = options.osc.oscPort
    listening.networks = options.osc.oscAllow
    listening.path = socketPath(options.jack.name, server: server)
    return listening
  }

  /// The path of the UNIX socket for OSC; nil if there is no folder for it. It contains the server's name, because clients with
  /// one name may play on several servers.
  private static func socketPath(_ name: String, server: String?) -> String? {
    guard let folder = environmentValue("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
    // PipeWire's server may be named by its path.
    let place =
      server.map { $0 == JACKHost.standardServerName ? "" : "@" + $0.map { $0 == "/" ? "_" : $0 } } ?? ""
    let path = "\(folder)/\(name)\(place).osc"
    // With the slash, `access` fails if the path is a file.
    return path.utf8.count <= 107 && access(folder + "/", W_OK) == 0 ? path : nil
  }
}
