import MIDI
import MusicTime
import TestNumbers
import Testing

@testable import Engine

/// Two engines with the same random history. One renders each period in full, the other passes quiet periods quickly.
@Suite("Quiet periods")
struct QuietTests {
  private static let sets = (0..<4).map { ClipSet.coded(3_000 + $0, lengths: 50...9_000) }

  /// What the engine has published after a period.
  private struct Published: Equatable {
    var clock: ClockFrame
    var position: [Int64]
    var sounding: Int
    var oldestClips: Int
    var flags: [Bool]
    var counts: [Int]

    init(_ channels: UnsafePointer<Channels>) {
      clock = channels.pointee.clock.load(ordering: .relaxed)
      position = [
        channels.pointee.scoreFrame.load(ordering: .relaxed),
        channels.pointee.transportFrame.load(ordering: .relaxed),
        channels.pointee.nextEvent.load(ordering: .relaxed).number,
      ]
      sounding = channels.pointee.sounding.load(ordering: .relaxed)
      oldestClips = channels.pointee.oldestClips.load(ordering: .relaxed)
      flags = [
        channels.pointee.hasReceivedMIDI.exchange(false, ordering: .relaxed),
        channels.pointee.hasSentMIDI.exchange(false, ordering: .relaxed),
        channels.pointee.isMIDIClockRolling.load(ordering: .relaxed),
      ]
      counts = [
        channels.pointee.gaps.load(ordering: .relaxed), channels.pointee.changes.load(ordering: .relaxed),
        channels.pointee.droppedClips.load(ordering: .relaxed),
        channels.pointee.droppedCommands.load(ordering: .relaxed),
      ]
    }
  }

  /// Everything that may happen in one period, the same for both engines.
  private struct Step {
    var score: (() throws -> UnsafePointer<Score>)?
    var scoreFrame: ClockFrame?
    var commands: [(Command.Action, ClockFrame?)] = []
    var flags = (subdivisions: true, ahead: false, ending: false)
    var latencies = Cycle.Latencies()
    var messages: [MIDIEvent] = []
    var missed = 0
    var frames = 64
    var transport = Cycle.Transport()
    var clockLatency = 0
    var asksPosition = true
    var nextTransportFrame: UInt32 = 0
    /// A frame to which the transport is located while it rolls.
    var locatedFrame: UInt32?
  }

  /// The history: what both engines receive.
  private struct History {
    var numbers: Generator
    var step = Step()
    var role = SyncMode.free
    var generation = 1

    init(seed: UInt64) { numbers = Generator(seed: seed) }

    mutating func score() -> () throws -> UnsafePointer<Score> {
      generation += 1
      if numbers.oneIn(3) {
        role = [.free, .free, .free, .lead, .lead, .lead, .follow, .midiClock][numbers.number(0...7)]
      }
      var music = Pattern(thousandths: numbers.number(40_000...400_000))
      music.meter = (numbers.number(2...7), [4, 8][numbers.number(0...1)])
      for parts in 2...9 where numbers.oneIn(5) { music.subdivisions[parts] = 0.5 }
      let layers = numbers.oneIn(3) ? ["5 over bar", "every 3/16, pattern Xoo"] : []
      var gains = Gains()
      gains.master = Float(numbers.number(0...10)) / 10
      gains.buses.beat = Float(numbers.number(0...10)) / 10
      var notes = NoteOutput()
      notes.length = numbers.number(1...400)
      var clock = MIDIClockOutput()
      clock.runsWhileStopped = numbers.oneIn(3)
      clock.offset = numbers.oneIn(3) ? Double(numbers.number(-30...30)) : 0
      clock.search = numbers.oneIn(4) ? 200 : 0
      var latency = LatencyPolicy()
      latency.compensates = numbers.oneIn(3)
      var preRoll = PreRollPolicy()
      preRoll.bars = numbers.oneIn(4) ? 1 : 0
      let (role, generation, quantise) = (role, generation, Quantise.allCases[numbers.number(0...2)])
      let clips = QuietTests.sets[generation % QuietTests.sets.count]
      let bars = numbers.oneIn(4) ? numbers.number(1...6) : nil
      return { [music, gains, notes, clock, latency, preRoll] in
        var plan = try music.plan(bars: bars)
        plan.layers = try layers.enumerated().map { LayerPlan($0 + 1, try Layer(text: $1)) }
        return Score.make(
          [plan], clips: clips, generation: generation, gains: gains, notes: notes,
          clock: clock, role: role, quantise: quantise, latency: latency, preRoll: preRoll)
      }
    }

