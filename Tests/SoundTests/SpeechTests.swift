import Foundation
import Testing

@testable import Sound

/// Speech with programs that replace espeak-ng; their arguments are `-v en -s 175 --stdin --stdout`.
@Suite(.serialized) struct SpeechTests {
  private let folder = NSTemporaryDirectory() + "tactus-speech-\(UUID().uuidString)"
  private var cache: String { folder + "/cache" }
  private var calls: String { folder + "/calls" }

  /// A program that records each call, and then runs a line of shell.
  private func program(_ line: String) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(wave()).write(to: URL(fileURLWithPath: folder + "/whole.wav"))
    let path = folder + "/speaker"
    try "#!/bin/sh\necho >>\(calls)\ncat >/dev/null\n\(line)\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  /// A tenth of a second of sound in espeak-ng's format.
  private func wave() -> [UInt8] {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
    let sound = (0..<2_205).flatMap { bytes($0 % 50 * 400, 2) }
    return Array("RIFF".utf8) + bytes(sound.count + 36, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4)
      + bytes(1, 2) + bytes(1, 2) + bytes(22_050, 4) + bytes(44_100, 4) + bytes(2, 2) + bytes(16, 2)
      + Array("data".utf8) + bytes(sound.count, 4) + sound
  }

  private func say(_ speech: Speech, _ text: String = "one") throws -> Int {
    try speech.clip(text, gain: 1, speed: 175, language: "en", sampleRate: 22_050).samples.count
  }

  private var callCount: Int { FileManager.default.contents(atPath: calls)?.count ?? 0 }

