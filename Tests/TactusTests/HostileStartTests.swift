import Foundation
import OSC
import TestBench
import TestInTime
import Testing

/// Starts with low limits and unsuitable files, without a JACK server.
@Suite struct HostileStartTests {
  @Test(arguments: [8, 10, 12, 14, 15, 16, 63])
  func `Who may open too few files is told how many it must be`(limit: Int) throws {
    let process = try Subprocess(
      "sh",
      ["-c", "ulimit -n \(limit); exec \"$0\" play --fresh --server nobody --wait 0 --osc-port 0", try built])
    #expect(try process.waitForExit() == .exited(69), "\(process.report)")
    let words = "the limit of open files (ulimit -n) is \(limit): must be at least 64"
    #expect(process.errorLines.joined().contains(words), "\(process.report)")
  }

  @Test(arguments: [32, 63])
  func `Who may use too little stack is told how much it must be`(limit: Int) throws {
    let process = try Subprocess("sh", ["-c", "ulimit -s \(limit); exec \"$0\" --version", try built])
    #expect(try process.waitForExit() == .exited(69), "\(process.report)")
    let words = "the stack limit (ulimit -s) is \(limit) KiB: must be at least 64"
    #expect(process.errorLines.joined().contains(words), "\(process.report)")
  }

  @Test func `A low limit is raised as far as it may be`() throws {
    let process = try Subprocess(
      "sh",
      ["-c", "ulimit -S -n 12; exec \"$0\" play --fresh --server nobody --wait 0 --osc-port 0", try built])
    #expect(try process.waitForExit() == .exited(69))
    #expect(process.errorLines.joined().contains("no JACK server 'nobody' is running"), "\(process.report)")
  }

  @Test func `A pipe as a state file is named, set aside and not waited for`() throws {
    let folder = Scratch()
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/tactus", withIntermediateDirectories: true)
    mkfifo("\(folder.path)/tactus/tactus.yaml", 0o600)
    let process = try Subprocess(
      try built, ["play", "--server", "nobody", "--wait", "0", "--osc-port", "0"],
      environment: ["XDG_STATE_HOME": folder.path])
    #expect(try process.waitForExit() == .exited(69))
    #expect(process.errorLines.joined().contains("no regular file: must be a text file"), "\(process.report)")
    #expect(process.errorLines.joined().contains("tactus.yaml.damaged"))
  }

  private var built: String { get throws { try Subprocess.built("tactus") } }
}