    /// The next period. Most periods are quiet, so that the rare events meet long spans.
    mutating func next(at clock: ClockFrame) -> Step {
      var frame = step.nextTransportFrame
      (step.score, step.commands, step.messages, step.missed) = (nil, [], [], 0)
      if numbers.oneIn(400) { step.frames = [16, 64, 64, 128, 256, 333, 1_024][numbers.number(0...6)] }
      if numbers.oneIn(150) {
        step.score = score()
        step.scoreFrame = numbers.oneIn(3) ? clock + Int64(numbers.number(-100...20_000)) : nil
      }
      if numbers.oneIn(150) {
        step.commands = [(command(), numbers.oneIn(2) ? nil : clock + Int64(numbers.number(-50...9_000)))]
      }
      if numbers.oneIn(300) { step.flags.subdivisions.toggle() }
      if step.flags.ahead ? numbers.oneIn(50) : numbers.oneIn(1_500) { step.flags.ahead.toggle() }
      if step.flags.ending ? numbers.oneIn(10) : numbers.oneIn(1_500) { step.flags.ending.toggle() }
      if numbers.oneIn(500) {
        step.latencies = Cycle.Latencies()
        step.latencies.out = numbers.number(0...1_000)
        step.latencies.clock = numbers.number(0...1_000)
        step.latencies.notes = numbers.number(0...1_000)
        step.clockLatency = numbers.number(0...1_000)
        if numbers.oneIn(9) { step.latencies.delays[1] = numbers.number(0...300) }
      }
      if numbers.oneIn(700) {
        step.missed = step.frames * numbers.number(1...9)
        if step.transport.isRolling { frame &+= UInt32(step.missed) }
      }
      if numbers.oneIn(role == .midiClock ? 20 : 2_000) {
        step.messages = [MIDIEvent([.start, .clock, .stop, .clock][numbers.number(0...3)], at: clock)]
      }
      if numbers.oneIn(step.transport.isRolling ? 900 : 60) {
        let isRolling = step.transport.isRolling
        (step.transport.isRolling, step.transport.isStarting) = (false, !isRolling)
      } else if step.transport.isStarting, numbers.oneIn(3) {
        (step.transport.isRolling, step.transport.isStarting) = (true, false)
      }
      if numbers.oneIn(500) { frame = UInt32(numbers.number(0...1_000_000)) }
      if numbers.oneIn(500) { step.asksPosition.toggle() }
      step.transport.frame = frame
      step.nextTransportFrame = step.transport.isRolling ? frame &+ UInt32(step.frames) : frame
      step.locatedFrame = nil
      if numbers.oneIn(700) {
        step.nextTransportFrame = UInt32(numbers.number(0...1_000_000))
        step.locatedFrame = step.nextTransportFrame
      }
      return step
    }

    private mutating func command() -> Command.Action {
      switch numbers.number(1...20) {
      case 1...11: .start
      case 12: .stop
      case 13: .pause
      case 14: .stopAtBar(pauses: numbers.oneIn(2))
      case 15: .placeMachines(connectedAt: 0)
      case 16: .countIn
      case 17:
        .jump(BarRange.Bar(section: 0, bar: numbers.number(1...4)), Quantise.allCases[numbers.number(0...2)])
      case 18: .cancelJump
      default:
        .locate(Position(bar: numbers.number(1...9), beat: numbers.number(1...3), fraction: 0.25))
      }
    }
  }

  /// - Returns: what the engine has answered.
  private func perform(_ step: Step, _ rig: Rig) throws -> [String] {
    var answers: [String] = []
    if let score = step.score { rig.publish(try score(), at: step.scoreFrame) }
    for command in step.commands { rig.command(command.0, at: command.1) }
    rig.channels.pointee.reportsSubdivisions.store(step.flags.subdivisions, ordering: .relaxed)
    rig.channels.pointee.reportsAhead.store(step.flags.ahead, ordering: .relaxed)
    rig.channels.pointee.isEnding.store(step.flags.ending, ordering: .relaxed)
    (rig.latencies, rig.clockLatency) = (step.latencies, step.clockLatency)
    if step.missed > 0 { rig.miss(step.missed) }
    rig.clockIn += step.messages.map { MIDIEvent($0.message, at: $0.frame + Int64(step.missed)) }
    if step.transport.isStarting {
      let rolls = rig.letsTransportRoll(at: rig.clock + Int64(step.frames), from: step.transport.frame)
      answers.append("\(rolls)")
    }
    rig.render(step.frames, step.transport)
    if step.asksPosition { answers.append("\(rig.barBeatTick(at: step.nextTransportFrame))") }
    if let frame = step.locatedFrame { answers.append("\(rig.barBeatTick(at: frame))") }
    return answers
  }

  @Test(
    "Quiet periods give the same samples, messages, events and published values as periods that are rendered in full",
    arguments: 1...6 as ClosedRange<UInt64>)
  func same(seed: UInt64) throws {
    var history = History(seed: seed)
    let first = history.score()
    let rigs = [Rig(try first()), Rig(try first())]
    rigs[1].rendersFully = true
    for rig in rigs {
      rig.isRecording = true
      rig.recordMIDI()
      rig.command(.start)
    }
    for _ in 0..<40_000 {
      let step = history.next(at: rigs[0].clock)
      let answers = try rigs.map { try perform(step, $0) }
      #expect(answers[0] == answers[1])
      #expect(Published(rigs[0].channels) == Published(rigs[1].channels))
      #expect(rigs[0].events.map { "\($0)" } == rigs[1].events.map { "\($0)" })
      #expect(rigs[0].notes == rigs[1].notes)
      #expect(rigs[0].pulses == rigs[1].pulses)
      #expect(rigs[0].recording == rigs[1].recording)
      for rig in rigs {
        rig.forgetEvents()
        rig.forgetMIDI()
        rig.forgetRecording()
      }
    }
    #expect(rigs[0].quietPeriods > 10_000)
    #expect(rigs[1].quietPeriods == 0)
  }
}
