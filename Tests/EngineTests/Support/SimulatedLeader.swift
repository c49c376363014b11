import Engine
import MusicTime

/// A timebase leader with a transport: its beats are known exactly, and it publishes them in ticks.
struct SimulatedLeader {
  struct Beat {
    /// The beat's time in clock frames.
    let time: Double
    let bar: Int
    let beat: Int
  }

  var bar = 1
  private var place = 0.0
  private var nextNote = 0
  private(set) var meter: (count: Int, unit: Int)
  /// The meter from the next bar on.
  var nextMeter: (count: Int, unit: Int)
  /// The actual tempo in whole notes a frame, and the one that it publishes.
  private var pace: Double
  private var toldPace: Double
  var ticksPerBeat = 1_920.0
  var isTickExact = false
  /// Whether it rounds its tick to the nearest one instead of down.
  var roundsToNearest = false
  var isTelling = true
  /// Whether it publishes its tempo in single precision.
  var isCoarse = false
  /// The published position belongs to this number of frames before the period's start; it is published as the offset.
  var offset = 0
  var transportFrame: UInt32 = 0
  /// The ticks of the bars before this one, and the value that it publishes instead.
  private(set) var startTick = 0.0
  var tellsStart: (SimulatedLeader) -> Double = { $0.startTick }

  init(meter: (Int, Int), beatsPerMinute: Double) {
    self.meter = meter
    nextMeter = meter
    pace = SimulatedLeader.pace(beatsPerMinute, meter.1)
    toldPace = pace
  }

  private static func pace(_ beatsPerMinute: Double, _ unit: Int) -> Double {
    beatsPerMinute / 60 / 48_000 / Double(unit)
  }

  /// Sets the tempo from now on; it is published a period late.
  mutating func set(beatsPerMinute: Double) { pace = SimulatedLeader.pace(beatsPerMinute, meter.unit) }

  /// - Parameter startTick: the ticks of the bars before; nil if all have the current meter.
  mutating func locate(bar: Int, notes: Double, frame: UInt32, startTick: Double? = nil) {
    self.bar = bar
    self.startTick = startTick ?? Double((bar - 1) * meter.count) * ticksPerBeat
    place = notes / Double(meter.unit)
    nextNote = Int(notes.rounded(.up))
    transportFrame = frame
  }

  /// The transport that a follower sees at a period's start.
  var cycle: Cycle.Transport {
    var transport = Cycle.Transport()
    transport.frame = transportFrame
    transport.isRolling = true
    guard isTelling else { return transport }
    let notes = max(place - Double(offset) * toldPace, 0) * Double(meter.unit)
    let tick = (notes - notes.rounded(.down)) * ticksPerBeat
    let backThere = place - Double(offset) * toldPace >= 0
    transport.leader = Cycle.Leader(
      bar: bar, beat: Int(notes) + 1,
      tick: isTickExact ? tick : tick.rounded(roundsToNearest ? .toNearestOrEven : .down),
      isTickExact: isTickExact,
      ticksPerBeat: ticksPerBeat, offset: backThere ? offset : 0,
      beatsPerMinute: toldTempo, beatsPerBar: Double(meter.count),
      beatType: Double(meter.unit), barStartTick: tellsStart(self))
    if !backThere { transport.leader = exact }
    return transport
  }

  private var toldTempo: Double {
    let tempo = toldPace * 60 * 48_000 * Double(meter.unit)
    return isCoarse ? Double(Float(tempo)) : tempo
  }

  /// The fraction of the leader's position within a tick, 0..<1, which rounding hides.
  var tickPhase: Double {
    let ticks = place * Double(meter.unit) * ticksPerBeat
    return ticks - ticks.rounded(.down)
  }

  private var exact: Cycle.Leader {
    let notes = place * Double(meter.unit)
    return Cycle.Leader(
      bar: bar, beat: Int(notes) + 1, tick: (notes - notes.rounded(.down)) * ticksPerBeat, isTickExact: true,
      ticksPerBeat: ticksPerBeat, offset: 0, beatsPerMinute: toldTempo,
      beatsPerBar: Double(meter.count), beatType: Double(meter.unit), barStartTick: tellsStart(self))
  }

  /// Plays a period; returns the beats in it.
  mutating func play(_ frames: Int, from clock: ClockFrame) -> [Beat] {
    var beats: [Beat] = []
    var elapsed = 0.0
    while true {
      let due = elapsed + (Double(nextNote) / Double(meter.unit) - place) / pace
      guard due < Double(frames) else { break }
      elapsed = due
      place = Double(nextNote) / Double(meter.unit)
      if nextNote == meter.count {
        (bar, place, nextNote) = (bar + 1, 0, 0)
        startTick += Double(meter.count) * ticksPerBeat
        meter = nextMeter
      }
      beats.append(Beat(time: Double(clock.number) + elapsed, bar: bar, beat: nextNote + 1))
      nextNote += 1
    }
    place += (Double(frames) - elapsed) * pace
    toldPace = pace
    transportFrame &+= UInt32(frames)
    return beats
  }
}

/// A follower with its leader: the beats played, the beats expected, and the time of the last change.
struct Following {
  let rig: Rig
  var leader: SimulatedLeader
  private(set) var truth: [SimulatedLeader.Beat] = []
  private(set) var leaderEvents: [String] = []
  private var phases = 1.0...1.0

  init(_ leader: SimulatedLeader) throws {
    self.leader = leader
    rig = Rig(try Following.score(leader.meter))
  }

  private static func score(_ meter: (count: Int, unit: Int)) throws -> UnsafePointer<Score> {
    try Score.make(Pattern(meter: meter), role: .follow)
  }

  /// Renders one period. A new meter causes a new score, as in the conductor.
  mutating func render(_ frames: Int) throws {
    phases = min(phases.lowerBound, leader.tickPhase)...max(phases.upperBound, leader.tickPhase)
    let events = rig.render(frames, leader.cycle)
    truth += leader.play(frames, from: rig.clock - Int64(frames))
    for event in events {
      switch event {
      case .leader(let heard):
        leaderEvents.append("\(heard.count)/\(heard.unit)")
        rig.publish(try Following.score((heard.count, heard.unit)))
      case .leaderLeft: leaderEvents.append("left")
      default: break
      }
    }
  }

  mutating func render(seconds: Double, period: Int) throws {
    let end = rig.clock + Int64(seconds * 48_000)
    while rig.clock < end { try render(period) }
  }

  /// The part of a tick (0…1) that all readings since `forgetPhases` leave undetermined.
  var openTicks: Double { 1 - phases.upperBound + phases.lowerBound }

  mutating func forgetPhases() { phases = leader.tickPhase...leader.tickPhase }

  mutating func forget() {
    truth = []
    rig.forgetEvents()
  }

  /// The largest distance of a click from its beat since a clock frame, in frames; nil if a beat is lost or doubled.
  func error(from frame: ClockFrame = 0) -> Double? {
    let margin = 50.0
    let clicks = rig.beats.filter { Double($0.frame.number) >= Double(frame.number) }
    let beats = truth.filter { $0.time >= Double(frame.number) - margin }
    // A beat at the very start may have been played just before it.
    let extra = beats.count - clicks.count
    guard extra == 0 || (extra == 1 && beats[0].time < Double(frame.number) + margin) else { return nil }
    var error = 0.0
    for (click, beat) in zip(clicks, beats.dropFirst(extra)) {
      guard click.bar == beat.bar, click.beat == beat.beat else { return nil }
      error = max(error, abs(Double(click.frame.number) - beat.time))
    }
    return error
  }
}
