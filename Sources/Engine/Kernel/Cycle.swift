import MIDI
import MusicTime

/// One period to render.
package struct Cycle: BitwiseCopyable {
  /// The clock frame of the period's first sample. The clock counts frames since the engine began and never goes back;
  /// it jumps ahead when the audio thread misses cycles.
  package var clock: ClockFrame
  /// Frames of the period.
  package var frames: Int
  /// Frames per second; nil for the score's rate. Nothing plays while the two differ.
  package var sampleRate: Int?
  /// The state of the JACK transport.
  package var transport: Transport
  /// The state of the Ableton Link session; nil without one.
  package var link: Link?
  /// The MIDI messages of the port `clock-in`; nil without one.
  package var clockIn: MIDIBuffer?
  /// Frames by which clicks must precede the messages of the MIDI clock, so that a click sounds when the clock's source plays
  /// its beat.
  package var clockLatency = 0
  /// The ports' latencies, which the engine compensates.
  package var latencies = Latencies()

  @_noLocks
  @inlinable
  @inline(__always)
  package init(clock: ClockFrame, frames: Int, sampleRate: Int? = nil, transport: Transport = Transport()) {
    self.clock = clock
    self.frames = frames
    self.sampleRate = sampleRate
    self.transport = transport
  }

  /// Frames from the engine until its output is heard, or played by another machine.
  package struct Latencies: BitwiseCopyable, Sendable {
    /// From the audio ports to the speakers: the largest of their latencies.
    package var out = 0
    /// Delays of the audio ports with which all of them are heard together.
    package var delays = PortDelays()
    /// Of the ports `clock` and `notes`.
    package var clock = 0
    package var notes = 0
    /// Of the port `pulse`.
    package var pulse = 0
    /// Of the ports `timecode` and `ltc`.
    package var timecode = 0
    package var ltc = 0

    @_noLocks
    @inlinable
    package init() {}
  }

  /// The transport at the period's first sample.
  package struct Transport: BitwiseCopyable {
    /// Whether it advances in this period.
    package var isRolling = false
    /// Whether it has been started and waits until all clients are ready.
    package var isStarting = false
    /// The transport's frame; wraps at 2³².
    package var frame: UInt32 = 0
    /// The timebase leader's position, if there is a leader.
    package var leader: Leader?

    @_noLocks
    @inlinable
    package init() {}
  }

  /// An Ableton Link session at the time when the period's first sample leaves the speakers. Its beats are beat units.
  package struct Link: BitwiseCopyable {
    /// The session's beat. Bars of any length begin at multiples of their length.
    package var beat: Double
    /// The tempo, in beat units per minute.
    package var beatsPerMinute: Double
    /// Whether the session plays, or will play from `start` on.
    package var isPlaying: Bool
    /// The beat of the last start request; the music starts at the next bar line.
    package var start: Double

    @_noLocks
    package init(beat: Double, beatsPerMinute: Double, isPlaying: Bool, start: Double) {
      self.beat = beat
      self.beatsPerMinute = beatsPerMinute
      self.isPlaying = isPlaying
      self.start = start
    }
  }

  /// Bar, beat and tick as the timebase leader reports them.
  package struct Leader: BitwiseCopyable {
    /// From 1.
    package var bar: Int
    /// From 1, in notes of the meter's unit.
    package var beat: Int
    /// Ticks since the beat's start, 0..<`ticksPerBeat`.
    package var tick: Double
    /// Whether `tick` includes its fraction; otherwise it is rounded down.
    package var isTickExact: Bool
    /// Whether a rounded tick may be one too low. See `PipeWireTick`.
    package var mayTickBeLow = false
    /// Ticks in a beat, as the leader declares them.
    package var ticksPerBeat: Double
    /// The position belongs to the frame this many frames before the period's first.
    package var offset: Int
    /// Notes of the meter's unit per minute.
    package var beatsPerMinute: Double
    /// Notes of the meter's unit in a bar.
    package var beatsPerBar: Double
    /// The note as a part of a whole note: 8 is an eighth.
    package var beatType: Double
    /// Ticks from the leader's start to the bar's first beat; negative if unknown. Not every leader reports it.
    package var barStartTick: Double

    @_noLocks
    package init(
      bar: Int, beat: Int, tick: Double, isTickExact: Bool, ticksPerBeat: Double, offset: Int,
      beatsPerMinute: Double, beatsPerBar: Double, beatType: Double, barStartTick: Double = -1
    ) {
      self.bar = bar
      self.beat = beat
      self.tick = tick
      self.isTickExact = isTickExact
      self.ticksPerBeat = ticksPerBeat
      self.offset = offset
      self.beatsPerMinute = beatsPerMinute
      self.beatsPerBar = beatsPerBar
      self.beatType = beatType
      self.barStartTick = barStartTick
    }
  }
}