  @Test func `What was spoken is kept, and spoken anew where it is damaged`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let speech = Speech(cache: cache, program: try program("cat \(folder)/whole.wav"))
    let count = try say(speech)
    #expect(count > 2_000)
    #expect(try say(speech) == count)
    #expect(callCount == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: cache)
    #expect(names.count == 1)
    let file = URL(fileURLWithPath: "\(cache)/\(names[0])")
    let whole = try Data(contentsOf: file)
    for (number, damaged) in [Data(), Data("junk".utf8), whole.prefix(whole.count / 2)].enumerated() {
      try damaged.write(to: file)
      #expect(try say(speech) == count)
      #expect(callCount == 2 + number)
      #expect(try Data(contentsOf: file) == whole)
    }
  }

  @Test func `Speech that cannot be cached is complete`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let speaker = try program("cat \(folder)/whole.wav")
    let count = try say(Speech(cache: nil, program: speaker))
    // A folder in the file's place, so that nothing can be put there.
    let speech = Speech(cache: cache, program: speaker)
    _ = try say(speech)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: cache).first)
    try FileManager.default.removeItem(atPath: "\(cache)/\(name)")
    try FileManager.default.createDirectory(atPath: "\(cache)/\(name)/in", withIntermediateDirectories: true)
    #expect(try say(speech) == count)
  }

  @Test func `Without a writable cache texts are still spoken`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let speaker = try program("cat \(folder)/whole.wav")
    #expect(try say(Speech(cache: "/proc/nowhere", program: speaker)) > 2_000)
    #expect(try say(Speech(cache: nil, program: speaker)) > 2_000)
    #expect(callCount == 2)
  }

  @Test func `The folder is made for its owner alone`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = cache + "/deep/er"
    _ = try say(Speech(cache: path, program: try program("cat \(folder)/whole.wav")))
    for made in [cache, cache + "/deep", path] {
      #expect(try FileManager.default.attributesOfItem(atPath: made)[.posixPermissions] as? Int == 0o700)
    }
  }

  enum Trap: CaseIterable { case writableByOthers, link, writableAbove }

  @Test(arguments: Trap.allCases)
  func `A folder in which others may have put something is refused, and nothing in it read or written`(
    trap: Trap
  ) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let speaker = try program("cat \(folder)/whole.wav")
    let real = folder + "/shared/speech"
    try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: true)
    var path = real
    switch trap {
    case .writableByOthers: chmod(real, 0o777)
    case .writableAbove: chmod(folder + "/shared", 0o777)
    case .link:
      path = cache
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: real)
    }
    let refused = #expect(throws: SpeechError.self) { _ = try say(Speech(cache: path, program: speaker)) }
    #expect(refused?.description.contains("must be a folder that only you can write (mode 700)") == true)
    #expect(refused?.description.hasPrefix(path) == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: real) == [])
    #expect(callCount == 0)
  }

  @Test func `A link in a kept file's place is neither read nor written through`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let speech = Speech(cache: cache, program: try program("cat \(folder)/whole.wav"))
    let count = try say(speech)
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: cache).first)
    let victim = folder + "/victim"
    try FileManager.default.moveItem(atPath: "\(cache)/\(name)", toPath: victim)
    try FileManager.default.createSymbolicLink(atPath: "\(cache)/\(name)", withDestinationPath: victim)
    #expect(try say(speech) == count)
    #expect(callCount == 2)
  }

  @Test func `Of more than the cache may hold, what was used longest ago goes`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let whole = Data(wave())
    let cache = SpeechCache(folder: cache, limit: 3 * whole.count)
    func isKept(_ name: String) throws -> Bool { try cache.samples(name, sampleRate: 22_050) != nil }
    for (age, name) in ["a", "b", "c"].enumerated() {
      try cache.keep(Array(whole), as: name)
      let time = Date(timeIntervalSinceNow: Double(age) * 10 - 100)
      try FileManager.default.setAttributes(
        [.modificationDate: time], ofItemAtPath: "\(cache.folder)/\(name).wav")
    }
    // Reading counts as use.
    #expect(try isKept("a"))
    try cache.keep(Array(whole), as: "d")
    #expect(try isKept("a"))
    #expect(try !isKept("b"))
    #expect(try isKept("c"))
    #expect(try isKept("d"))
  }

  @Test func `What a program that hangs has started ends with it`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let speaker = try program("sleep 60 & echo $! >\(folder)/pid; wait")
    #expect(throws: SpeechError.self) {
      _ = try say(Speech(cache: cache, program: speaker, patience: .seconds(8)))
    }
    let text = try String(contentsOfFile: folder + "/pid", encoding: .utf8)
    let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    let deadline = ContinuousClock.now + .seconds(60)
    while isAlive(pid), ContinuousClock.now < deadline { usleep(1_000) }
    #expect(!isAlive(pid))
  }

  /// Whether a process runs; a zombie does not.
  private func isAlive(_ pid: pid_t) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ") Z"
    return !status.contains(") Z")
  }

  @Test func `A voice that isn't there, or no program, is named`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let refused = #expect(throws: SpeechError.self) {
      _ = try say(Speech(cache: cache, program: try program("exit 1")))
    }
    #expect(refused?.description == "espeak-ng could not speak 'one' with the voice 'en'")
    let missing = #expect(throws: SpeechError.self) {
      _ = try say(Speech(cache: cache, program: folder + "/nobody"))
    }
    #expect(missing?.description.contains("not installed") == true)
  }

  @Test func `One that ends in the middle of a file, or says nothing, has not spoken`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for line in ["head -c 900 \(folder)/whole.wav; exit 1", "true"] {
      #expect(throws: SpeechError.self) { _ = try say(Speech(cache: cache, program: try program(line))) }
    }
    #expect(!FileManager.default.fileExists(atPath: cache))
  }

  @Test func `Another program that is started meanwhile does not inherit the pipe`() throws {
    let ends = try Speech.pipe()
    var words = [strdup("sleep"), strdup("60"), nil]
    var sibling: pid_t = 0
    try #require(posix_spawnp(&sibling, "sleep", nil, nil, &words, environ) == 0)
    defer {
      kill(sibling, SIGKILL)
      waitpid(sibling, nil, 0)
      for word in words { free(word) }
    }
    ends.writing.close()
    var waiting = pollfd(fd: ends.reading.number, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, 5_000) == 1)
    #expect(waiting.revents & Int16(POLLHUP) != 0)
  }

  @Test func `One that hangs is waited for once`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let speech = Speech(cache: cache, program: try program("exec sleep 60"), patience: .seconds(5))
    let began = ContinuousClock.now
    for text in ["one", "two", "three", "four"] {
      #expect(throws: SpeechError.self) { _ = try say(speech, text) }
    }
    #expect(callCount == 1)
    #expect(ContinuousClock.now - began < .seconds(18))
  }

  @Test func `A network client that asks for the voice is told what is missing, but no folder`() {
    #expect(
      UnreadableSound("voice", SpeechError.missing).outline
        == "sound voice: espeak-ng is not installed (install it with: apt-get install espeak-ng)")
    #expect(!UnreadableSound("voice", SpeechError.unsafe("/home/cache")).outline.contains("/home"))
  }
}
