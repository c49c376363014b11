import CSndfile
import Foundation
import TestBench
import Testing

@Suite struct RenderTests {
  @Test(
    arguments: [
      ("wav", 16, SF_FORMAT_WAV | SF_FORMAT_PCM_16), ("wav", 24, SF_FORMAT_WAV | SF_FORMAT_PCM_24),
      ("wav", 32, SF_FORMAT_WAV | SF_FORMAT_FLOAT), ("flac", 24, SF_FORMAT_FLAC | SF_FORMAT_PCM_24),
      ("ogg", nil, SF_FORMAT_OGG | SF_FORMAT_VORBIS),
    ] as [(String, Int?, Int)])
  func `Each format holds the bars and what still sounds`(kind: String, depth: Int?, format: Int) throws {
    let folder = Scratch()
    let path = "\(folder.path)/click.\(kind)"
    let process = try Subprocess(
      try Subprocess.built("tactus"),
      ["render", "-o", path, "--bars", "2", "--tempo", "240", "--sample-rate", "44100"]
        + (depth.map { ["--bit-depth", "\($0)"] } ?? []))
    #expect(try process.waitForExit() == .exited(0), "\(process.report)")
    let file = try RenderedFile(path)
    #expect(Int(file.format) == format)
    #expect(file.sampleRate == 44_100)
    // Eight beats of a quarter second; the last clip ends before them.
    #expect(file.samples.count == 2 * 44_100)
    #expect(folder.files == ["click.\(kind)"])
    #expect(process.errorLines == [])
  }

  @Test func `Stems sum to the mix, and a duration is kept`() throws {
    let folder = Scratch()
    let path = "\(folder.path)/a.b.wav"
    let (status, process) = try tactus(
      "render", "-o", path, "--stems", "--bit-depth", "32", "--duration", "0:01.5", "--subdivision", "3")
    #expect(status == .exited(0), "\(process.report)")
    let names = ["a.b-accent.wav", "a.b-beat.wav", "a.b-cue.wav", "a.b-subdivision.wav", "a.b.wav"]
    #expect(folder.files == names)
    let mix = try RenderedFile(path).samples
    // A clip that begins within the time plays to its end.
    #expect(72_000..<84_000 ~= mix.count)
    var sum = [Float](repeating: 0, count: mix.count)
    for name in ["accent", "beat", "subdivision", "cue"] {
      let stem = try RenderedFile("\(folder.path)/a.b-\(name).wav").samples
      try #require(stem.count == sum.count)
      for index in sum.indices { sum[index] += stem[index] }
    }
    #expect(sum == mix)
  }

