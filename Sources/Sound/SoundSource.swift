import Engine
import Files
import Glibc
import Validation

/// The source of a sound set: synthesis, a voice or sound files, optionally with changed pitch.
package indirect enum SoundSource: Hashable, Sendable {
  case builtIn(BuiltInSound)
  /// A voice that counts the beats.
  case voice(CountingVoice)
  /// The path of a folder.
  case folder(String)
  /// Two absolute paths, written `/accent.wav,/beat.wav`.
  case files(accent: String, beat: String)
  /// Another source with the pitches of accents and beats multiplied by factors, written `sine@1.5,0.75`.
  case pitched(SoundSource, accent: Double, beat: Double)

  /// Allowed pitch factors: two octaves each way.
  package static let pitches = 0.25...4.0

  /// The sample rates, in hertz, at which clips can be made.
  package static let sampleRates = 8000...384_000

  /// The names of the sets that need no files.
  package static let names = BuiltInSound.allCases.map(\.name) + CountingVoice.allCases.map(\.name)

  /// What `init(_:)` accepts, as the end of "sound … must be …".
  package static var allowed: String {
    let names = names.joined(separator: ", ")
    return "\(names), or a folder with \(SampleFolder.layout), or two files as /accent.wav,/beat.wav"
  }

  /// Parses a source as a user writes it: the name of a built-in set, or the path of an existing folder.
  ///
  /// A relative path becomes absolute, so that it stays valid after a restart in another folder. Write `./sine` for a folder
  /// that is named like a built-in set. The folder's content is checked by `clips`.
  ///
  /// - Throws: `InvalidValue` if the text names no source.
  package init(_ text: String) throws(InvalidValue) {
    if let sound = BuiltInSound(rawValue: text) {
      self = .builtIn(sound)
      return
    }
    if let voice = CountingVoice(rawValue: text) {
      self = .voice(voice)
      return
    }
    // Room for two paths and a pitch.
    guard !text.utf8.contains(0), text.utf8.count <= 2 * Int(PATH_MAX) else {
      throw InvalidValue("sound", quoted(text), allowed: SoundSource.allowed)
    }
    if isFolder(text) {
      self = .folder(absolute(text))
    } else if let (base, accent, beat) = SoundSource.pitch(text), SoundSource.pitch(base) == nil {
      self = .pitched(try SoundSource(base), accent: accent, beat: beat)
    } else if let comma = text.firstRange(of: ",/"), text.hasPrefix("/") {
      self = .files(accent: String(text[..<comma.lowerBound]), beat: "/" + text[comma.upperBound...])
    } else {
      let meant = Spelling.corrected(text, among: SoundSource.names).map { "\($0), perhaps" }
      throw InvalidValue("sound", quoted(text), allowed: meant ?? SoundSource.allowed)
    }
  }

  /// The text before the last `@`, and the two pitch factors after it; nil if there are none.
  private static func pitch(_ text: String) -> (base: String, accent: Double, beat: Double)? {
    guard let at = text.lastIndex(of: "@") else { return nil }
    let factors = text[text.index(after: at)...].split(separator: ",").compactMap { Double($0) }
    guard factors.count == 2, factors.allSatisfy(pitches.contains) else { return nil }
    return (String(text[..<at]), factors[0], factors[1])
  }

  /// The built-in set's name, or the paths. `init(_:)` parses it into an equal source.
  package var name: String {
    switch self {
    case .builtIn(let sound): sound.name
    case .voice(let voice): voice.name
    case .folder(let path): path
    case .files(let accent, let beat): "\(accent),\(beat)"
    case .pitched(let source, let accent, let beat): "\(source.name)@\(accent),\(beat)"
    }
  }

  /// The paths of the sound files that it reads; empty for a set that needs none.
  /// - Thread: any but audio; reads a folder
  package var paths: [String] {
    switch self {
    case .builtIn, .voice: []
    case .folder(let path): SampleFolder(path).paths
    case .files(let accent, let beat): [accent, beat]
    case .pitched(let source, _, _): source.paths
    }
  }

  /// Makes the clips: synthesises them, reads and resamples files, or calls `speak`.
  ///
  /// - Parameters:
  ///   - sampleRate: the engine's, in hertz.
  ///   - speak: speaks a number, as `Speech` does.
  /// - Throws: `InvalidValue` for a sample rate outside `sampleRates`; `SoundError` or `SamplePair.Faults` for a folder or file
  ///   that can't be used; the errors of `speak`.
  /// - Thread: any but audio; reads files, and takes from milliseconds to seconds.
  package func clips(sampleRate: Int, speak: (String) throws -> Clip) throws -> ClipSet {
    guard SoundSource.sampleRates.contains(sampleRate) else {
      let (low, high) = (SoundSource.sampleRates.lowerBound, SoundSource.sampleRates.upperBound)
      throw InvalidValue("sample rate", "\(sampleRate)", allowed: "\(low) to \(high) Hz")
    }
    return switch self {
    case .builtIn(let sound): sound.kit.clips(sampleRate: sampleRate)
    case .voice(let voice): try voice.clips(sampleRate: sampleRate, speak: speak)
    case .folder(let path): try SampleFolder(path).clips(sampleRate: sampleRate)
    case .files(let accent, let beat):
      try SamplePair(accent: accent, beat: beat).clips(sampleRate: sampleRate)
    case .pitched(let source, let accent, let beat):
      try source.clips(sampleRate: sampleRate, speak: speak)
        .pitched(accent: accent, beat: beat, sampleRate: sampleRate)
    }
  }
}

/// The absolute path. Symbolic links are kept: the user may change what a link points to.
private func absolute(_ path: String) -> String {
  guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
  defer { free(here) }
  let relative = path.hasPrefix("./") ? String(path.dropFirst(2).drop { $0 == "/" }) : path
  let base = String(cString: here)
  return relative.isEmpty || relative == "." ? base : base == "/" ? "/\(relative)" : "\(base)/\(relative)"
}
