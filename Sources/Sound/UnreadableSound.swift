import Validation

/// A sound set that can't be loaded. The outline contains only names that the client has sent, so that a network client
/// can't find out which folders and files exist.
package struct UnreadableSound: GuardedError {
  private let name: String
  private let error: any Error

  /// - Parameters:
  ///   - name: the sound set as the client named it.
  ///   - error: `SoundError` or `InvalidValue`.
  package init(_ name: String, _ error: any Error) {
    (self.name, self.error) = (name, error)
  }

  package var description: String { "\(error)" }

  /// Names the sound set without details of the files.
  package var outline: String {
    if let error = error as? SpeechError {
      return printable("sound \(printable(name, limit: 4_096)): \(error.withoutPaths)", limit: 5_000)
    }
    let file = (error as? SoundError)?.path
    let names = SoundSource.names.joined(separator: ", ")
    // For a pair of files, name the faulty one; the client has sent its name.
    let shown = file.flatMap { name.contains($0) ? $0 : nil } ?? name
    return printable(
      "sound \(printable(shown, limit: 4_096)): must be \(names), or sound files that can be read",
      limit: 5_000)
  }
}
