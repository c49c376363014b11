import Foundation
import OSC
import Synchronization
import TestBench
import TestInTime
import Testing

/// A session manager that behaves like nsmd, with one client.
private final class FakeManager: Sendable {
  private let server: OSCServer
  private let state = Mutex<(client: OSCPeer?, heard: [OSCMessage])>((nil, []))
  private let arrived = TestBench.Event()
  /// As with a machine's own name in Debian: another loopback address than the one that answers.
  var url: String { "osc.udp://127.0.1.1:\(server.port ?? 0)/" }

  init() throws {
    var configuration = OSCServer.Configuration()
    configuration.port = 0
    let inbox = WeakBox<FakeManager>()
    server = OSCServer(
      configuration, onMessages: { messages, peer, _ in inbox.object?.take(messages, from: peer) },
      onFault: { _, _ in })
    inbox.object = self
    try server.start()
  }

  private func take(_ messages: [OSCMessage], from peer: OSCPeer) {
    for message in messages {
      state.withLock { state in
        if message.address == "/nsm/server/announce" { state.client = peer }
        state.heard.append(message)
      }
    }
    arrived.post()
  }

  func send(_ address: String, _ arguments: OSCArgument...) {
    guard let client = state.withLock({ $0.client }) else { return }
    server.send([OSCMessage(address, arguments: arguments)], to: client)
  }

  /// Waits for a message.
  func expect(_ matches: (OSCMessage) -> Bool) throws -> OSCMessage {
    let found = arrived.wait(until: .within(.seconds(10))) {
      state.withLock { state -> OSCMessage? in
        guard let index = state.heard.firstIndex(where: matches) else { return nil }
        return state.heard.remove(at: index)
      }
    }
    guard let found else { throw BenchError("the client did not say it: \(state.withLock { $0.heard })") }
    return found
  }

  /// Welcomes the client.
  func welcome() throws -> OSCMessage {
    let announcement = try expect { $0.address == "/nsm/server/announce" }
    send(
      "/reply", .string("/nsm/server/announce"), .string("hello"), .string("fake"),
      .string(":server-control:"))
    return announcement
  }

  /// Makes the client open a session, and waits for its answer.
  func open(_ path: String, id: String) throws {
    send("/nsm/client/open", .string(path), .string("evening"), .string(id))
    _ = try expect { $0.address == "/reply" && $0.arguments.first == .string("/nsm/client/open") }
  }

  /// Makes the client save, and waits for its answer.
  func save() throws {
    send("/nsm/client/save")
    _ = try expect { $0.address == "/reply" && $0.arguments.first == .string("/nsm/client/save") }
  }
}

@Suite(.serialized, .inTime) struct ManagedRunTests {
  private let folder = Scratch()

  private func start(_ server: JACKServer, _ manager: FakeManager) throws -> Subprocess {
    try Subprocess(
      Subprocess.built("tactus"), ["--server", server.name, "--json"],
      environment: [
        "NSM_URL": manager.url, "XDG_STATE_HOME": folder.path + "/state", "HOME": folder.path,
        "XDG_DATA_HOME": folder.path + "/data", "XDG_RUNTIME_DIR": "",
      ])
  }

  /// Sends a message to the OSC port that the program has printed.
  private func send(_ message: [UInt8], to process: Subprocess) throws {
    let line = try process.waitForLine(containing: "\"port\":")
    let port = try #require(line.firstMatch(of: #/"port":(\d+)/#).flatMap { UInt16($0.1) })
    UDPSocket().send(message, to: port)
  }

