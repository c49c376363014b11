import Engine
import Foundation
import Glibc
import MusicTime

/// Where a sound set comes from: synthesis, or sound files; with a pitch of its own perhaps.
public indirect enum SoundSource: Hashable, Sendable {
  case builtIn(BuiltInSound)
  /// The path of a folder.
  case folder(String)
  /// The paths of two files, from the root: written `/accent.wav,/beat.wav`.
  case files(accent: String, beat: String)
  /// Another source whose accents and beats sound higher by factors: written `sine@1.5,0.75`.
  case pitched(SoundSource, accent: Double, beat: Double)

  /// The factors by which a pitch can be changed: two octaves each way.
  public static let pitches = 0.25...4.0

  /// The sample rates, in hertz, that clips can be made at.
  public static let sampleRates = 8000...384_000

  /// What `init(_:)` accepts, as the end of "sound … must be …".
  public static var allowed: String {
    let names = BuiltInSound.allCases.map(\.name).joined(separator: ", ")
    return "\(names), or a folder with \(SampleFolder.layout), or two files as /accent.wav,/beat.wav"
  }

  /// Reads a source as a user writes it: the name of a built-in set, or else the path of a folder that exists.
  ///
  /// A relative path becomes absolute, so that the source still holds after a restart elsewhere. A folder that
  /// is called like a built-in set is reached as `./sine`. What is in the folder is looked at by `clips`.
  ///
  /// - Throws: `InvalidValue` if the text is neither.
  public init(_ text: String) throws(InvalidValue) {
    if let sound = BuiltInSound(rawValue: text) {
      self = .builtIn(sound)
      return
    }
    guard !text.utf8.contains(0) else {
      throw InvalidValue("sound", text, allowed: SoundSource.allowed)
    }
    if isFolder(text) {
      self = .folder(absolute(text))
    } else if let (base, accent, beat) = SoundSource.pitch(text), SoundSource.pitch(base) == nil {
      self = .pitched(try SoundSource(base), accent: accent, beat: beat)
    } else if let comma = text.range(of: ",/"), text.hasPrefix("/") {
      self = .files(accent: String(text[..<comma.lowerBound]), beat: "/" + text[comma.upperBound...])
    } else {
      throw InvalidValue("sound", text, allowed: SoundSource.allowed)
    }
  }

  /// What stands before and after the last `@`.
  private static func pitch(_ text: String) -> (base: String, accent: Double, beat: Double)? {
    guard let at = text.lastIndex(of: "@") else { return nil }
    let factors = text[text.index(after: at)...].split(separator: ",").compactMap { Double($0) }
    guard factors.count == 2, factors.allSatisfy(pitches.contains) else { return nil }
    return (String(text[..<at]), factors[0], factors[1])
  }

  /// The built-in set's name, or the folder's path: `init(_:)` reads it back as the same source.
  public var name: String {
    switch self {
    case .builtIn(let sound): sound.name
    case .folder(let path): path
    case .files(let accent, let beat): "\(accent),\(beat)"
    case .pitched(let source, let accent, let beat): "\(source.name)@\(accent),\(beat)"
    }
  }

  /// Makes the clips: by synthesis, or by reading and resampling the folder's files.
  ///
  /// - Parameter sampleRate: the engine's, in hertz.
  /// - Throws: `InvalidValue` for a sample rate outside `sampleRates`; `SoundError` for a folder or file that
  ///   can't be used. Nothing is changed then.
  /// - Thread: any but audio; it reads files, and takes from milliseconds to seconds.
  public func clips(sampleRate: Int) throws -> ClipSet {
    guard SoundSource.sampleRates.contains(sampleRate) else {
      let (low, high) = (SoundSource.sampleRates.lowerBound, SoundSource.sampleRates.upperBound)
      throw InvalidValue("sample rate", "\(sampleRate)", allowed: "\(low) to \(high) Hz")
    }
    return switch self {
    case .builtIn(let sound): sound.kit.clips(sampleRate: sampleRate)
    case .folder(let path): try SampleFolder(path).clips(sampleRate: sampleRate)
    case .files(let accent, let beat):
      try SamplePair(accent: accent, beat: beat).clips(sampleRate: sampleRate)
    case .pitched(let source, let accent, let beat):
      try source.clips(sampleRate: sampleRate).pitched(accent: accent, beat: beat, sampleRate: sampleRate)
    }
  }
}

private func isFolder(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// The path from the root, symbolic links kept: a link to the set in use may be moved on to another one.
private func absolute(_ path: String) -> String {
  guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
  defer { free(here) }
  let relative = path.hasPrefix("./") ? String(path.dropFirst(2).drop { $0 == "/" }) : path
  let base = String(cString: here)
  return relative.isEmpty || relative == "." ? base : base == "/" ? "/\(relative)" : "\(base)/\(relative)"
}