/// Processes that must end with the program, and data that must survive it.
@Suite(.serialized, .inTime) struct HostileRunTests {
  @Test func `A link as a state file stays, and the settings go to where it leads`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let link = "\(folder.path)/tactus/tactus.yaml"
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/tactus", withIntermediateDirectories: true)
      #expect(symlink("../real.yaml", link) == 0)
      let player = try Player(server: server, ["--tempo", "133", "--no-connect"], folder: folder)
      try player.waitForBeat()
      #expect(try player.interrupt() == .exited(0))
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../real.yaml")
      #expect(try String(contentsOfFile: "\(folder.path)/real.yaml", encoding: .utf8).contains("tempo: 133"))
    }
  }

  @Test func `A number far below its step is taken over OSC, and ends no save`() async throws {
    try await JACKServer.run { server in
      let player = try Player(server: server, ["--no-connect", "--stopped"])
      try player.waitForConnection()
      let numbers = ["pace/offset", "pace/slope", "clock/offset", "clock-in/offset"]
      for name in numbers {
        player.send(name, .double(name == "pace/slope" ? 7 + 1e-15 : 1e-200))
        player.send(name)
        try player.answer(name)
      }
      player.send("save")
      #expect(try player.interrupt() == .exited(0))
      let saved = try String(contentsOfFile: "\(player.folder.path)/tactus/tactus.yaml", encoding: .utf8)
      #expect(saved.firstMatch(of: /[0-9]e-/) == nil && saved.contains("tempo: 120\n"), "\(saved)")
    }
  }

  @Test func `SIGQUIT ends it at once, without a backtrace`() async throws {
    try await JACKServer.run { server in
      let player = try Player(server: server, ["--no-connect"])
      try player.waitForBeat()
      player.process.signal(SIGQUIT)
      #expect(try player.process.waitForExit() == .signalled(SIGQUIT))
      #expect(!player.process.errorLines.contains { $0.contains("rash") }, "\(player.process.report)")
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
  func `A voice that hangs ends with the program, however that ends`(signal: Int32) async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let script =
        "#!/bin/sh\ncat >/dev/null\nsleep 60 &\necho $$ $! >\(folder.path)/pid.new\nmv \(folder.path)/pid.new \(folder.path)/pid\n"
      try (script + "exec sleep 60\n").write(
        toFile: "\(folder.path)/espeak-ng", atomically: true, encoding: .utf8)
      chmod("\(folder.path)/espeak-ng", 0o755)
      let song = "\(folder.path)/song.yaml"
      try "sections: [{bars: 4, cue: {say: one}}]\n".write(toFile: song, atomically: true, encoding: .utf8)
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      let player = try Player(
        server: server, [song, "--no-connect"], folder: folder,
        environment: ["PATH": "\(folder.path):\(path)"])
      let started = eventually { FileManager.default.fileExists(atPath: "\(folder.path)/pid") }
      try #require(started, "\(player.process.report)")
      let text = try String(contentsOfFile: "\(folder.path)/pid", encoding: .utf8)
      let processes = text.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
      try #require(processes.count == 2)
      for process in processes {
        #expect(["sleep", "espeak-ng"].contains(processName(process)))
      }
      player.process.signal(signal)
      _ = try player.process.waitForExit()
      // Its own child, too.
      for process in processes { #expect(eventually { kill(process, 0) != 0 }) }
    }
  }

  @Test(arguments: [SIGTERM, SIGKILL])
  func `A lock against sleep ends with the program, however that ends`(signal: Int32) async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let script =
        "#!/bin/sh\nsleep 60 &\necho $$ $! >\(folder.path)/pid.new\nmv \(folder.path)/pid.new \(folder.path)/pid\n"
      let inhibit = "\(folder.path)/systemd-inhibit"
      try (script + "exec sleep 60\n").write(toFile: inhibit, atomically: true, encoding: .utf8)
      chmod(inhibit, 0o755)
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      let player = try Player(
        server: server, ["--no-connect"], folder: folder, environment: ["PATH": "\(folder.path):\(path)"])
      let started = eventually { FileManager.default.fileExists(atPath: "\(folder.path)/pid") }
      try #require(started, "\(player.process.report)")
      let text = try String(contentsOfFile: "\(folder.path)/pid", encoding: .utf8)
      let processes = text.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
      try #require(processes.count == 2)
      player.process.signal(signal)
      _ = try player.process.waitForExit()
      for process in processes { #expect(eventually { kill(process, 0) != 0 }) }
    }
  }

  @Test func `A voice that hangs at the start delays no click, and is reported`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let voice = "\(folder.path)/espeak-ng"
      try "#!/bin/sh\ncat >/dev/null\nexec sleep 60\n".write(toFile: voice, atomically: true, encoding: .utf8)
      chmod(voice, 0o755)
      let song = "\(folder.path)/song.yaml"
      try "sections: [{bars: 400, cue: {say: one}}]\n".write(toFile: song, atomically: true, encoding: .utf8)
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      let player = try Player(
        server: server, [song, "--no-connect"], folder: folder,
        environment: ["PATH": "\(folder.path):\(path)"])
      try player.waitForBeat()
      #expect(player.process.errorLines.contains { $0.contains("the voice takes long") })
      // It is still waited for, while the music plays.
      #expect(!player.process.errorLines.contains { $0.contains("does not respond") })
      #expect(
        eventually { player.process.errorLines.contains { $0.contains("does not respond") } })
      #expect(try player.interrupt() == .exited(0))
    }
  }

  @Test func `The last settings are on disk before Tactus waits for the last clip`() async throws {
    // A busy machine may delay single runs: the quickest run shows the time of the program itself. It waits for a
    // second, and a second after a change it would save that anyway.
    var times: [Duration] = []
    repeat {
      try await JACKServer.run { server in
        let folder = Scratch()
        for role in ["accent", "beat", "subdivision", "cue"] {
          try RIFF.sine(seconds: 10).write(to: URL(fileURLWithPath: "\(folder.path)/\(role).wav"))
        }
        let player = try Player(
          server: server, ["--fresh", "--no-connect", "--sound", folder.path], folder: folder)
        try player.waitForBeat()
        try player.set("tempo", .float(77))
        let began = ContinuousClock.now
        player.process.signal(SIGTERM)
        #expect(
          eventually {
            (try? String(contentsOfFile: "\(folder.path)/tactus/tactus.yaml", encoding: .utf8))?
              .contains("tempo: 77\n") == true
          })
        times.append(ContinuousClock.now - began)
        #expect(try player.process.waitForExit() == .exited(0))
      }
    } while times.last! >= .milliseconds(500) && times.count < 5
    #expect(times.min()! < .milliseconds(500), "\(times)")
  }

  @Test func `A limit of the size of files costs a message and nothing else`() async throws {
    try await JACKServer.run { server in
      let folder = Scratch()
      let process = try Subprocess(
        "sh",
        [
          "-c",
          "ulimit -f 0; exec \"$0\" play --server \"$1\" --json --osc-port 0 --tempo 240 --bars 2 --role free",
          Subprocess.built("tactus"), server.name,
        ],
        environment: ["XDG_STATE_HOME": folder.path, "XDG_RUNTIME_DIR": ""])
      #expect(try process.waitForExit() == .exited(0), "\(process.report)")
      #expect(process.errorLines.joined().contains("File too large"), "\(process.report)")
    }
  }

  @Test(
    .enabled(if: ServerKind.current == .jackd, "PipeWire answers these calls itself"),
    arguments: ["free", "lead"])
  func `While the server hangs Tactus reports it, accepts changes, and ends with its settings saved`(
    role: String
  ) async throws {
    try await JACKServer.run { server in
      let player = try Player(server: server, ["--fresh", "--no-connect"])
      try player.waitForBeat()
      let id = try #require(server.processID)
      kill(id, SIGSTOP)
      defer { kill(id, SIGCONT) }
      try player.set("role", .string(role))
      try player.set("tempo", .float(77))
      try player.process.waitForLine(containing: "\"event\":\"lost\"")
      let began = ContinuousClock.now
      player.process.signal(SIGTERM)
      #expect(try player.process.waitForExit() == .exited(0))
      // A second on a machine with nothing else to do; those who waited for the server took more than six.
      #expect(ContinuousClock.now - began < .seconds(4))
      let saved = try String(contentsOfFile: "\(player.folder.path)/tactus/tactus.yaml", encoding: .utf8)
      #expect(saved.contains("tempo: 77\n"))
      #expect(saved.contains("role: \(role)\n"))
    }
  }

  @Test(
    .enabled(if: ServerKind.current == .jackd, "PipeWire answers these calls itself"),
    arguments: [["role lead"], ["tempo 77"], ["role free", "tempo 77"]])
  func `A server that has just begun to hang delays neither a change in lead nor the end`(
    changes: [String]
  ) async throws {
    // A busy machine may delay single runs: the quickest run shows the time of the program itself.
    var times: [Duration] = []
    repeat {
      try await JACKServer.run { server in
        let leads = changes[0] == "role lead" ? [] : ["--role", "lead", "--start"]
        let player = try Player(server: server, ["--fresh", "--no-connect"] + leads)
        try player.waitForBeat()
        let id = try #require(server.processID)
        kill(id, SIGSTOP)
        defer { kill(id, SIGCONT) }
        for change in changes {
          let words = change.split(separator: " ").map(String.init)
          try player.set(words[0], Float(words[1]).map(OSCArgument.float) ?? .string(words[1]))
        }
        let began = ContinuousClock.now
        player.process.signal(SIGTERM)
        #expect(try player.process.waitForExit() == .exited(0))
        times.append(ContinuousClock.now - began)
        let saved = try String(
          contentsOfFile: "\(player.folder.path)/tactus/tactus.yaml", encoding: .utf8)
        for change in changes {
          #expect(saved.contains(change.replacingOccurrences(of: " ", with: ": ") + "\n"), "\(saved)")
        }
      }
    } while times.last! >= .seconds(1) && times.count < 5
    #expect(times.min()! < .seconds(1), "\(times)")
  }
}
