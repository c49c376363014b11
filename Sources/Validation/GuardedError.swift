/// An error whose description may quote a file or reveal which files exist. Only the user's own terminal shows the
/// description; network clients receive the outline.
public protocol GuardedError: Error, CustomStringConvertible {
  /// The text for network clients: one printable line of bounded length.
  var outline: String { get }
}

extension Error {
  /// The text of an error for network clients.
  public var publicText: String { (self as? any GuardedError)?.outline ?? "\(self)" }
}
