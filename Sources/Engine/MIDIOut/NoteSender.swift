import MIDI
import MusicTime
import Realtime

/// Starts notes, and ends each when its time is over, even if the music has stopped or moved.
struct NoteSender: ~Copyable {
  private struct Note: BitwiseCopyable {
    let channel: UInt8
    let number: UInt8
    /// The clock frames at which it begins and ends.
    let begin: ClockFrame
    let end: ClockFrame

    var off: MIDIMessage { @_noLocks get { .noteOff(channel: channel, note: number, velocity: 64) } }
  }

  /// More than there are roles: notes of previous settings may still sound.
  private static var capacity: Int { @_noLocks get { 16 } }
  private var notes = InlineArray<16, Note>(repeating: Note(channel: 1, number: 0, begin: 0, end: 0))
  private var count = 0
  /// The clock frame at which the first note ends; `never` without notes.
  private(set) var firstEnd = ClockFrame.never
  /// The clock frame at which all notes have ended; valid only while there are notes.
  private var lastEnd = ClockFrame.earliest
  private let pin = Pin()

  @_noLocks
  init() {}

  /// Starts a note. A sounding note of the same number ends first; two that begin on the same frame become one.
  /// - Parameter length: in frames.
  /// - Thread: audio
  @_noLocks
  mutating func begin(
    channel: UInt8, number: UInt8, velocity: UInt8, length: Int64, at clock: ClockFrame, on line: MIDILine
  ) {
    release(before: clock + 1, on: line)
    for index in 0..<count where notes[index].channel == channel && notes[index].number == number {
      guard notes[index].begin < clock, end(index, at: clock, on: line) else { return }
      break
    }
    if count == NoteSender.capacity, !end(first, at: clock, on: line) { return }
    guard line.send(.noteOn(channel: channel, note: number, velocity: velocity), at: clock) else { return }
    notes[count] = Note(channel: channel, number: number, begin: clock, end: clock + max(length, 1))
    count += 1
    (firstEnd, lastEnd) = (min(firstEnd, notes[count - 1].end), max(lastEnd, notes[count - 1].end))
  }

  /// Ends the notes whose end is before a clock frame.
  /// - Thread: audio
  @_noLocks
  mutating func release(before clock: ClockFrame, on line: MIDILine) {
    while count > 0 {
      let index = first
      // If the buffer is full, the note off is sent in the next period.
      guard notes[index].end < clock, end(index, at: notes[index].end, on: line) else { return }
    }
  }

  /// Whether a note ends before a clock frame.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func isDue(before clock: ClockFrame) -> Bool { firstEnd < clock }

  /// Whether any note sounds.
  /// - Thread: audio
  var isActive: Bool { @_noLocks get { count > 0 } }

  /// Frames from a clock frame until all notes have ended.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func longest(after clock: ClockFrame) -> Int { isActive ? Int(max(0, lastEnd - clock + 1)) : 0 }

  /// The note that ends first. Precondition: there is one.
  private var first: Int {
    @_noLocks get {
      var first = 0
      for index in 1..<max(count, 1) where notes[index].end < notes[first].end { first = index }
      return first
    }
  }

  @_noLocks
  private mutating func end(_ index: Int, at clock: ClockFrame, on line: MIDILine) -> Bool {
    guard line.send(notes[index].off, at: clock) else { return false }
    count -= 1
    notes[index] = notes[count]
    (firstEnd, lastEnd) = (.never, .earliest)
    for index in 0..<count {
      (firstEnd, lastEnd) = (min(firstEnd, notes[index].end), max(lastEnd, notes[index].end))
    }
    return true
  }
}

/// The notes sent to the port `notes`. The default is General MIDI percussion: two wood blocks, a closed hi-hat and a cowbell
/// on channel 10.
package struct NoteOutput: BitwiseCopyable, Hashable, Sendable {
  /// 0…127.
  package var numbers = PerRole<UInt8>(accent: 76, beat: 77, subdivision: 42, cue: 56)
  /// 1…16.
  package var channel: UInt8 = 10
  /// Milliseconds from a note on to its note off.
  package var length = 50

  package init() {}
}
