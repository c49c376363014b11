import Engine
import Foundation
import MusicTime
import Realtime

/// A voice that speaks texts: espeak-ng, as a subprocess. What it has said once is kept.
public struct Speech: Sendable {
  /// The folder in which spoken texts are kept; nil for none.
  private let cache: String?
  /// How long one text may take.
  private static let patience = Duration.seconds(10)
  /// The longest text, in bytes.
  public static let longestText = 500

  public init(cache: String?) { self.cache = cache }

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
    let file = try spoken(
      String(decoding: text.utf8.prefix(Self.longestText), as: UTF8.self), speed, language)
    defer { if cache == nil { unlink(file) } }
    let samples = try SampleReader(path: file).samples(sampleRate: sampleRate)
    // espeak-ng leaves a little silence before the first sound; the cue is to be on its frame.
    let sound = samples.drop { abs($0) < 0.003 }
    return Clip(sound.map { $0 * gain })
  }

  /// The file in which a text has been spoken.
  private func spoken(_ text: String, _ speed: Int, _ language: String) throws -> String {
    let folder = cache ?? NSTemporaryDirectory()
    // Where there can be none, espeak-ng fails.
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let name = "\(folder)/\(language)-\(speed)-\(Speech.fingerprint(text)).wav"
    if cache != nil, FileManager.default.fileExists(atPath: name) { return name }
    let temporary = "\(name).\(getpid()).new"
    defer { unlink(temporary) }
    // The text comes from standard input, so that none is taken for an option.
    try Speech.run(["espeak-ng", "-v", language, "-s", "\(speed)", "-w", temporary, "--stdin"], input: text)
    guard rename(temporary, name) == 0 else { throw SpeechError.failed(text) }
    return name
  }

  /// FNV-1a, 64 bits (Fowler, Noll and Vo).
  private static func fingerprint(_ text: String) -> String {
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }

  private static func run(_ arguments: [String], input: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let hasEnded = MonotonicSemaphore()
    process.terminationHandler = { _ in hasEnded.signal() }
    // A text fits a pipe's buffer: writing it never waits. Once it runs, it may end before it reads: that would be SIGPIPE.
    try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    guard (try? process.run()) != nil else { throw SpeechError.missing }
    try? pipe.fileHandleForWriting.close()
    guard hasEnded.wait(for: Speech.patience) else {
      kill(process.processIdentifier, SIGKILL)
      throw SpeechError.failed(input)
    }
    if process.terminationStatus == 127 { throw SpeechError.missing }
    guard process.terminationStatus == 0 else { throw SpeechError.failed(input) }
  }
}

/// Why a text is not spoken.
public enum SpeechError: Error, CustomStringConvertible {
  case missing
  case failed(String)

  public var description: String {
    switch self {
    case .missing: "espeak-ng is not installed: texts are chimes (apt-get install espeak-ng has them spoken)"
    case .failed(let text): "espeak-ng could not speak \(quoted(text)): it is a chime"
    }
  }
}
