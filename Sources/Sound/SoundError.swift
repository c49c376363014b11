import Glibc
import MusicTime
import Validation

/// A sound file or folder that could not be used, with the problem and what would be accepted.
package struct SoundError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong with the file or folder.
  package enum Problem: Equatable, Sendable {
    case notAFolder
    /// The folder has neither an `accent` nor a `beat` file.
    case noClips
    /// Another file in the folder has the same role.
    case sameRole(as: String)
    /// A folder whose files count the beats has no file for a number below its last.
    case missingNumber(Int, of: Int)
    case unreadable(reason: String)
    case notAFile
    case tooLarge(bytes: Int)
    case notAudio(reason: String)
    case empty
    case tooLong(seconds: Double)
    case tooManyChannels(Int)
    case sampleRate(Int)
    case truncated(frames: Int, of: Int)
    case notFinite(frame: Int)
    case tooLoud(peak: Float)
    case unwritable(reason: String)
    /// The output has reached the maximum size of its format.
    case full
  }

  /// The file or folder, as the user gave it.
  package let path: String
  package let problem: Problem

  package init(path: String, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }

  /// One printable line.
  package var description: String { "\(printable(path, limit: 4_096)): \(printable(problem.text))" }
}

extension SoundError.Problem {
  fileprivate var text: String {
    switch self {
    case .notAFolder: "not a folder; a sound set is a folder with \(SampleFolder.layout)"
    case .noClips:
      "has no accent, beat or 1 file; a sound set is a folder with \(SampleFolder.layout)"
    case .sameRole(let other): "has the same role as \(other); keep one of them"
    case .missingNumber(let number, let last):
      "has a file \(last) but no file \(number); all numbers from 1 on are needed"
    case .unreadable(let reason): "can't be read: \(reason)"
    case .notAFile: "is not a regular file"
    case .tooLarge(let bytes):
      "has \(bytes) bytes; a sound file must have at most \(SampleReader.largestFile)"
    case .notAudio(let reason):
      "is not a sound file that can be read (\(reason)); must be WAV, FLAC, OGG or AIFF"
    case .empty: "has no samples; a sound must have at least one"
    case .tooLong(let seconds):
      "is \(String(tenths: seconds)) s long; a sound must be at most \(String(tenths: SampleReader.longest)) s"
    case .tooManyChannels(let count):
      "has \(count) channels; a sound file must have at most \(SampleReader.mostChannels)"
    case .sampleRate(let rate):
      "has a sample rate of \(rate) Hz; must be \(SampleReader.sampleRates.lowerBound) to "
        + "\(SampleReader.sampleRates.upperBound)"
    case .truncated(let frames, let total):
      "ends after \(frames) of \(total) frames; it is damaged or incomplete"
    case .notFinite(let frame): "has a sample that is not a finite number at frame \(frame)"
    case .tooLoud(let peak):
      "has a peak of \(peak) times full scale; must be at most \(SampleReader.loudest)"
    case .unwritable(let reason): "can't be written: \(reason)"
    case .full: "has reached the maximum size of its format; end it sooner or choose flac"
    }
  }
}

extension String {
  /// A length with one digit after the point, rounded up, so that a value just over a limit doesn't read as the limit.
  fileprivate init(tenths value: Double) {
    let tenths = (value * 10).rounded(.up) / 10
    self = tenths < 1e15 ? "\(tenths)" : "\(value)"
  }
}

/// The system's message for an error number.
func reason(_ code: Int32) -> String {
  String(cString: strerror(code))
}
