import Foundation
import OSC
import Synchronization
import TestBench

/// `tactus play` as a process with its own folders, and an app that controls it by OSC.
final class Player: Sendable {
  let process: Subprocess
  let app: OSCServer
  let folder: Scratch
  private let messages = Mutex<[OSCMessage]>([])
  private let arrived = TestBench.Event()
  let port: UInt16
  var peer: OSCPeer { OSCPeer(url: "osc.udp://127.0.0.1:\(port)/")! }

  /// - Parameter options: what comes after `play`.
  init(
    server: JACKServer?, _ options: [String], folder: Scratch = Scratch(),
    environment: [String: String] = [:]
  ) throws {
    self.folder = folder
    let port = UInt16.random(in: 20_000..<60_000)
    self.port = port
    var variables = ["XDG_STATE_HOME": folder.path, "HOME": folder.path, "XDG_RUNTIME_DIR": ""]
    variables.merge(environment) { $1 }
    let arguments =
      ["play", "--osc-port", "\(port)"] + (server.map { ["--server", $0.name] } ?? []) + options
    let program = try Subprocess.built("tactus")
    process = try Subprocess(program, arguments + ["--json"], environment: variables)
    var configuration = OSCServer.Configuration()
    configuration.port = 0
    let inbox = WeakBox<Player>()
    app = OSCServer(
      configuration,
      onMessages: { messages, _, _ in for message in messages { inbox.object?.take(message) } },
      onFault: { _, _ in })
    inbox.object = self
    try app.start()
  }

  private func take(_ message: OSCMessage) {
    messages.withLock { $0.append(message) }
    arrived.post()
  }

  /// Waits until the program is a client of the server, and listens.
  func waitForConnection() throws {
    try process.waitForLine(containing: "\"event\":\"connected\"")
    earn()
  }

  /// Waits until the program plays.
  func waitForBeat() throws {
    try process.waitForLine(containing: "\"event\":\"beat\"")
    earn()
  }

  /// Sends so many bytes that the app has earned all answers that a test needs.
  private func earn() { send("ping", .string(String(repeating: "-", count: 7_000))) }

  func send(_ address: String, _ arguments: OSCArgument...) {
    app.send(
      [OSCMessage("/tactus/" + address, arguments: arguments)], to: peer)
  }

  /// Sends raw bytes, as no OSC library would.
  func send(raw bytes: [UInt8]) {
    let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(socket) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(socket, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Waits for a message from the program.
  @discardableResult
  func answer(
    _ address: String, within limit: Duration = .seconds(30),
    where matches: (OSCMessage) -> Bool = { _ in true }
  ) throws -> OSCMessage {
    let found = arrived.wait(until: .within(limit)) {
      answers(address).last(where: matches)
    }
    guard let found else { throw BenchError("no \(address) within \(limit)\n\(process.report)") }
    return found
  }

  /// Sends a value, queries it, and waits until it has taken effect.
  func set(_ address: String, _ arguments: OSCArgument...) throws {
    app.send(
      [OSCMessage("/tactus/" + address, arguments: arguments)], to: peer)
    send(address)
    try answer(address) { $0.arguments == arguments }
  }

  /// All answers so far whose address is this one.
  func answers(_ address: String) -> [OSCMessage] {
    messages.withLock { $0.filter { $0.address == "/tactus/" + address } }
  }

  /// The beats that the program has reported.
  var beats: [Beat] { process.lines.compactMap(Beat.init) }

  /// Whether the program has reported missed cycles.
  var missedCycles: Bool { process.errorLines.contains { $0.contains("cycles were missed") } }

  /// Ends the program as Ctrl-C does.
  func interrupt() throws -> ExitStatus {
    process.signal(SIGINT)
    return try process.waitForExit()
  }
}

/// A beat event as it was printed.
struct Beat: Decodable, Equatable {
  let frame: Int64
  let bar: Int
  let beat: Int
  let role: String
  let strength: Float
  let time: Double

  init?(_ line: String) {
    guard line.contains("\"event\":\"beat\""),
      let beat = try? JSONDecoder().decode(Beat.self, from: Data(line.utf8))
    else { return nil }
    self = beat
  }
}
