/// Judges whether a held section goes on until the player leaves it.
struct HoldJudge {
  /// The number of the held section; nil if none is held, or if the music may have moved since.
  private var section: Int?
  /// Until when the music may move to another section.
  private var settledAt: UInt64 = 0
  private(set) var judged = 0

  /// Notes an event after which the music may move to another section.
  mutating func unsettle(until time: UInt64) { (section, settledAt) = (nil, max(settledAt, time)) }

  /// - Parameter section: the number of the section that is held, as reported; nil if none is.
  /// - Returns: the fault; nil if there is none.
  mutating func judge(_ section: Int?, at now: UInt64) -> String? {
    guard now >= settledAt, let section else {
      self.section = nil
      return nil
    }
    defer { self.section = section }
    guard let before = self.section else { return nil }
    judged += 1
    return section == before ? nil : "section \(section) plays, while section \(before) is held"
  }
}
