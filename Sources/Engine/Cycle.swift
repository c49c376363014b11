import MIDI

/// One period to render.
public struct Cycle: BitwiseCopyable {
  /// The clock frame of the period's first sample. The clock counts frames since the engine began and never goes back;
  /// it jumps ahead where the audio thread missed cycles.
  public var clock: Int64
  public var frames: Int
  /// Frames a second; nil where it is the score's. Nothing plays while the two differ.
  public var sampleRate: Int?
  public var transport: Transport
  /// What Ableton Link says; nil where it says nothing.
  public var link: Link?
  /// What controllers sent; nil where there are none.
  public var control: MIDIBuffer?
  /// The MIDI clock that came in; nil where there is none.
  public var clockIn: MIDIBuffer?
  /// By how many frames what is played must be ahead of the clock's messages, so that a click is heard when the machine that
  /// sent them plays its beat.
  public var clockLatency = 0

  public init(clock: Int64, frames: Int, sampleRate: Int? = nil, transport: Transport = Transport()) {
    self.clock = clock
    self.frames = frames
    self.sampleRate = sampleRate
    self.transport = transport
  }

  /// The transport at the period's first sample.
  public struct Transport: BitwiseCopyable {
    public var isRolling = false
    /// Wraps at 2³².
    public var frame: UInt32 = 0
    /// What the timebase leader says, where there is one.
    public var leader: Leader?

    public init() {}
  }

  /// An Ableton Link session when the period's first sample leaves the speakers. Its beats are beat units.
  public struct Link: BitwiseCopyable {
    /// Bars of any length begin on its multiples.
    public var beat: Double
    public var beatsPerMinute: Double
    public var isPlaying: Bool
    /// The beat at which it was asked to play; the next bar line from there on is where it does.
    public var start: Double

    public init(beat: Double, beatsPerMinute: Double, isPlaying: Bool, start: Double) {
      self.beat = beat
      self.beatsPerMinute = beatsPerMinute
      self.isPlaying = isPlaying
      self.start = start
    }
  }

  /// Bar, beat and tick as the timebase leader tells them.
  public struct Leader: BitwiseCopyable {
    public var bar: Int
    public var beat: Int
    public var tick: Double
    /// Whether `tick` has its fraction; else it is rounded down.
    public var isTickExact: Bool
    public var ticksPerBeat: Double
    /// The position belongs to a frame that many frames before the period's first.
    public var offset: Int
    public var beatsPerMinute: Double
    public var beatsPerBar: Double
    public var beatType: Double

    public init(
      bar: Int, beat: Int, tick: Double, isTickExact: Bool, ticksPerBeat: Double, offset: Int,
      beatsPerMinute: Double, beatsPerBar: Double, beatType: Double
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
    }
  }
}
