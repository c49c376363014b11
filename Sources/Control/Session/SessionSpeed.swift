/// The speed of a session, in percent of its document's tempos.
package enum SessionSpeed {
  /// The speeds that can be set.
  package static let range = 10...400
  /// The speeds that a fader covers.
  static let faderRange = 50.0...150.0
  package static let allowed = "\(range.lowerBound)…\(range.upperBound) percent"
}
