import MusicTime

/// All that the control side has told the engine to do next: what was asked for at once, and what was asked for later.
///
/// A programme replaces the one before with all of it that has not happened. It owns its scores; the engine hands it back
/// when it plays none of them and another has come.
public struct Programme: BitwiseCopyable {
  /// A change that takes effect on a clock frame, whatever is quantised.
  public struct Dated: BitwiseCopyable {
    public let frame: Int64
    /// What plays then while the programme's own change still waits for its line, and what where that has been made: with
    /// both it is on the new score that the date falls.
    public let before: UnsafePointer<Score>
    public let after: UnsafePointer<Score>

    public init(frame: Int64, before: UnsafePointer<Score>, after: UnsafePointer<Score>) {
      self.frame = frame
      self.before = before
      self.after = after
    }
  }

  /// How many changes may have a date.
  public static let capacity = 32

  /// What is to play from the next moment on that its quantisation allows; nil where all stays as it is.
  public let change: UnsafePointer<Score>?
  /// Soonest first.
  let dated: UnsafeBufferPointer<Dated>
  /// The change's number, which the engine tells when it has made it.
  let serial: Int
  /// The number of the change that stood when the `before` of the dated ones was made. Where another has been made
  /// meanwhile, `after` holds.
  let basis: Int

  /// - Parameters:
  ///   - change: owned by the programme from here on, as are those of `dated`.
  ///   - dated: at most `capacity`, soonest first.
  /// - Returns: a programme that the caller owns, until it has published it.
  /// - Thread: control
  public static func make(
    change: UnsafePointer<Score>?, dated: [Dated] = [], serial: Int = 0, basis: Int = 0
  ) -> UnsafePointer<Programme> {
    precondition(dated.count <= capacity)
    let copy = UnsafeMutableBufferPointer<Dated>.allocate(capacity: dated.count)
    _ = copy.initialize(from: dated)
    let programme = UnsafeMutablePointer<Programme>.allocate(capacity: 1)
    programme.initialize(
      to: Programme(change: change, dated: UnsafeBufferPointer(copy), serial: serial, basis: basis))
    return UnsafePointer(programme)
  }

  /// Releases a programme that no engine has any more, with its scores.
  /// - Thread: control
  public static func free(_ programme: UnsafePointer<Programme>) {
    if let change = programme.pointee.change { Score.free(change) }
    for dated in programme.pointee.dated {
      Score.free(dated.before)
      if dated.after != dated.before { Score.free(dated.after) }
    }
    programme.pointee.dated.deallocate()
    programme.deallocate()
  }
}
