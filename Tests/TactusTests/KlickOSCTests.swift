import CJack
import Foundation
import OSC
import TestBench
import TestInTime
import Testing

@testable import KlickControl

/// The conversation with Tactus, and with klick itself.
@Suite(.serialized, .inTime) struct KlickOSCTests {
  /// A folder with the files that the conversation names.
  private func folder() throws -> Scratch {
    let folder = Scratch()
    let maps = "\(folder.path)/tactus/sessions"
    try FileManager.default.createDirectory(atPath: maps, withIntermediateDirectories: true)
    for name in ["a.wav", "b.wav"] {
      try RIFF.click.write(to: URL(fileURLWithPath: "\(maps)/\(name)"))
    }
    try "intro: 20 6/8 200 Xxxxx.\n4 3/4 90\n".write(
      toFile: "\(maps)/song.klick", atomically: true, encoding: .utf8)
    try "no map at all\n".write(toFile: "\(maps)/bad.klick", atomically: true, encoding: .utf8)
    return folder
  }

  @Test func `The conversation has every message of klick's in it`() {
    let said = Set(KlickConversation(port: 1, folder: "").lines.map(\.message.address))
    #expect(Set(KlickNamespace.endpoints.map(\.address)).subtracting(said) == [])
    let heard = Set(KlickConversation(port: 1, folder: "").lines.flatMap(\.answers).map(\.address))
    #expect(Set(KlickValue.allCases.map { KlickNamespace.root + $0.rawValue }).subtracting(heard) == [])
  }

  @Test func `Every message of klick's is answered as klick does`() async throws {
    try await JACKServer.run { server in
      let folder = try folder()
      let player = try Player(
        server: server, ["--fresh", "--stopped", "--no-connect", "--klick-osc", "--sound", "square"],
        folder: folder, environment: ["XDG_DATA_HOME": folder.path])
      try player.waitForConnection()
      let frontEnd = try KlickFrontEnd(to: Int(player.port))
      let conversation = KlickConversation(port: frontEnd.port, folder: folder.path + "/tactus/sessions")
      for line in conversation.lines {
        let heard = frontEnd.receive(line.message, expecting: line.answers.count)
        #expect(heard == line.answers, "\(line.message)")
      }
      // The last that was said is quit.
      #expect(try player.process.waitForExit() == .exited(0))
    }
  }

  @Test func `A map plays faster with a count-in, and there is more after its end`() async throws {
    try await JACKServer.run { server in
      let folder = try folder()
      let map = "\(folder.path)/tactus/sessions/short.klick"
      try "2 3/4 150\n1 2/4 120\n".write(toFile: map, atomically: true, encoding: .utf8)
      let player = try Player(
        server: server, ["--fresh", "--stopped", "--no-connect", "--klick-osc"], folder: folder,
        environment: ["XDG_DATA_HOME": folder.path])
      try player.waitForConnection()
      let frontEnd = try KlickFrontEnd(to: Int(player.port))
      for message in [
        OSCMessage("/klick/metro/set_type", .string("map")), OSCMessage("/klick/map/set_preroll", .int32(1)),
        OSCMessage("/klick/map/load_file", .string(map)),
        OSCMessage("/klick/map/set_tempo_multiplier", .float(2)), OSCMessage("/klick/metro/start"),
      ] { frontEnd.send(message) }
      #expect(eventually { player.beats.count >= 11 })
      let frames = player.beats.map(\.frame)
      let gaps = zip(frames.dropFirst(), frames).map { $0 - $1 }
      #expect(gaps == Array(repeating: 9_600, count: 9) + [12_000])
      #expect(
        eventually {
          frontEnd.receive(OSCMessage("/klick/metro/query"), expecting: 2).last?.arguments == [.int32(0)]
        })
      // A bar that has been played is no end.
      frontEnd.send(OSCMessage("/klick/metro/start"))
      #expect(eventually { player.beats.count > 11 })
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `Connections are made and taken away`() async throws {
    try await JACKServer.run { server in
      let folder = try folder()
      let player = try Player(
        server: server, ["--fresh", "--stopped", "--klick-osc", "--connect", "system:playback_2"],
        folder: folder)
      try player.waitForConnection()
      let frontEnd = try KlickFrontEnd(to: Int(player.port))
      let client = try BenchClient(server: server, name: "looks")
      try client.activate()
      func connections() -> Set<String> {
        guard let port = jack_port_by_name(client.handle, "tactus:out"),
          let names = jack_port_get_all_connections(client.handle, port)
        else { return [] }
        defer { jack_free(names) }
        return Set(
          sequence(state: names) { next in
            defer { next += 1 }
            return next.pointee.map { String(cString: $0) }
          })
      }
      #expect(eventually { connections() == ["system:playback_2"] })
      for (message, after) in [
        (OSCMessage("/klick/config/disconnect_all"), []),
        (OSCMessage("/klick/config/connect", .string("system:playback_1")), ["system:playback_1"]),
        (OSCMessage("/klick/config/autoconnect"), ["system:playback_1", "system:playback_2"]),
      ] as [(OSCMessage, [String])] {
        frontEnd.send(message)
        #expect(eventually { connections() == Set(after) }, "\(message)")
      }
      client.close()
      frontEnd.send(OSCMessage("/klick/quit"))
      #expect(try player.process.waitForExit() == .exited(0))
    }
  }

  @Test(.enabled(if: Subprocess.isInstalled("klick")))
  func `klick answers as listed, except for intended differences`() async throws {
    try await JACKServer.run { server in
      let folder = try folder()
      let port = Int.random(in: 20_000..<60_000)
      let klick = try Subprocess(
        "klick", ["-o", "\(port)"], environment: server.environment)
      let frontEnd = try KlickFrontEnd(to: port)
      try frontEnd.waitForAnswer()
      let conversation = KlickConversation(port: frontEnd.port, folder: folder.path + "/tactus/sessions")
      for line in conversation.lines where !line.isForTactusAlone {
        let expected = line.klick?.answers ?? line.answers
        let heard = frontEnd.receive(line.message, expecting: expected.count)
        #expect(heard == expected, "\(line.message)")
        if let difference = line.klick {
          #expect(difference.answers != line.answers)
          print("klick answers \(line.message) otherwise: \(difference.because)")
        }
      }
      #expect(try klick.waitForExit() == .exited(0))
    }
  }
}
