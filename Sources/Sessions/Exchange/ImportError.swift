import Validation

/// Why another program's file can't be imported, and where in it.
package struct ImportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file's path as the user gave it.
  let file: String
  /// `byte 22`, `line 7` or `bar 3`; "" for the file as a whole.
  package let place: String
  /// The invalid value and its name.
  package let what: String
  /// What would be accepted, as the end of "… must be …".
  package let allowed: String

  /// One printable line.
  package var description: String {
    let place = place.isEmpty ? "" : " \(place):"
    return "\(printable(file, limit: 4_096)):\(place) \(printable(what)): must be \(printable(allowed))"
  }
}
