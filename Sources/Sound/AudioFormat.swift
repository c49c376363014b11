import CSamplerate
import CSndfile
import Validation

/// The format of an output file: container, sample rate, bit depth and channels.
package struct AudioFormat: Equatable, Sendable {
  /// A file format, named by its extension.
  package enum Container: String, CaseIterable, Sendable {
    case wav, flac, ogg

    /// The supported bit depths: 16 and 24 are integers, 32 is floating point. Vorbis has none.
    package var bitDepths: [Int] {
      switch self {
      case .wav: [16, 24, 32]
      case .flac: [16, 24]
      case .ogg: []
      }
    }
  }

  /// In hertz.
  package static let sampleRates = 8000...192_000

  package let container: Container
  /// In hertz.
  package let sampleRate: Int
  /// Bits per sample; `nil` for ogg.
  package let bitDepth: Int?
  /// The number of channels, 1…8.
  package let channels: Int

  /// The format for an output file.
  ///
  /// - Parameters:
  ///   - path: ends in `.wav`, `.flac` or `.ogg`, in any case.
  ///   - sampleRate: in hertz, within `sampleRates`.
  ///   - bitDepth: one of the container's; 24 if nil.
  ///   - channels: 1…8, the limit of FLAC.
  /// - Throws: `InvalidValue`.
  package init(
    path: String, sampleRate: Int, bitDepth: Int? = nil, channels: Int = 1
  ) throws(InvalidValue) {
    precondition(1...8 ~= channels, "one to eight channels")
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
      let container = Container(rawValue: name[name.index(after: dot)...].lowercased()),
      !path.utf8.contains(0)
    else {
      throw InvalidValue("output", path, allowed: "a file name that ends in .wav, .flac or .ogg")
    }
    guard AudioFormat.sampleRates.contains(sampleRate) else {
      let (low, high) = (AudioFormat.sampleRates.lowerBound, AudioFormat.sampleRates.upperBound)
      throw InvalidValue("sample rate", "\(sampleRate)", allowed: "\(low) to \(high) Hz")
    }
    if let bitDepth, !container.bitDepths.contains(bitDepth) {
      let depths = container.bitDepths.map(String.init).joined(separator: ", ")
      throw InvalidValue(
        "bit depth", "\(bitDepth)",
        allowed: depths.isEmpty
          ? "left out for \(container.rawValue), which has none"
          : "one of \(depths) for \(container.rawValue)")
    }
    self.container = container
    self.channels = channels
    self.sampleRate = sampleRate
    self.bitDepth = container.bitDepths.isEmpty ? nil : bitDepth ?? 24
  }
}

extension AudioFormat {
  /// The names and versions of the loaded libraries.
  package static var libraryVersions: [String] {
    // Both texts begin with the name and the version, joined by a hyphen.
    [sf_version_string(), src_get_version()].map { text in
      String(String(cString: text!).prefix { $0 != " " }.map { $0 == "-" ? " " : $0 })
    }
  }
}
