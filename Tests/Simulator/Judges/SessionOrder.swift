/// Judges whether each beat of a session that is the source of the time is played once: a correction of its clock by less than
/// a beat neither loses nor doubles one.
struct SessionOrder {
  /// The session's last played beat; nil if the music or the session may have moved since.
  private var last: (number: Int, frame: Int64)?
  private(set) var judged = 0

  mutating func forget() { last = nil }

  /// - Parameters:
  ///   - number: the number of the session's nearest beat.
  ///   - gaps: missed cycles; the order across them is not judged.
  /// - Returns: the fault; nil if there is none.
  mutating func judge(_ number: Int, frame: Int64, _ gaps: Gaps) -> String? {
    defer { last = (number, frame) }
    guard let last, !gaps.lie(between: last.frame, and: frame) else { return nil }
    judged += 1
    return number == last.number + 1
      ? nil
      : "the session's beat \(number) is played at frame \(frame) after its beat \(last.number) at frame \(last.frame)"
  }
}
