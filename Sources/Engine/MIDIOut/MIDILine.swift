import MIDI
import MusicTime

/// A port's messages of one period, by clock frames.
struct MIDILine: BitwiseCopyable {
  private let buffer: MIDIBuffer
  private let waiting: DelayedMessages
  /// The clock frame of the period's first sample, and that after its last.
  private let start: ClockFrame
  private let end: ClockFrame
  /// Frames from a message's nominal frame to the frame on which it is sent.
  private let delay: Int64

  @_noLocks
  @inline(__always)
  init(_ buffer: MIDIBuffer, _ waiting: DelayedMessages, period: Range<ClockFrame>, delay: Int64) {
    (self.buffer, self.waiting, self.delay) = (buffer, waiting, delay)
    (start, end) = (period.lowerBound, period.upperBound)
  }

  /// Sends the waiting messages that are due in this period. Call it first.
  /// - Thread: audio
  @_noLocks
  func sendWaiting() {
    while let next = waiting.first, next.frame < end, append(next.message, at: next.frame) {
      waiting.removeFirst()
    }
  }

  /// Sends a message whose nominal frame is in the period. A message due before the period is sent on the period's first frame.
  /// - Returns: false if there is no room.
  /// - Thread: audio
  @_noLocks
  func send(_ message: MIDIMessage, at clock: ClockFrame) -> Bool {
    guard delay > 0 || !waiting.isEmpty else { return append(message, at: clock) }
    // Keep the order, even if the delay has become shorter.
    let frame = max(clock + delay, waiting.lastFrame)
    return frame < end && waiting.isEmpty
      ? append(message, at: frame) : waiting.append(message, at: frame)
  }

  /// Sends a song position. Sends nothing at the song's start or before it, nor after 4095 quarters.
  /// - Thread: audio
  @_noLocks
  func locate(to pulse: Int64, at clock: ClockFrame) {
    guard pulse > 0, let position = SongPosition(atOrAfterPulse: pulse) else { return }
    _ = send(.songPosition(position), at: clock)
  }

  /// JACK drops messages that are out of order. A waiting message may be sent after the frame of the next one if the delay has
  /// just become shorter; then both are sent on the later frame.
  @_noLocks
  private func append(_ message: MIDIMessage, at clock: ClockFrame) -> Bool {
    buffer.append(message, at: max(Int(clock - start), buffer.lastOffset))
  }
}

/// Messages that wait for the frame on which they are sent.
///
/// Copies share the memory.
struct DelayedMessages: BitwiseCopyable {
  static let capacity = 2_048

  struct Entry: BitwiseCopyable {
    let message: MIDIMessage
    let frame: ClockFrame
  }

  private struct Place: BitwiseCopyable {
    var first = 0
    var count = 0
    /// The frame of the last message other than a clock pulse.
    var lastWord = ClockFrame.earliest
  }

  private let entries: UnsafeMutablePointer<Entry>
  private let place: UnsafeMutablePointer<Place>

  init() {
    entries = .allocate(capacity: DelayedMessages.capacity)
    place = .allocate(capacity: 1)
    place.initialize(to: Place())
  }

  /// Frees the memory. No copy may be used afterwards.
  func free() {
    entries.deallocate()
    place.deallocate()
  }

  /// - Thread: audio
  var isEmpty: Bool { @_noLocks get { place.pointee.count == 0 } }

  /// - Thread: audio
  var first: Entry? { @_noLocks get { isEmpty ? nil : self[0] } }

  /// The frame of the last message; `earliest` if there is none.
  /// - Thread: audio
  var lastFrame: ClockFrame { @_noLocks get { isEmpty ? .earliest : self[place.pointee.count - 1].frame } }

  /// The frame of the last message other than a clock pulse, as pulses may never end; `earliest` if no message waits.
  /// - Thread: audio
  var lastWordFrame: ClockFrame { @_noLocks get { isEmpty ? .earliest : place.pointee.lastWord } }

  /// - Thread: audio
  @_noLocks
  func removeFirst() {
    place.pointee.first += 1
    place.pointee.count -= 1
  }

  /// - Returns: false if there is no room.
  /// - Thread: audio
  @_noLocks
  func append(_ message: MIDIMessage, at frame: ClockFrame) -> Bool {
    guard place.pointee.count < DelayedMessages.capacity else { return false }
    self[place.pointee.count] = Entry(message: message, frame: frame)
    place.pointee.count += 1
    if case .clock = message {} else { place.pointee.lastWord = frame }
    return true
  }

  /// Withdraws the clock pulses, because the music has moved. All other messages become due at once.
  /// - Returns: whether there were any.
  /// - Thread: audio
  @_noLocks
  func withdrawPulses(at clock: ClockFrame) -> Bool {
    let count = place.pointee.count
    place.pointee.count = 0
    for index in 0..<count {
      let message = self[index].message
      if case .clock = message { continue }
      _ = append(message, at: clock)
    }
    return place.pointee.count < count
  }

  private subscript(index: Int) -> Entry {
    @_noLocks get { entries[(place.pointee.first + index) & (DelayedMessages.capacity - 1)] }
    @_noLocks nonmutating set {
      (entries + (place.pointee.first + index) & (DelayedMessages.capacity - 1)).initialize(to: newValue)
    }
  }
}
