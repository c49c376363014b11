import MIDI
import MusicTime

/// The MIDI output: the clicks as notes, and a MIDI clock.
struct MIDIOut: BitwiseCopyable {
  private var noteSender = NoteSender()
  private var clockSender = MIDIClockSender()
  /// The period's ports; nil if not needed.
  private var notes: MIDILine?
  private var clock: MIDILine?

  @_noLocks
  init() {}

  /// Begins a period.
  /// - Parameter start: the clock frame of its first sample.
  /// - Thread: audio
  @_noLocks
  mutating func open(_ outputs: Outputs, from start: Int64) {
    notes = outputs.notes.map { MIDILine($0, from: start) }
    clock = outputs.clock.map { MIDILine($0, from: start) }
  }

  /// Sends a note for a click that begins.
  /// - Parameter level: 0…1, scaled to the velocity; at 0 nothing is sent.
  /// - Thread: audio
  @_noLocks
  mutating func begin(_ role: Role, level: Float, _ score: UnsafePointer<Score>, at frame: Int64) {
    guard let notes, level > 0 else { return }
    let output = score.pointee.notes
    noteSender.begin(
      channel: output.channel, number: output.numbers[role],
      velocity: UInt8(max(1, min(127, level * 127 + 0.5))),
      length: Int64(output.length) * Int64(score.pointee.sampleRate) / 1_000, at: frame, on: notes)
  }

  /// Sends note offs and the clock for a part of the period in which nothing changes.
  /// - Parameter isEnding: whether Tactus ends, even if the transport rolls.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  mutating func send(
    _ range: Range<Int64>, _ playback: borrowing Playback, _ source: borrowing TimeSource, isEnding: Bool
  ) {
    if let notes { noteSender.release(before: range.upperBound, on: notes) }
    guard let clock else { return }
    if playback.nextOnset != .max, !isEnding {
      clockSender.send(range, playback, within: source.uncertainty, on: clock)
    } else {
      let runs = playback.score.pointee.clock.runsWhileStopped
      clockSender.stand(
        range, pulseLength: runs ? source.standingPulseLength(at: range.lowerBound, playback) : nil, on: clock
      )
    }
  }

  /// Records that the music has moved to another position.
  /// - Thread: audio
  @_noLocks
  mutating func move() { clockSender.move() }

  /// Keeps the clock's count when the same position has another number of pulses in the score.
  /// - Thread: audio
  @_noLocks
  mutating func carry(from old: Int128, to new: Int128) { clockSender.carry(from: old, to: new) }

  /// Frames from a clock frame until all notes have ended.
  /// - Thread: audio
  @_noLocks
  func longest(after frame: Int64) -> Int { noteSender.longest(after: frame) }
}

/// A port's messages of one period, by clock frames.
struct MIDILine: BitwiseCopyable {
  private let buffer: MIDIBuffer
  /// The clock frame of the period's first sample.
  private let start: Int64

  @_noLocks
  init(_ buffer: MIDIBuffer, from start: Int64) {
    self.buffer = buffer
    self.start = start
  }

  /// Sends a message on a frame of the period; an earlier frame counts as the period's first.
  /// - Returns: false if the buffer is full.
  /// - Thread: audio
  @_noLocks
  func send(_ message: MIDIMessage, at clock: Int64) -> Bool {
    buffer.append(message, at: Int(max(clock - start, 0)))
  }
}
