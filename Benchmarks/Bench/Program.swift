import Foundation
import TestBench

/// A metronome program that runs on the bench's server.
final class Program: Sendable {
  let process: Subprocess
  /// The port that carries its click.
  let port: String
  /// The UDP port on which it listens to OSC; 0 if it does not.
  let oscPort: UInt16

  private init(_ command: [String], server: JACKServer, port: String, oscPort: UInt16 = 0, probe: String?)
    throws
  {
    var environment = ["JACK_DEFAULT_SERVER": server.name, "XDG_RUNTIME_DIR": ""]
    // It neither reads nor changes the user's settings.
    environment["XDG_STATE_HOME"] = NSTemporaryDirectory() + "/tactus-bench-\(getpid())"
    if let probe {
      environment["LD_PRELOAD"] = try Subprocess.built("libcallback-probe.so")
      environment["BENCH_PROBE"] = probe
    }
    process = try Subprocess(command[0], Array(command.dropFirst()), environment: environment)
    self.port = port
    self.oscPort = oscPort
  }

  /// The path of the program: `make bench` gives it in the environment, since it is built in another package.
  static var tactusPath: String {
    get throws { try ProcessInfo.processInfo.environment["TACTUS"] ?? Subprocess.built("tactus") }
  }

  /// `tactus play` with options; without `--connect` among them it makes no connections.
  static func tactus(
    _ server: JACKServer, _ options: [String], name: String = "tactus", probe: String? = nil
  ) throws -> Program {
    let port = nextPort()
    let connections = options.contains("--connect") ? [] : ["--no-connect"]
    let command = [try tactusPath, "play", "--fresh", "--name", name, "--osc-port", "\(port)"] + connections
    return try Program(command + options, server: server, port: "\(name):out", oscPort: port, probe: probe)
  }

  /// - Parameter listens: whether it listens to OSC. Then it waits for a start, and with `-j` it crashes.
  static func klick(
    _ server: JACKServer, _ options: [String], name: String = "klick", listens: Bool = false,
    probe: String? = nil
  ) throws -> Program {
    let port = nextPort()
    return try Program(
      ["klick", "-n", name] + (listens ? ["-o", "\(port)"] : []) + options, server: server,
      port: "\(name):out", oscPort: listens ? port : 0,
      probe: probe)
  }

  /// jack_metro, which accepts whole tempos only.
  static func jackMetro(_ server: JACKServer, tempo: Int, probe: String? = nil) throws -> Program {
    try Program(
      ["jack_metro", "--name", "metro", "--bpm", "\(tempo)"], server: server, port: "metro:\(tempo)_bpm",
      probe: probe)
  }

  /// jack_midi_clock at a tempo of its own.
  static func midiClock(_ server: JACKServer, tempo: Int, probe: String? = nil) throws -> Program {
    try Program(
      ["jack_midi_clock", "-B", "-b", "\(tempo)"], server: server, port: "jack_midi_clock:mclk_out",
      probe: probe)
  }

  /// A client with an empty callback: its cost is that of any client.
  static func emptyClient(_ server: JACKServer, probe: String? = nil) throws -> Program {
    try Program(
      [try Subprocess.built("bench"), "empty-client"], server: server, port: "empty:out", probe: probe)
  }

  /// Ends it with SIGINT, and with SIGKILL after three seconds.
  func stop() {
    process.signal(SIGINT)
    _ = try? process.waitForExit(within: .seconds(3))
  }

  private static func nextPort() -> UInt16 { UInt16.random(in: 20_000..<60_000) }

  // MARK: Processor time and memory

  private var threadFolder: String { "/proc/\(process.processID)/task" }
  private var threads: [String] { (try? FileManager.default.contentsOfDirectory(atPath: threadFolder)) ?? [] }
  var threadCount: Double { Double(threads.count) }

  /// Seconds of processor time of all its threads since it began.
  var processorTime: Double { processorTime(threads) }

  /// Seconds of processor time of the threads with this name.
  func processorTime(of name: String) -> Double {
    processorTime(
      threads.filter { thread in
        let text = try? String(contentsOfFile: "\(threadFolder)/\(thread)/comm", encoding: .utf8)
        return text == name + "\n"
      })
  }

  private func processorTime(_ threads: [String]) -> Double {
    let nanoseconds = threads.compactMap { thread in
      (try? String(contentsOfFile: "\(threadFolder)/\(thread)/schedstat", encoding: .utf8))
        .flatMap { Double($0.split(separator: " ")[0]) }
    }
    return nanoseconds.reduce(0, +) * 1e-9
  }

  /// Resident memory in bytes.
  struct Memory {
    /// Including the mapped parts of programs and libraries.
    let own: Double
    /// Shared memory, which libjack maps and locks for each client.
    let shared: Double
  }

  var memory: Memory {
    let status = (try? String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)) ?? ""
    func bytes(_ name: String) -> Double {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
      return (number.flatMap { Double($0) } ?? 0) * 1_024
    }
    return Memory(own: bytes("RssAnon") + bytes("RssFile"), shared: bytes("RssShmem"))
  }
}

/// The monotonic clock in seconds.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func sleep(seconds: Double) { usleep(UInt32(max(0, seconds) * 1e6)) }

/// A note that names the peers that are not installed; nil if all are.
func missingPeers(_ names: String...) -> String? {
  let missing = names.filter { !Subprocess.isInstalled($0) }
  return missing.isEmpty ? nil : "\(missing.joined(separator: ", ")) not installed: skipped"
}
