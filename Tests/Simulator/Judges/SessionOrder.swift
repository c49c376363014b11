/// Judges whether each beat of a session that gives the time is played once: a correction of its clock by less than a beat neither
/// loses nor doubles one.
struct SessionOrder {
  /// The session's beat that was played last; nil where the music, or the session, may have moved since.
  private var last: (number: Int, frame: Int64)?
  private(set) var judged = 0

  mutating func forget() { last = nil }

  /// - Parameters:
  ///   - number: of the session's beat that is nearest.
  ///   - gaps: over these nothing is known.
  /// - Returns: what is wrong; nil if nothing is.
  mutating func judge(_ number: Int, frame: Int64, _ gaps: Gaps) -> String? {
    defer { last = (number, frame) }
    guard let last, !gaps.lie(between: last.frame, and: frame) else { return nil }
    judged += 1
    return number == last.number + 1
      ? nil
      : "the session's beat \(number) is played at frame \(frame) after its beat \(last.number) at frame \(last.frame)"
  }
}
