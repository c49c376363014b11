import MIDI

/// One period to render.
public struct Cycle: BitwiseCopyable {
  /// The clock frame of the period's first sample. The clock counts frames since the engine began and never goes back;
  /// it jumps ahead when the audio thread misses cycles.
  public var clock: Int64
  /// Frames of the period.
  public var frames: Int
  /// Frames per second; nil for the score's rate. Nothing plays while the two differ.
  public var sampleRate: Int?
  /// The state of the JACK transport.
  public var transport: Transport
  /// The state of the Ableton Link session; nil without one.
  public var link: Link?
  /// The MIDI messages of the port `clock-in`; nil without one.
  public var clockIn: MIDIBuffer?
  /// Frames by which clicks must precede the messages of the MIDI clock, so that a click sounds when the clock's source plays
  /// its beat.
  public var clockLatency = 0
  /// How long after the period what the ports carry is heard.
  public var latencies = Latencies()

  @_noLocks
  public init(clock: Int64, frames: Int, sampleRate: Int? = nil, transport: Transport = Transport()) {
    self.clock = clock
    self.frames = frames
    self.sampleRate = sampleRate
    self.transport = transport
  }

  /// Frames from the engine to where it is heard, or played by another machine.
  public struct Latencies: BitwiseCopyable, Sendable {
    /// Of the music, to the speakers: of the port with the longest way.
    public var out = 0
    /// By how much the audio ports hold back what the engine has made, to be heard together.
    public var delays = PortDelays()
    /// Of the ports `clock` and `notes`.
    public var clock = 0
    public var notes = 0
    /// Of the port `pulse`.
    public var pulse = 0
    /// Of the ports `timecode` and `ltc`.
    public var timecode = 0
    public var ltc = 0

    @_noLocks
    public init() {}
  }

  /// The transport at the period's first sample.
  public struct Transport: BitwiseCopyable {
    public var isRolling = false
    /// Whether it has been started and waits until all clients are ready.
    public var isStarting = false
    /// Wraps at 2³².
    public var frame: UInt32 = 0
    /// The timebase leader's position, if there is a leader.
    public var leader: Leader?

    @_noLocks
    public init() {}
  }

  /// An Ableton Link session at the time when the period's first sample leaves the speakers. Its beats are beat units.
  public struct Link: BitwiseCopyable {
    /// Bars of any length begin at its multiples.
    public var beat: Double
    /// The tempo, in beat units per minute.
    public var beatsPerMinute: Double
    public var isPlaying: Bool
    /// The beat of the last start request; the music starts at the next bar line.
    public var start: Double

    @_noLocks
    public init(beat: Double, beatsPerMinute: Double, isPlaying: Bool, start: Double) {
      self.beat = beat
      self.beatsPerMinute = beatsPerMinute
      self.isPlaying = isPlaying
      self.start = start
    }
  }

  /// Bar, beat and tick as the timebase leader reports them.
  public struct Leader: BitwiseCopyable {
    /// From 1.
    public var bar: Int
    /// From 1, in notes of the meter's unit.
    public var beat: Int
    /// Ticks since the beat's start, 0..<`ticksPerBeat`.
    public var tick: Double
    /// Whether `tick` includes its fraction; otherwise it is rounded down.
    public var isTickExact: Bool
    public var ticksPerBeat: Double
    /// The position belongs to the frame this many frames before the period's first.
    public var offset: Int
    /// Notes of the meter's unit per minute.
    public var beatsPerMinute: Double
    /// Notes of the meter's unit in a bar.
    public var beatsPerBar: Double
    /// The note as a part of a whole note: 8 is an eighth.
    public var beatType: Double
    /// Ticks from the leader's start to the bar's first beat, if it says so. Not every leader does.
    public var barStartTick: Double

    @_noLocks
    public init(
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
