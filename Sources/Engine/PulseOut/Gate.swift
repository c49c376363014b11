import MusicTime

/// A signal that is high in some intervals and low otherwise.
///
/// Copies share the memory.
struct Gate: BitwiseCopyable {
  /// The maximum number of waiting intervals: ten seconds of pulses at a fast tempo.
  static let capacity = 4_096

  private struct Interval: BitwiseCopyable {
    var start: ClockFrame
    var end: ClockFrame
  }

  private struct Place: BitwiseCopyable {
    var first = 0
    var count = 0
    /// The frame after the last one that was rendered.
    var rendered = ClockFrame.earliest
  }

  private let intervals: UnsafeMutablePointer<Interval>
  private let place: UnsafeMutablePointer<Place>

  init() {
    intervals = .allocate(capacity: Gate.capacity)
    place = .allocate(capacity: 1)
    place.initialize(to: Place())
  }

  /// Frees the memory. No copy may be used afterwards.
  func free() {
    intervals.deallocate()
    place.deallocate()
  }

  /// Whether the last known interval has no end, so that the signal stays high.
  /// - Thread: audio
  var isHigh: Bool {
    @_noLocks get { place.pointee.count > 0 && self[place.pointee.count - 1].end == .never }
  }

  /// Raises the signal for some frames, after the known intervals. If the last one has not ended, it ends earlier and the new
  /// one starts later, so that machines, which count pulses, detect both.
  /// - Parameters:
  ///   - length: in frames; nil for until `lower(at:)`.
  ///   - rendered: the first frame that is not rendered yet.
  ///   - least: frames that machines need to detect a pulse, and the space between two.
  /// - Returns: false if there is no room.
  /// - Thread: audio
  @_noLocks
  func raise(at start: ClockFrame, for length: Int64?, rendered: ClockFrame, least: Int64) -> Bool {
    var start = start
    if place.pointee.count > 0 {
      let last = place.pointee.count - 1
      // It could not end in cycles that were missed.
      if self[last].end > place.pointee.rendered { self[last].end = max(self[last].end, rendered) }
      if self[last].end >= start {
        self[last].end = min(self[last].end, max(max(rendered, start - least), self[last].start + least))
        if self[last].end >= start { start = self[last].end + least }
      }
    }
    guard place.pointee.count < Gate.capacity else { return false }
    self[place.pointee.count] = Interval(start: start, end: length.map { start + $0 } ?? .never)
    place.pointee.count += 1
    return true
  }

  /// Ends an interval that has no end yet.
  /// - Thread: audio
  @_noLocks
  func lower(at frame: ClockFrame) {
    guard isHigh else { return }
    let last = place.pointee.count - 1
    self[last].end = max(frame, self[last].start)
  }

  /// Withdraws the intervals that begin at a frame or later.
  /// - Returns: whether there were any.
  /// - Thread: audio
  @_noLocks
  func withdraw(from frame: ClockFrame) -> Bool {
    let count = place.pointee.count
    while place.pointee.count > 0, self[place.pointee.count - 1].start >= frame { place.pointee.count -= 1 }
    return place.pointee.count < count
  }

  /// Adds a period to a buffer of zeros.
  /// - Parameter level: the signal's level while it is high, −1…1.
  /// - Thread: audio
  @_noLocks
  func render(_ period: Range<ClockFrame>, level: Float, into buffer: UnsafeMutablePointer<Float>) {
    place.pointee.rendered = period.upperBound
    while place.pointee.count > 0 {
      let interval = self[0]
      guard interval.start < period.upperBound else { return }
      let end = Int(min(interval.end, period.upperBound) - period.lowerBound)
      var index = Int(max(interval.start, period.lowerBound) - period.lowerBound)
      while index < end {
        buffer[index] = level
        index &+= 1
      }
      guard interval.end <= period.upperBound else { return }
      place.pointee.first += 1
      place.pointee.count -= 1
    }
  }

  private subscript(index: Int) -> Interval {
    @_noLocks get { intervals[(place.pointee.first + index) & (Gate.capacity - 1)] }
    @_noLocks nonmutating set {
      (intervals + (place.pointee.first + index) & (Gate.capacity - 1)).initialize(to: newValue)
    }
  }
}
