/// Exact musical time at one tempo from an origin on, which the test's timebase leader publishes.
///
/// The unit is 1 / (60 000 · sample rate) of a beat. A frame then has as many units as the tempo has thousandths of a beat a
/// minute, so that all values are integers, through any change of tempo.
public struct LeaderMap: Sendable, Equatable, BitwiseCopyable {
  public struct Position: Sendable, Equatable {
    public var bar: Int
    public var beat: Int
    /// Rounded down.
    public var tick: Int
    public var exactTick: Double
    public var barStartTick: Double
  }

  /// The map applies from this frame of the transport on.
  public private(set) var origin: Int64 = 0
  private var unitsAtOrigin: Int64 = 0
  /// In thousandths of a beat a minute.
  public private(set) var tempo: Int64
  public let beatsPerBar: Int64
  public let beatType: Int64
  public let sampleRate: Int64
  public static let ticksPerBeat: Int64 = 1_920

  /// Bar 1, beat 1 at frame 0.
  public init(tempo: Int, beatsPerBar: Int = 4, beatType: Int = 4, sampleRate: Int) {
    self.tempo = Int64(tempo)
    self.beatsPerBar = Int64(beatsPerBar)
    self.beatType = Int64(beatType)
    self.sampleRate = Int64(sampleRate)
  }

  /// The map that continues from `frame` at the same place in the bar, at another tempo.
  public func changing(tempo: Int, at frame: Int64) -> LeaderMap {
    var map = self
    map.unitsAtOrigin = units(at: frame)
    map.origin = frame
    map.tempo = Int64(tempo)
    return map
  }

  /// The map with bar 1, beat 1 at frame 0, at the same tempo.
  public func relocated() -> LeaderMap {
    var map = self
    map.unitsAtOrigin = 0
    map.origin = 0
    return map
  }

  public func position(at frame: Int64) -> Position {
    let units = units(at: frame)
    let beats = floorDivide(units, unitsPerBeat)
    let bars = floorDivide(beats, beatsPerBar)
    let ticks = (units - beats * unitsPerBeat) * Self.ticksPerBeat
    return Position(
      bar: Int(bars + 1), beat: Int(beats - bars * beatsPerBar + 1), tick: Int(ticks / unitsPerBeat),
      exactTick: Double(ticks) / Double(unitsPerBeat),
      barStartTick: Double(bars * beatsPerBar * Self.ticksPerBeat))
  }

  /// Beats since bar 1, beat 1.
  public func beats(at frame: Int64) -> Double {
    Double(units(at: frame)) / Double(unitsPerBeat)
  }

  /// The exact place, in frames of the transport, of the beat with this index; bar 1, beat 1 is 0.
  public func frame(ofBeat beat: Int) -> Double {
    Double(origin) + Double(Int64(beat) * unitsPerBeat - unitsAtOrigin) / Double(tempo)
  }

  private var unitsPerBeat: Int64 { 60_000 * sampleRate }

  private func units(at frame: Int64) -> Int64 {
    unitsAtOrigin + (frame - origin) * tempo
  }
}

private func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
  let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? quotient - 1 : quotient
}
