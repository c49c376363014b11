import Foundation
import MusicTime
import TestBench
import Testing
import Validation

@testable import tactus

@Suite struct CommandLineTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let code: Int32
    /// What was wrong, and what would be right.
    let words: [String]

    init(_ arguments: String, _ code: Int32, _ words: String...) {
      self.arguments = arguments.split(separator: " ").map(String.init)
      self.code = code
      self.words = words
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let mistakes = [
    Mistake("play --tempo 1000", 64, "tempo '1000'", "1…999.999"),
    Mistake("play --tempo nan", 64, "tempo 'nan'", "1…999.999"),
    Mistake("--quiet play song.yaml", 64, "options come after the command: tactus play --quiet"),
    Mistake("--quiet check song.yaml", 64, "Unexpected argument"),
    Mistake("--tempo 120 play", 66, "'play'", "options come after the command"),
    Mistake("play --meter 0/4", 64, "meter", "0/4", "1…99"),
    Mistake("play --meter waltz", 64, "'waltz'", "as in 7/8"),
    Mistake("play --beat-unit 2/5", 64, "2/5"),
    Mistake("play --subdivision 10", 64, "subdivision 10", "2…9"),
    Mistake("play --subdivision 3:2", 64, "2", "0…1"),
    Mistake("play --accents Xy", 64, "'Xy'"),
    Mistake("play --groups 3+2", 64, "3+2", "a sum of 4"),
    Mistake("play --gap 4", 64, "gap '4'", "as in 4+4"),
    Mistake("play --gap 0+4", 64, "gap 0+4", "1…99 bars that sound"),
    Mistake("play --swing 2", 64, "swing", "2", "0…1"),
    Mistake("play --volume -1", 64, "volume '-1'", "0…1"),
    Mistake("play --accent-volume -0.1", 64, "--accent-volume", "-0.1", "0…1"),
    Mistake("play --tempo -5", 64, "tempo '-5'", "1…999.999"),
    Mistake("play --meter -3/4", 64, "-3", "1…99"),
    Mistake("play --subdivision -2", 64, "-2", "2…9"),
    Mistake("play --bars -1", 64, "bars '-1'", "1…1000000"),
    Mistake("play --bars 0", 64, "bars '0'", "1…1000000"),
    Mistake("play --role boss", 64, "'boss'", "free, follow, lead, lead-if-free, midi-clock, link"),
    Mistake("play --link --role lead", 64, "exclude each other"),
    Mistake("play --link --bars 4", 64, "--bars", "Ableton Link"),
    Mistake("play --role follow --bars 4", 64, "--bars", "--role follow"),
    Mistake("play --link --tempo 5", 64, "tempo 5", "20…999", "Ableton Link"),
    Mistake("play --link --tempo 999.5", 64, "tempo 999.5", "20…999"),
    Mistake("play --link song.yaml", 64, "a session has tempos of its own"),
    Mistake("play --quantise tick", 64, "'tick'", "now, beat or bar"),
    Mistake("play --osc-port 70000", 64, "port '70000'", "0…65535"),
    Mistake("play --osc-port abc", 64, "port 'abc'", "0…65535"),
    Mistake("play --osc-port -1", 64, "port '-1'", "0…65535"),
    Mistake("play --osc-bind foo", 64, "'foo'", "numeric"),
    Mistake("play --osc-allow everyone", 64, "everyone"),
    Mistake("play --osc-bind 0.0.0.0", 64, "0.0.0.0", "--osc-allow"),
    Mistake("play --osc-bind 192.168.1.2", 64, "192.168.1.2", "--osc-allow"),
    Mistake("play --osc-feedback phone:9000", 64, "'phone:9000'", "a numeric address and a port"),
    Mistake("play --osc-feedback 192.168.1.7:9000", 64, "192.168.1.7", "--osc-bind 0.0.0.0", "--osc-allow"),
    Mistake("play --name a:b", 64, "'a:b'", "without a colon"),
    Mistake("play --name a/b", 64, "'a/b'", "or slash"),
    Mistake("play --connect system:playback_1 --no-connect", 64, "exclude each other"),
    Mistake("play --plain --json", 64, "--plain and --json", "leave one out"),
    Mistake("play --quiet --json", 64, "--json and --quiet", "leave one out"),
    Mistake("cadence --height 1.80 --speed 12", 64, "speed '12'", "with its unit, as 3.3m/s, 12km/h"),
    Mistake("cadence --height 1.80 --speed -1km/h", 64, "speed '-1km/h'"),
    Mistake(
      "cadence --height 1.80 --speed 12km/h --cadence slope", 64, "'slope'", "slope=number", "a value of 0…30"
    ),
    Mistake("import /nowhere.klick", 66, "/nowhere.klick: there is no such file", "name one that exists"),
    Mistake("play /nowhere.yaml", 66, "/nowhere.yaml: there is no such file"),
    Mistake("render /nowhere.yaml -o click.wav", 66, "/nowhere.yaml: there is no such file"),
    Mistake("bogus", 66, "no file, document or command 'bogus'", "tactus list", "tactus --help"),
    Mistake("play --nonsense", 64, "--nonsense"),
    // What was meant as an option's value is not blamed for being no tempo.
    Mistake("--port 9700", 64, "Unknown option '--port'. Did you mean '--osc-port'?"),
    Mistake("doctor --watch -1", 64, "--watch '-1': must be 0…3600 seconds"),
    Mistake("doctor --osc-port 70000", 64, "--osc-port '70000': must be 0…65535"),
    Mistake("remote --port 70000", 64, "--port '70000': must be 1…65535"),
    Mistake("92,5", 64, "tempo '92,5'", "with a point, as 92.5"),
    Mistake("play --tempo 92,5", 64, "tempo '92,5'", "with a point, as 92.5"),
    Mistake("play --tempo 100 --tmepo 120", 64, "'--tmepo'", "'--tempo'"),
    Mistake("play --sound /nowhere", 64, "/nowhere", "or a folder with"),
    Mistake("play --server nowhere --wait 0 --fresh", 69, "'nowhere'", "jackd -n nowhere"),
    Mistake("render -o /nowhere/click.wav --bars 1", 73, "/nowhere/click.wav"),
    Mistake("render -o click.mp3 --bars 1", 64, "click.mp3", ".wav, .flac or .ogg", ".mid"),
    Mistake("render song.yaml -o click.mp3", 64, "click.mp3", ".wav, .flac or .ogg", ".mid"),
    Mistake("render -o click.wav", 64, "--bars 8", "--duration 1:30"),
    Mistake("render -o click.wav --bars 1 --duration 1", 64, "exclude each other"),
    Mistake("render -o click.wav --duration -3", 64, "duration '-3'", "above 0"),
    Mistake("render -o click.wav --bars 1 --sample-rate -1", 64, "sample rate -1", "8000 to 192000"),
    Mistake("render -o click.wav --duration 25:00:00", 64, "'25:00:00'", "at most 24 hours"),
    Mistake("render -o click.wav --bars 1 --sample-rate 1", 64, "sample rate 1", "8000 to 192000"),
    Mistake("render -o click.wav --bars 1 --bit-depth 12", 64, "bit depth 12", "16, 24, 32"),
    Mistake("render -o click.ogg --bars 1 --bit-depth 24", 64, "bit depth 24", "left out"),
    Mistake("render --bars 1", 64, "--output"),
    Mistake("render -o map.mid", 64, "the length is missing", "--bars 8"),
    Mistake("render -o click.wav --bars 8 --joined", 64, "--joined is for the songs of a setlist"),
    Mistake("render song.yaml -o click.wav --joined --song 1", 64, "--joined and --song"),
    Mistake("render song.yaml -o map.mid --stems", 64, "no sound", "--stems"),
    Mistake("render song.yaml -o map.mid --volume 0.5", 64, "no sound", "volumes"),
  ]

  @Test(arguments: mistakes)
  func `A mistake is named, with what would be right`(mistake: Mistake) throws {
    let folder = Scratch()
    let process = try Subprocess(
      try Subprocess.built("tactus"), mistake.arguments, environment: ["XDG_STATE_HOME": folder.path])
    #expect(try process.waitForExit() == .exited(mistake.code), "\(process.report)")
    let message = process.errorLines.joined(separator: "\n")
    for word in mistake.words { #expect(message.contains(word), "\(message)") }
    #expect(process.errorLines.count <= 2, "\(message)")
    #expect(process.lines == [])
  }

  @Test(arguments: [
    ("--foo", "Error: Unknown option '--foo'"), ("log --take x", "Error: Unknown option '--take'"),
    ("--meter 0/4", "Error: --meter 0/4: must be 1…99 / 1…99"),
    ("--accent-volume -1", "Error: --accent-volume '-1': must be 0…1"),
    ("render -o x.wav --time-reference soon", "Error: --time-reference 'soon': must be below 24 hours"),
  ])
  func `A mistake is one sentence, and a line tells where help is`(arguments: String, sentence: String) throws
  {
    let (status, process) = try tactus(arguments.split(separator: " ").map(String.init))
    #expect(status == .exited(64))
    let lines = process.errorLines
    #expect(lines.first == sentence || lines.first?.hasPrefix(sentence + ",") == true, "\(process.report)")
    #expect(lines.count == 2 && lines.last?.hasPrefix("See 'tactus ") == true, "\(process.report)")
  }

  @Test(arguments: [["play", "--"], ["play", "--set", "--"], ["--"], ["play", "--tempo="]])
  func `An argument that is quoted neither steers the terminal nor makes a line of its own`(words: [String])
    throws
  {
    var words = words
    let argument = words.removeLast() + "\u{1B}]0;title\u{7}\u{202E}\nError: none"
    let process = try Subprocess(try Subprocess.built("tactus"), words + [argument])
    #expect(try process.waitForExit() == .exited(64), "\(process.report)")
    #expect(process.errorLines.first?.contains("\u{FFFD}]0;title") == true)
    for line in process.errorLines {
      #expect(line.unicodeScalars.allSatisfy { $0.isPrintable })
      #expect(!line.hasPrefix("Error: none"))
    }
  }

  @Test(arguments: ["schema", "reference", "--version", "--help", "play --help"])
  func `What can't be written is an error`(words: String) throws {
    let process = try Subprocess(
      "sh", ["-c", "exec \"$0\" \(words) >/dev/full", try Subprocess.built("tactus")])
    #expect(try process.waitForExit() == .exited(73), "\(process.report)")
    #expect(process.errorLines.last == "Error: output: No space left on device", "\(process.report)")
  }

  @Test(arguments: ["play --wait 0 --osc-port 0 --server", "doctor --watch 0 --server"])
  func `A server's name of thousands of bytes is refused`(words: String) throws {
    let name = String(repeating: "x", count: 5_000)
    let process = try Subprocess(
      try Subprocess.built("tactus"), words.split(separator: " ").map(String.init) + [name])
    #expect(try [.exited(69), .exited(1)].contains(process.waitForExit()), "\(process.report)")
    #expect(process.report.contains("the JACK server's name has 5000 bytes: must be at most 255"))
  }

  @Test(arguments: ["--bars 1", "--tempo 5"])
  func `What the last run's role excludes is refused`(option: String) throws {
    let folder = Scratch()
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/tactus", withIntermediateDirectories: true)
    let state = "\(folder.path)/tactus/tactus.yaml"
    try "role: link\n".write(toFile: state, atomically: true, encoding: .utf8)
    let process = try Subprocess(
      try Subprocess.built("tactus"), ["play"] + option.split(separator: " ").map(String.init),
      environment: ["XDG_STATE_HOME": folder.path])
    #expect(try process.waitForExit() == .exited(64), "\(process.report)")
    #expect(process.errorLines.joined().contains("saved from the last run: --role free changes it"))
    #expect(try String(contentsOfFile: state, encoding: .utf8) == "role: link\n")
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGKILL])
  func `A program that is ended while it waits for a server has not died of its document`(signal: Int32)
    throws
  {
    let folder = Scratch()
    let state = "\(folder.path)/tactus"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    let document = "\(folder.path)/gig.yaml"
    try "sections: [{bars: 4}]\n".write(toFile: document, atomically: true, encoding: .utf8)
    try "session: \(document)\n".write(toFile: state + "/tactus.yaml", atomically: true, encoding: .utf8)
    let process = try Subprocess(
      try Subprocess.built("tactus"), ["play", "--server", "none-of-this-name", "--osc-port", "0"],
      environment: ["XDG_STATE_HOME": folder.path, "XDG_DATA_HOME": folder.path])
    #expect(eventually { process.errorLines.contains { $0.contains("waiting for the JACK server") } })
    process.signal(signal)
    _ = try process.waitForExit()
    #expect(!FileManager.default.fileExists(atPath: state + "/tactus.yaml.opening"), "\(process.report)")
    #expect(try String(contentsOfFile: state + "/tactus.yaml", encoding: .utf8) == "session: \(document)\n")
  }

  @Test func `A sound folder that can't be used is no input`() throws {
    let folder = Scratch()
    let (status, process) = try tactus(
      "render", "-o", "\(folder.path)/x.wav", "--bars", "1", "--sound", folder.path)
    #expect(status == .exited(66), "\(process.report)")
    #expect(process.errorLines.joined().contains("\(folder.path): has no accent, beat or 1 file"))
    #expect(folder.files == [])
  }

  @Test func `Keys that programs make and revoke at the same time are all made and all revoked`() throws {
    let folder = Scratch()
    func start(_ arguments: String...) throws -> Subprocess {
      try Subprocess(
        try Subprocess.built("tactus"), ["remote"] + arguments, environment: ["XDG_STATE_HOME": folder.path])
    }
    func make(_ name: String) throws -> Subprocess {
      try start("--name", name, "--address", "127.0.0.1")
    }
    func finish(_ programs: [Subprocess]) throws {
      for program in programs {
        #expect(try program.waitForExit() == .exited(0), "\(program.report)")
      }
    }
    try finish((0..<4).map { try make("old-\($0)") })
    try finish((0..<8).map { try $0 % 2 == 0 ? make("new-\($0 / 2)") : start("--revoke", "old-\($0 / 2)") })
    let list = try start("--list")
    try finish([list])
    #expect(list.lines.sorted() == (0..<4).map { "new-\($0): controls" })
  }

  @Test func `A cadence is suggested for a usual height, which is told, or for one's own`() throws {
    let (status, usual) = try tactus("cadence", "--speed", "4m/s")
    #expect(status == .exited(0))
    #expect(
      usual.lines == ["180 steps a minute, stride 1.33 m, for a height of 1.75 m; --height sets another"])
    let (_, own) = try tactus("cadence", "--speed", "4m/s", "--height", "2.20")
    #expect(own.lines == ["178 steps a minute, stride 1.35 m"])
  }

  @Test func `Help names every option, and the version is told`() throws {
    let (status, help) = try tactus("play", "--help")
    #expect(status == .exited(0))
    let text = help.lines.joined(separator: "\n")
    for option in [
      "tempo", "meter", "beat-unit", "subdivision", "accents", "groups", "swing", "gap", "sound", "volume",
      "accent-volume", "beat-volume", "subdivision-volume", "role", "quantise", "bars", "stopped", "name",
      "server", "connect", "no-connect", "osc-port", "osc-bind", "osc-allow", "plain", "json", "fresh",
      "link", "klick-osc", "profile", "follow-pace",
    ] { #expect(text.contains("--\(option)")) }
    let (versionStatus, version) = try tactus("--version")
    #expect(versionStatus == .exited(0))
    #expect(version.lines.first?.hasPrefix("tactus \(ProgramVersion.number)") == true)
    #expect(version.lines.last?.contains("JACK") == true)
  }
}