  @Test
  func `A WAV file tells its sections and its place, and each song of a setlist follows the one before`()
    throws
  {
    let folder = Scratch()
    let song = "count-in: 1\nsections:\n- {name: Intro, bars: 2}\n- {name: Verse, bars: 4}\n"
    try song.write(toFile: "\(folder.path)/song.yaml", atomically: true, encoding: .utf8)
    try "songs: [song.yaml, song.yaml]\n".write(
      toFile: "\(folder.path)/gig.yaml", atomically: true, encoding: .utf8)
    let (status, process) = try tactus(
      "render", "\(folder.path)/gig.yaml", "-o", "\(folder.path)/gig.wav", "--time-reference", "1:00:00")
    #expect(status == .exited(0), "\(process.report)")
    let (first, second) = try (
      RenderedNotes("\(folder.path)/gig-01.wav"), RenderedNotes("\(folder.path)/gig-02.wav")
    )
    let length = try RenderedFile("\(folder.path)/gig-01.wav").samples.count
    #expect(first.markers.map(\.frame) == [0, 96_000, 288_000])
    #expect(first.markers.map(\.name).dropFirst() == ["Intro", "Verse"])
    #expect(second.markers == first.markers)
    #expect(first.timeReference == 3_600 * 48_000)
    #expect(second.timeReference == 3_600 * 48_000 + length)
    let (refused, other) = try tactus("render", "-o", "a.flac", "--bars", "1", "--time-reference", "1:00:00")
    #expect(refused == .exited(64))
    #expect(
      other.errorLines.first?.contains("--time-reference: only .wav files contain one, not .flac") == true)
  }

  @Test func `What exceeds full scale is told, with the volume at which nothing does`() throws {
    let folder = Scratch()
    let path = "\(folder.path)/loud.wav"
    let loud = ["--bars", "2", "--polyrhythm", "3:4", "--set", "volume/layer-1=1"]
    let (status, process) = try tactus(["render", "-o", path] + loud)
    #expect(status == .exited(0), "\(process.report)")
    let warning = try #require(process.errorLines.first)
    #expect(process.errorLines.count == 1 && warning.contains("exceed full scale"), "\(process.report)")
    let volume = try #require(warning.split(separator: " ").first { $0.hasSuffix("%") })
    let (_, quiet) = try tactus(["render", "-o", path, "--volume", String(volume)] + loud)
    #expect(quiet.errorLines == [])
    let (_, exact) = try tactus(["render", "-o", path, "--bit-depth", "32"] + loud)
    #expect(exact.errorLines == [])
  }

  @Test func `Each song of a setlist becomes a file, or one of them the file itself`() throws {
    let folder = Scratch()
    for (name, tempo) in [("one", 120), ("two", 240)] {
      try "title: \(name)\nsections:\n  - {bars: 1, tempo: \(tempo)}\n".write(
        toFile: "\(folder.path)/\(name).yaml", atomically: true, encoding: .utf8)
    }
    let gig = "\(folder.path)/gig.yaml"
    try "songs:\n  - one.yaml\n  - two.yaml\n".write(toFile: gig, atomically: true, encoding: .utf8)
    for path in ["click.wav", "map.mid"] {
      let (status, process) = try tactus("render", gig, "-o", "\(folder.path)/\(path)")
      #expect(status == .exited(0), "\(process.report)")
    }
    let names = ["click-01.wav", "click-02.wav", "map-01.mid", "map-02.mid"]
    #expect(folder.files.filter { !$0.hasSuffix("yaml") } == names)
    let two = try RenderedFile("\(folder.path)/click-02.wav").samples
    let (status, process) = try tactus("render", gig, "-o", "\(folder.path)/two.wav", "--song", "2")
    #expect(status == .exited(0), "\(process.report)")
    #expect(try RenderedFile("\(folder.path)/two.wav").samples == two)
    let (refused, wrong) = try tactus("render", gig, "-o", "\(folder.path)/x.wav", "--song", "3")
    #expect(
      refused == .exited(64) && wrong.errorLines.first?.contains("must be 1…2") == true, "\(wrong.report)")
  }

  @Test(arguments: ["click.wav", "map.mid"])
  func `If one song has no end, no song is written`(output: String) throws {
    let folder = Scratch()
    for (name, length) in [("one", "bars: 1"), ("two", "until: next")] {
      try "title: \(name)\nsections:\n  - {tempo: 120, \(length)}\n".write(
        toFile: "\(folder.path)/\(name).yaml", atomically: true, encoding: .utf8)
    }
    let gig = "\(folder.path)/gig.yaml"
    try "songs:\n  - one.yaml\n  - two.yaml\n".write(toFile: gig, atomically: true, encoding: .utf8)
    let (status, process) = try tactus("render", gig, "-o", "\(folder.path)/\(output)")
    #expect(status != .exited(0))
    #expect(process.errorLines.joined().contains("set the length with --duration"), "\(process.report)")
    #expect(folder.files == ["gig.yaml", "one.yaml", "two.yaml"])
  }

  @Test func `Songs are joined in one file, each on its frame, with the setlist's pauses`() throws {
    let folder = Scratch()
    let gig = "\(folder.path)/gig.yaml"
    for (name, tempo) in [("one", 120), ("two", 240)] {
      try "title: \(name)\nsections:\n  - {name: A, bars: 1, tempo: \(tempo), sound: cowbell}\n".write(
        toFile: "\(folder.path)/\(name).yaml", atomically: true, encoding: .utf8)
    }
    try "title: Gig\nsongs:\n  - {file: one.yaml, then: 1.5 s}\n  - two.yaml\n  - one.yaml\n".write(
      toFile: gig, atomically: true, encoding: .utf8)
    for arguments in [
      ["-o", "\(folder.path)/gig.wav", "--joined"], ["-o", "\(folder.path)/song.wav"],
      ["-o", "\(folder.path)/gig.mid", "--joined"],
    ] {
      let (status, process) = try tactus(["render", gig] + arguments)
      #expect(status == .exited(0), "\(process.report)")
    }
    let joined = try RenderedFile("\(folder.path)/gig.wav").samples
    // Two seconds, a pause, one second.
    let starts = [0, 168_000, 216_000]
    for (index, start) in starts.enumerated() {
      let song = try RenderedFile("\(folder.path)/song-0\(index + 1).wav").samples
      let end = index + 1 < starts.count ? starts[index + 1] - start : song.count
      #expect(Array(joined[start..<start + min(end, song.count)]) == Array(song.prefix(end)))
    }
    let notes = try RenderedNotes("\(folder.path)/gig.wav")
    #expect(notes.markers.map(\.frame) == starts)
    #expect(notes.markers.map(\.name) == ["one: A", "two: A", "one: A"])
    #expect(folder.files.contains("gig.mid") && !folder.files.contains("gig-01.mid"))
    // What is played together is imported together.
    let (status, process) = try tactus("import", "\(folder.path)/gig.mid")
    #expect(status == .exited(0), "\(process.report)")
  }

  @Test func `The metronome and a session without an end become MIDI files of a given length`() throws {
    let folder = Scratch()
    let path = "\(folder.path)/map.mid"
    let song = "\(folder.path)/song.yaml"
    try "sections:\n  - {name: A, bars: 2, tempo: 120}\n  - {name: B, tempo: 90, until: next}\n".write(
      toFile: song, atomically: true, encoding: .utf8)
    func imported(_ arguments: [String]) throws -> String {
      let (status, process) = try tactus(["render", "-o", path] + arguments)
      #expect(status == .exited(0), "\(process.report)")
      let (read, document) = try tactus("import", path)
      #expect(read == .exited(0), "\(document.report)")
      return document.lines.joined(separator: "\n")
    }
    let metronome = try imported(["--bars", "8", "--tempo", "133.7", "--meter", "7/8"])
    #expect(
      metronome.contains("bars: 8") && metronome.contains("tempo: 133.7") && metronome.contains("meter: 7/8"))
    #expect(try imported(["--duration", "0:16", "--tempo", "120"]).contains("bars: 8"))
    // Four seconds and eight: twelve beats at 90.
    let open = try imported(["--duration", "12", song])
    #expect(open.contains("name: A") && open.contains("name: B") && open.contains("bars: 3"))
  }

  @Test func `A session's tempo map is a MIDI file`() throws {
    let folder = Scratch()
    let song = "\(folder.path)/song.yaml"
    let sections = "  - {bars: 2, tempo: 100, name: Intro}\n  - {bars: 1, meter: 7/8, tempo: 240}\n"
    try "title: Odd\nsections:\n\(sections)".write(toFile: song, atomically: true, encoding: .utf8)
    let path = "\(folder.path)/song.mid"
    let (status, process) = try tactus("render", song, "-o", path)
    #expect(status == .exited(0), "\(process.report)")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(bytes.starts(with: Array("MThd".utf8) + [0, 0, 0, 6, 0, 0, 0, 1]))
    // 600000 µs a quarter in 4/4, then 500000 in 7/8.
    for event in [
      [0xFF, 0x51, 3, 0x09, 0x27, 0xC0], [0xFF, 0x58, 4, 4, 2, 24, 8], [0xFF, 0x51, 3, 0x07, 0xA1, 0x20],
      [0xFF, 0x58, 4, 7, 3, 12, 8], [0xFF, 0x06, 5] + Array("Intro".utf8),
    ] as [[UInt8]] { #expect(bytes.contains(event), "\(event)") }
    #expect(folder.files == ["song.mid", "song.yaml"])

    try "sections:\n  - {tempo: 100, until: next}\n".write(toFile: song, atomically: true, encoding: .utf8)
    let (refusal, open) = try tactus("render", song, "-o", path)
    #expect(refusal == .exited(65), "\(open.report)")
    #expect(open.errorLines.joined().contains("of a length in bars, beats or time"))
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
  }

  /// Expects that a command refuses to write over a file that it reads, and changes nothing.
  private func expectRefusal(_ arguments: [String], _ folder: Scratch) throws {
    func contents() throws -> [String: Data] {
      var contents: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
        contents[name] = FileManager.default.contents(atPath: "\(folder.path)/\(name)")
      }
      return contents
    }
    let before = try contents()
    let (status, process) = try tactus(arguments)
    #expect(status == .exited(64), "\(process.report)")
    #expect(process.errorLines.joined().contains("must be another file"), "\(process.report)")
    #expect(try contents() == before)
  }

  @Test func `A document or a map that is read is not written over, by any path`() throws {
    let folder = Scratch()
    let map = "\(folder.path)/map.klick"
    try "4 4/4 120\n".write(toFile: map, atomically: true, encoding: .utf8)
    let (link, second) = ("\(folder.path)/link.yaml", "\(folder.path)/second.yaml")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: map)
    try FileManager.default.linkItem(atPath: map, toPath: second)
    for output in [map, "\(folder.path)/./map.klick", link, second] {
      try expectRefusal(["import", map, "-o", output], folder)
    }
    // What is a document shows in its text, not in its name.
    for name in ["song.wav", "song.mid"] {
      let song = "\(folder.path)/\(name)"
      try "sections: [{bars: 1}]\n".write(toFile: song, atomically: true, encoding: .utf8)
      try expectRefusal(["render", song, "-o", song], folder)
      try "songs: [\(name)]\n".write(toFile: "\(folder.path)/gig.yaml", atomically: true, encoding: .utf8)
      try expectRefusal(["render", "\(folder.path)/gig.yaml", "-o", song], folder)
    }
  }

  @Test func `A sound that is read is not written over, not by a stem either`() throws {
    let folder = Scratch()
    let (accent, beat) = ("\(folder.path)/x-accent.wav", "\(folder.path)/kit/beat.wav")
    try FileManager.default.createDirectory(atPath: "\(folder.path)/kit", withIntermediateDirectories: true)
    for path in [accent, beat] {
      let (status, process) = try tactus("render", "-o", path, "--duration", "0.1")
      #expect(status == .exited(0), "\(process.report)")
    }
    let (pair, kit, mix) = ("\(accent),\(beat)", "\(folder.path)/kit", "\(folder.path)/x.wav")
    try expectRefusal(["render", "--sound", pair, "-o", accent, "--bars", "1"], folder)
    try expectRefusal(["render", "--sound", "\(pair)@2,1", "-o", beat, "--bars", "1"], folder)
    try expectRefusal(["render", "--sound", pair, "--stems", "-o", mix, "--bars", "1"], folder)
    try expectRefusal(["render", "--sound", kit, "-o", beat, "--bars", "1"], folder)
    let song = "\(folder.path)/song.yaml"
    try "defaults: {sound: kit}\nsections: [{bars: 1}]\n".write(
      toFile: song, atomically: true, encoding: .utf8)
    try expectRefusal(["render", song, "-o", beat], folder)
    // A file that is not read may be replaced, also in the sound's folder.
    for path in [accent, "\(kit)/mix.wav"] {
      let (status, process) = try tactus("render", song, "-o", path)
      #expect(status == .exited(0), "\(process.report)")
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
  func `One that is interrupted leaves what was there`(signal: Int32) throws {
    let folder = Scratch()
    let path = "\(folder.path)/click.wav"
    try "old".write(toFile: path, atomically: true, encoding: .utf8)
    let process = try Subprocess(
      try Subprocess.built("tactus"), ["render", "-o", path, "--stems", "--duration", "20:00:00"])
    #expect(eventually { process.hasOpen(in: folder.path) >= 5 })
    process.signal(signal)
    let status = try process.waitForExit()
    #expect(status == .signalled(signal) || status == .exited(128 + signal))
    #expect(folder.files == ["click.wav"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
  }
}

extension Subprocess {
  /// How many files of a folder the program has open.
  func hasOpen(in folder: String) -> Int {
    let path = "/proc/\(processID)/fd"
    let real = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).count {
      ((try? FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\($0)")) ?? "").hasPrefix(real)
    }
  }
}
