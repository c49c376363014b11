import CJack

/// The transport's state in one cycle, as a client sees it.
public struct TransportCycle: Sendable, Equatable, BitwiseCopyable {
  public enum State: Sendable, Equatable, BitwiseCopyable {
    case stopped, starting, rolling

    init(_ state: jack_transport_state_t) {
      switch state {
      case JackTransportStopped: self = .stopped
      case JackTransportRolling, JackTransportLooping: self = .rolling
      default: self = .starting
      }
    }
  }

  /// The leader's bar, beat and tick at the cycle's first frame.
  public struct BBT: Sendable, Equatable, BitwiseCopyable {
    public var bar: Int
    public var beat: Int
    public var tick: Int
    /// The tick with its fraction; nil if the leader does not publish it.
    public var exactTick: Double?
    public var barStartTick: Double
    public var beatsPerBar: Double
    public var beatType: Double
    public var ticksPerBeat: Double
    public var beatsPerMinute: Double
    /// The BBT belongs to this number of frames before the cycle's start; nil if the leader does not publish it.
    public var frameOffset: Int?

    public init(
      bar: Int, beat: Int, tick: Int, exactTick: Double? = nil, barStartTick: Double, beatsPerBar: Double,
      beatType: Double, ticksPerBeat: Double, beatsPerMinute: Double, frameOffset: Int? = nil
    ) {
      self.bar = bar
      self.beat = beat
      self.tick = tick
      self.exactTick = exactTick
      self.barStartTick = barStartTick
      self.beatsPerBar = beatsPerBar
      self.beatType = beatType
      self.ticksPerBeat = ticksPerBeat
      self.beatsPerMinute = beatsPerMinute
      self.frameOffset = frameOffset
    }
  }

  /// The server's frame time at the cycle's first frame, in 64 bits.
  public var frameTime: Int64
  public var frameCount: Int
  public var state: State
  /// The transport's frame.
  public var frame: UInt32
  public var bbt: BBT?

  init(
    frameTime: Int64, frameCount: Int, state: jack_transport_state_t, position: borrowing jack_position_t
  ) {
    self.frameTime = frameTime
    self.frameCount = frameCount
    self.state = State(state)
    frame = position.frame
    let valid = position.valid.rawValue
    guard valid & JackPositionBBT.rawValue != 0 else { return }
    bbt = BBT(
      bar: Int(position.bar), beat: Int(position.beat), tick: Int(position.tick),
      exactTick: valid & JackTickDouble.rawValue != 0 ? position.tick_double : nil,
      barStartTick: position.bar_start_tick, beatsPerBar: Double(position.beats_per_bar),
      beatType: Double(position.beat_type), ticksPerBeat: position.ticks_per_beat,
      beatsPerMinute: position.beats_per_minute,
      frameOffset: valid & JackBBTFrameOffset.rawValue != 0 ? Int(position.bbt_offset) : nil)
  }
}
