import Foundation
import MusicTime
import TestBench
import Testing
import Validation

/// `tactus check` on documents that are broken or mean harm, in 2 GB of address space.
@Suite struct CheckTests {
  struct Broken: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: @Sendable () -> [UInt8]
    /// How the line that names the fault begins, after the file's path.
    let fault: String

    init(_ name: String, _ text: @autoclosure @escaping @Sendable () -> String, _ fault: String) {
      self.init(name, bytes: Array(text().utf8), fault)
    }

    init(_ name: String, bytes: @autoclosure @escaping @Sendable () -> [UInt8], _ fault: String) {
      testDescription = name
      self.bytes = bytes
      self.fault = fault
    }
  }

  static let megabytes = 10_000_000

  static let corpus = [
    Broken("nothing", "", ":1:1: empty document"),
    Broken("a byte order mark alone", "\u{FEFF}", ":1:1: empty document"),
    Broken("a wrong type", "sections:\n  - bars: [4]\n", ":2:11: bars (a list)"),
    Broken("a mapping for a text", "title: {a: b}\nsections: [{bars: 1}]\n", ":1:8: title (keys and values)"),
    Broken("an unknown key", "sections:\n  - bars: 4\n    tmpo: 90\n", ":3:5: unknown key 'tmpo'"),
    Broken("a missing file", "songs: [nowhere.yaml]\n", ":1:9: 'nowhere.yaml', no such file: must be one"),
    Broken("a folder as a song", "songs: [/]\n", ":1:9: "),
    Broken(
      "a setlist of itself", "songs: [broken.yaml]\n", ":1:9: file 'broken.yaml', which includes itself"),
    Broken("a setlist of itself by another way", "songs: [./sub/../broken.yaml]\n", ":1:9: "),
    Broken("a negative tempo", "sections: [{bars: 1, tempo: -1}]\n", ":1:29: tempo '-1'"),
    Broken(
      "a number of a million digits", "sections: [{bars: \(String(repeating: "9", count: 1_000_000))}]\n",
      ":1:19: bars '9999"),
    Broken("a time beyond all time", "sections: [{time: 99999999999999999999:00}]\n", ":1:19: time"),
    Broken("a length of nothing", "sections: [{time: 0 ms}]\n", ":1:19: time '0 ms'"),
    Broken(
      "repeats of repeats",
      "sections: [{repeat: 100000, sections: [{repeat: 100000, sections: [{bars: 1}]}]}]\n",
      ":1:1: sections of more than 100000"),
    Broken(
      "a ladder of a million steps",
      "sections: [{bars: 1000000, tempo: {from: 1, to: 999, by: 0.001, every: 1}}]\n", ":1:"),
    Broken("nested lists", String(repeating: "[", count: megabytes), ":1:17: nesting"),
    Broken("nested lists in lines", String(repeating: "- ", count: megabytes / 2), ":1:33: nesting"),
    Broken("nested mappings", String(repeating: "{a: ", count: megabytes / 4), ":1:65: nesting"),
    Broken("nested keys", String(repeating: "? ", count: megabytes / 2), ":1:33: nesting"),
    Broken("openings of quotes", "title: '" + String(repeating: "'", count: megabytes), ":1:"),
    Broken("a million keys", (0..<1_000_000).map { "k\($0): 1\n" }.joined(), ":1:1: unknown key 'k0'"),
    Broken("a line as long as the file", "title: \(String(repeating: "x", count: megabytes))", ":1:"),
    Broken("seven million values", "sections: [" + String(repeating: "x,", count: 7_000_000) + "]", ":1:"),
    Broken("a file above the limit", String(repeating: "#\n", count: 9_000_000), ":1:1: file of"),
    Broken("invalid UTF-8", bytes: Array("title: ".utf8) + [0xC3, 0x28, 0x0A], ":1:8: byte 0xC3"),
    Broken("half a character at the end", bytes: Array("title: x".utf8) + [0xE2, 0x82], ":1:9: byte 0xE2"),
    Broken("UTF-16", bytes: [0xFF, 0xFE, 0x61, 0x00], ":1:"),
    Broken("a NUL", bytes: Array("title: a\0b".utf8), ":1:9: NUL byte"),
    Broken(
      "random bytes", bytes: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }, ":"),
    Broken(
      "aliases that explode",
      "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        + (1...30).map { n in
          "a\(n): &a\(n) [\(Array(repeating: "*a\(n - 1)", count: 9).joined(separator: ", "))]\n"
        }.joined(), ":2:10: alias *a0"),
    Broken("an alias to itself", "a: &a [*a]\n", ":1:8: alias *a"),
    Broken("a merge", "a: &a {b: 1}\nc: {<<: *a}\n", ":2:9: alias *a"),
    Broken("two documents", "sections: [{bars: 1}]\n---\nsections: [{bars: 1}]\n", ":2:1: another document"),
    Broken("a tag", "sections: !!python/object:os.system [{bars: 0}]\n", ":1:45: bars '0'"),
  ]

  @Test(arguments: corpus)
  func `A broken document is refused with its place, soon, and in little memory`(broken: Broken) throws {
    let folder = Scratch()
    let path = "\(folder.path)/broken.yaml"
    try FileManager.default.createDirectory(atPath: "\(folder.path)/sub", withIntermediateDirectories: true)
    try Data(broken.bytes()).write(to: URL(fileURLWithPath: path))
    let process = try Subprocess(
      "sh", ["-c", "ulimit -v 2000000; exec \"$0\" check \"$1\"", try Subprocess.built("tactus"), path])
    let status = try process.waitForExit(within: .seconds(30))
    #expect(status == .exited(1), "\(process.lines.prefix(3)) \(process.errorLines.prefix(3))")
    let place = path + broken.fault
    let line = try #require(process.lines.first)
    #expect(line.hasPrefix(place), "\(line.prefix(300))")
    // Every fault says what would be right.
    #expect(process.lines.allSatisfy { $0.contains(": must be ") || $0.contains("must be ") })
  }

  @Test func `A colour that displays may not know is reported, and the document still plays`() throws {
    let folder = Scratch()
    let path = "\(folder.path)/song.yaml"
    try "sections: [{bars: 1, colour: grean}, {bars: 1, colour: blue}]"
      .write(toFile: path, atomically: true, encoding: .utf8)
    let process = try Subprocess(try Subprocess.built("tactus"), ["check", path])
    #expect(try process.waitForExit(within: .seconds(30)) == .exited(0))
    #expect(process.lines.count == 2 && process.lines[1].hasSuffix("green, perhaps"))
  }

  @Test(arguments: ["\u{1B}[2J.yaml", "a\nb.yaml", "\u{202E}lmay.yaml", "\u{9B}31m.klick"])
  func `A file's name neither steers the terminal nor makes a line of its own`(name: String) throws {
    let folder = Scratch()
    for text in ["sections: [{bars: 1}]", "sections: [{bars: \"\u{1B}[2J\"}]"] {
      try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
      for command in ["check", "import", "render", "play"] {
        let rest = command == "render" ? ["-o", "\(folder.path)/x.xyz"] : []
        let process = try Subprocess(
          try Subprocess.built("tactus"),
          [command, "\(folder.path)/\(name)"] + rest
            + (command == "play" ? ["--server", "none", "--wait", "0", "--fresh"] : []))
        _ = try process.waitForExit()
        let lines = process.lines + process.errorLines
        #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy(\.isPrintable) }, "\(lines.debugDescription)")
        #expect(!lines.contains { $0.hasPrefix("b.yaml") })
      }
    }
  }

  @Test func `Who imports a session is told that it is one, and of a broken map what is wrong`() throws {
    let folder = Scratch()
    for (name, text, code, words) in [
      ("good.yaml", "sections: [{bars: 1}]\n", 64, "good.yaml is a session already: play it"),
      ("broken.yml", "sections: [\n", 64, "broken.yml is a session already"),
      ("unnamed", "sections: [{bars: 1}]\n", 64, "unnamed is a session already"),
      ("map.yaml", "4 120\n", 0, ""),
      ("broken.klick", "4 0\n", 1, "broken.klick:1:3: tempo '0'"),
      ("broken", "four bars\n", 1, "broken:1:1: "),
    ] as [(String, String, Int32, String)] {
      let path = "\(folder.path)/\(name)"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      let (status, process) = try tactus("import", path)
      #expect(status == .exited(code), "\(process.report)")
      #expect(words.isEmpty || process.errorLines.joined().contains(words), "\(process.report)")
    }
  }

  @Test func `Of a text that is no map only the first faults are shown`() throws {
    let folder = Scratch()
    let path = "\(folder.path)/letter.txt"
    try String(repeating: "Dear drummer\n", count: 30).write(toFile: path, atomically: true, encoding: .utf8)
    let (status, process) = try tactus("import", path)
    #expect(status == .exited(1), "\(process.report)")
    #expect(process.errorLines.count == 6, "\(process.report)")
    #expect(process.errorLines.last?.hasSuffix("more: tactus check lists all") == true, "\(process.report)")
  }

  @Test func `What is no file, and every file of several, is said`() throws {
    let folder = Scratch()
    try "sections: [{bars: 1}]".write(toFile: "\(folder.path)/good.yaml", atomically: true, encoding: .utf8)
    try "4 120\n4 0\n".write(toFile: "\(folder.path)/bad.klick", atomically: true, encoding: .utf8)
    mkfifo("\(folder.path)/pipe.yaml", 0o600)
    let names = ["none.yaml", "good.yaml", "bad.klick", "pipe.yaml", ""].map { "\(folder.path)/\($0)" }
    let process = try Subprocess(try Subprocess.built("tactus"), ["check"] + names)
    #expect(try process.waitForExit() == .exited(1))
    let lines = process.lines
    #expect(lines.contains { $0.hasPrefix(names[0] + ": there is no such file") })
    #expect(lines.contains("\(names[1]): good, 1 section, 0:02"))
    #expect(lines.contains { $0.hasPrefix(names[2] + ":2:3: tempo '0'") })
    #expect(lines.contains { $0.hasPrefix(names[3] + ":1:1: ") })
    #expect(lines.contains { $0.hasPrefix(names[4] + ":1:1: ") })
    let (status, good) = try tactus("check", names[1])
    #expect(status == .exited(0), "\(good.report)")
  }
}