  @Test func `A session is opened, saved, left for another, and found as it was saved`() async throws {
    try await JACKServer.run { server in
      let (manager, watcher) = (try FakeManager(), try BenchClient(server: server, name: "watcher"))
      let first = folder.path + "/a/Tactus.nA"
      let second = folder.path + "/b/Tactus.nB"
      var tactus = try start(server, manager)
      let announcement = try manager.welcome()
      #expect(
        announcement.arguments.prefix(3) == [
          .string("Tactus"), .string(":switch:dirty:message:"), .string("tactus"),
        ])
      // No client is there before a session is.
      #expect(watcher.ports().allSatisfy { !$0.hasPrefix("tactus") })
      try manager.open(first, id: "Tactus.nA")
      #expect(watcher.ports().contains("Tactus.nA:out"))
      try send(OSCBytes.message("/tactus/tempo", 133), to: tactus)
      _ = try manager.expect { $0.address == "/nsm/client/is_dirty" }
      #expect(!FileManager.default.fileExists(atPath: first + "/settings.yaml"))
      try manager.save()
      // It may be killed from now on.
      #expect(try String(contentsOfFile: first + "/settings.yaml", encoding: .utf8).contains("tempo: 133"))
      _ = try manager.expect { $0.address == "/nsm/client/is_clean" }

      try manager.open(second, id: "Tactus.nB")
      let ports = watcher.ports()
      #expect(ports.contains("Tactus.nB:out") && !ports.contains("Tactus.nA:out"))
      try manager.save()
      #expect(try !String(contentsOfFile: second + "/settings.yaml", encoding: .utf8).contains("tempo: 133"))
      tactus.signal(SIGKILL)
      _ = try tactus.waitForExit()

      tactus = try start(server, manager)
      _ = try manager.welcome()
      try manager.open(first, id: "Tactus.nA")
      // Removes the file and saves again: it must contain the settings in force.
      try FileManager.default.removeItem(atPath: first + "/settings.yaml")
      try manager.save()
      #expect(try String(contentsOfFile: first + "/settings.yaml", encoding: .utf8).contains("tempo: 133"))
      let began = ContinuousClock.now
      tactus.signal(SIGTERM)
      #expect(try tactus.waitForExit() == .exited(0))
      print("ends \(ContinuousClock.now - began) after the signal")
      // The user's own settings are left alone.
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/state/tactus"))
    }
  }

  @Test func `A document is linked while it is open, and a second instance is not to be switched`()
    async throws
  {
    try await JACKServer.run { server in
      let manager = try FakeManager()
      let session = folder.path + "/a/Tactus.nA"
      let documents = folder.path + "/data/tactus/sessions"
      try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: true)
      try "sections: [{bars: 4}]".write(toFile: documents + "/song.yaml", atomically: true, encoding: .utf8)
      func links() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: session)) ?? []
        return names.filter { $0 != "settings.yaml" }
      }
      let tactus = try start(server, manager)
      _ = try manager.welcome()
      try manager.open(session, id: "Tactus.nA")
      for (name, linked) in [("song.yaml", ["song.yaml"]), ("", [])] {
        try send(OSCBytes.message("/tactus/session", name), to: tactus)
        _ = try manager.expect { $0.address == "/nsm/client/is_dirty" }
        try manager.save()
        #expect(links() == linked)
        _ = try manager.expect { $0.address == "/nsm/client/is_clean" }
      }
      let second = try start(server, manager)
      #expect(try manager.welcome().arguments[1] == .string(":dirty:message:"))
      // It may not have got as far as to take signals.
      second.signal(SIGTERM)
      _ = try second.waitForExit()
      tactus.signal(SIGTERM)
      #expect(try tactus.waitForExit() == .exited(0))
    }
  }

  @Test func `A controller that the session manager connects is sent its lights`() async throws {
    try await JACKServer.run { server in
      let manager = try FakeManager()
      let tactus = try start(server, manager)
      _ = try manager.welcome()
      try manager.open(folder.path + "/a/Tactus.nA", id: "Tactus.nA")
      try send(OSCBytes.message("/tactus/midi/map", "nanokontrol2"), to: tactus)
      let seeLights = {
        let surface = try MIDIRecorderClient(server: server, sources: ["Tactus.nA:feedback"], capacity: 1_000)
        try surface.waitUntilHeard()
        return surface
      }
      let surface = try seeLights()
      server.kill()
      surface.client.close()
      try tactus.waitForLine(containing: "\"event\":\"lost\"")
      try server.restart()
      try seeLights().client.close()
      tactus.signal(SIGTERM)
      #expect(try tactus.waitForExit() == .exited(0))
    }
  }

  @Test func `Without an answer of the session manager it plays without one`() async throws {
    try await JACKServer.run { server in
      let silent = UDPSocket()
      let tactus = try Subprocess(
        Subprocess.built("tactus"), ["--server", server.name, "--no-connect", "--json"],
        environment: [
          "NSM_URL": "osc.udp://127.0.0.1:\(silent.port)/", "XDG_STATE_HOME": folder.path,
          "HOME": folder.path,
          "XDG_RUNTIME_DIR": "",
        ])
      try tactus.waitForLine(containing: "\"event\":\"beat\"")
      #expect(tactus.errorLines.contains { $0.contains("does not answer") })
      tactus.signal(SIGINT)
      #expect(try tactus.waitForExit() == .exited(0))
    }
  }
}
