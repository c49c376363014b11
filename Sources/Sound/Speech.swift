import Engine
import Files
import Foundation
import MusicTime
import Realtime
import Synchronization

/// A voice that speaks texts: espeak-ng, as a subprocess. What it has said once is kept.
public struct Speech: Sendable {
  /// The folder in which spoken texts are kept; nil for none.
  private let cache: String?
  private let program: String
  private let patience: Duration
  /// Whether the program once took longer than that: it isn't waited for again.
  private let hangs = Flag()
  /// The longest text, in bytes.
  public static let longestText = 500

  /// - Parameters:
  ///   - program: what speaks, with espeak-ng's options.
  ///   - patience: how long one text may take.
  init(cache: String?, program: String = "espeak-ng", patience: Duration = .seconds(10)) {
    (self.cache, self.program, self.patience) = (cache, program, patience)
  }

  /// In the XDG cache folder.
  public init() {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    self.init(cache: (home ?? NSHomeDirectory() + "/.cache") + "/tactus/speech")
  }

  /// Speaks a text.
  /// - Parameters:
  ///   - gain: 0…1.
  ///   - speed: words a minute.
  ///   - language: an espeak-ng voice; not checked here.
  /// - Throws: `SpeechError` where there is no espeak-ng or it doesn't do; `SoundError`.
  /// - Thread: any but audio; it may take seconds.
  public func clip(_ text: String, gain: Float, speed: Int, language: String, sampleRate: Int) throws -> Clip
  {
    let text = String(decoding: text.utf8.prefix(Self.longestText), as: UTF8.self)
    let name = "\(language)-\(speed)-\(Speech.fingerprint(text)).wav"
    let samples =
      try kept(name, sampleRate) ?? spoken(["-v", language, "-s", "\(speed)"], text, as: name, sampleRate)
    // espeak-ng leaves a little silence before the first sound; the cue is to be on its frame.
    let sound = samples.drop { abs($0) < 0.003 }
    return Clip(sound.map { $0 * gain })
  }

  /// What was spoken before; nil where it is not there, or damaged.
  private func kept(_ name: String, _ sampleRate: Int) -> [Float]? {
    guard let file = cache.map({ "\($0)/\(name)" }), Speech.isWhole(file) else { return nil }
    return try? SampleReader(path: file).samples(sampleRate: sampleRate)
  }

  /// Has a text spoken, and kept where there is room; where not, a temporary file will do.
  private func spoken(_ options: [String], _ text: String, as name: String, _ sampleRate: Int) throws
    -> [Float]
  {
    let wave = try run(options, input: text)
    let folders = (cache.map { [$0] } ?? []) + [NSTemporaryDirectory()]
    for folder in folders {
      try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // Others may speak the same just now.
      let file = "\(folder)/\(folder == cache ? "" : "tactus-\(getpid())-")\(name)"
      guard (try? WholeFile.write(wave, to: file)) != nil else { continue }
      defer { if folder != cache { unlink(file) } }
      return try SampleReader(path: file).samples(sampleRate: sampleRate)
    }
    throw SpeechError.noRoom(folders)
  }

  /// Whether a WAV file is as long as it says itself.
  private static func isWhole(_ file: String) -> Bool {
    guard let header = FileManager.default.contents(atPath: file)?.prefix(12), header.count == 12 else {
      return false
    }
    let size = header.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let length = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
    return header.starts(with: Array("RIFF".utf8)) && length == size + 8
  }

  /// FNV-1a, 64 bits (Fowler, Noll and Vo).
  private static func fingerprint(_ text: String) -> String {
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }

  /// What the program speaks, as a WAV file. It comes through a pipe: of a full disk espeak-ng would say nothing.
  private func run(_ options: [String], input: String) throws -> Data {
    guard !hangs.isSet else { throw SpeechError.hangs }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The text comes from standard input, so that none is taken for an option.
    process.arguments = [program] + options + ["--stdin", "--stdout"]
    let (text, sound) = (try Speech.pipe(), try Speech.pipe())
    process.standardInput = text.reading
    process.standardOutput = sound.writing
    process.standardError = FileHandle.nullDevice
    let hasEnded = MonotonicSemaphore()
    process.terminationHandler = { _ in hasEnded.signal() }
    // A text fits a pipe's buffer: writing it never waits. Once it runs, it may end before it reads: that would be SIGPIPE.
    try? text.writing.write(contentsOf: Data(input.utf8))
    guard (try? process.run()) != nil else { throw SpeechError.missing }
    for end in [text.reading, text.writing, sound.writing] { try? end.close() }
    guard let wave = read(sound.reading.fileDescriptor), hasEnded.wait(for: patience) else {
      hangs.set()
      kill(process.processIdentifier, SIGKILL)
      throw SpeechError.hangs
    }
    if process.terminationStatus == 127 { throw SpeechError.missing }
    guard process.terminationStatus == 0, wave.count > 44 else {
      throw SpeechError.failed(input, voice: options[1])
    }
    return Speech.sized(wave)
  }

  /// A pipe that no other child inherits: a private server, started meanwhile, would keep it from its end.
  static func pipe() throws -> (reading: FileHandle, writing: FileHandle) {
    var ends: [Int32] = [0, 0]
    guard Foundation.pipe(&ends) == 0 else { throw SpeechError.missing }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (
      FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
      FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    )
  }

  /// All that comes from a pipe until its end; nil where that takes too long.
  private func read(_ file: Int32) -> Data? {
    let deadline = monotonicNow() + UInt64(patience / .nanoseconds(1))
    var (data, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let left = (Int64(deadline) - Int64(monotonicNow())) / 1_000_000
      var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      guard left > 0 else { return nil }
      guard poll(&waiting, 1, Int32(left)) > 0 else { continue }
      let count = Foundation.read(file, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? data : nil }
      data += buffer[..<count]
    }
  }

  /// A WAV file through a pipe doesn't know its sizes yet.
  private static func sized(_ wave: Data) -> Data {
    var wave = wave
    for place in [4, 40] {
      withUnsafeBytes(of: UInt32(wave.count - place - 4).littleEndian) {
        wave.replaceSubrange(place..<place + 4, with: $0)
      }
    }
    return wave
  }

  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }
}

/// Why a text is not spoken.
public enum SpeechError: Error, CustomStringConvertible {
  case missing
  case hangs
  case failed(String, voice: String)
  /// In none of the folders.
  case noRoom([String])

  public var description: String {
    switch self {
    case .missing: "espeak-ng is not installed: texts are chimes (apt-get install espeak-ng has them spoken)"
    case .hangs: "espeak-ng doesn't come to an end: texts are chimes"
    case .failed(let text, let voice):
      "espeak-ng could not speak \(quoted(text)) with the voice \(quoted(voice)): it is a chime"
    case .noRoom(let folders):
      "\(folders.joined(separator: ", ")): no room for what espeak-ng speaks: texts are chimes"
    }
  }
}
