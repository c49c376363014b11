import MIDI
import MusicTime
import Realtime
import Synchronization

/// The engine: takes scores and commands in, renders periods, hands events out. The same kernel runs in the process
/// callback, writes files and runs through days in tests.
///
/// One thread at a time may call it; none of its methods waits.
public struct Kernel: ~Copyable {
  let channels: UnsafePointer<Channels>
  var playhead: Playhead
  var isRolling = false

  private var voices = VoicePool()
  private(set) var gains: KernelGains
  private var agenda = Agenda()
  var programme: ProgrammeState

  /// The clock frame that follows the last period.
  private var expectedClock: Int64?
  /// What must be added to a clock frame for a frame of the timeline: in `free` the timeline is the clock, elsewhere the
  /// transport's frames.
  var shift: Int64 = 0
  /// The role under which the timeline was laid.
  var timelineRole: TransportRole = .free
  /// The transport frame that follows the last period.
  var expectedFrame: Int64 = 0
  /// Where `start` begins, in `free`.
  private(set) var entry = Playhead.Entry(.start)
  private var pendingJump: PendingJump?

  /// Cycles that have rolled in `lead` since the transport last asked where it is.
  var untoldCycles = 0
  var tracker = LeaderTracker()
  var ticks = TickCount()
  var clockIn: ClockInput
  var noteSender = NoteSender()
  var clockSender = ClockSender()
  var linkBars = LinkBars()

  /// - Parameters:
  ///   - channels: the lines to the control side.
  ///   - first: the first programme, owned by the kernel from here on: its change is what plays.
  public init(_ channels: UnsafePointer<Channels>, _ first: UnsafePointer<Programme>) {
    self.channels = channels
    programme = ProgrammeState(first)
    let score = first.pointee.change!
    playhead = Playhead(score)
    gains = KernelGains(score.pointee.gains)
    timelineRole = score.pointee.role
    clockIn = ClockInput(sampleRate: score.pointee.sampleRate)
  }

  deinit {
    Programme.free(programme.playing)
    if programme.newest != programme.playing { Programme.free(programme.newest) }
  }

  /// Frames until the last clip that sounds has ended.
  var longestVoice: Int { voices.longest }

  /// Renders one period.
  /// - Parameter outputs: each with room for the period's frames.
  /// - Thread: audio
  @_noLocks
  public mutating func render(_ cycle: Cycle, into outputs: Outputs) {
    outputs.clear(cycle.frames)
    if let control = cycle.control { passOn(control, from: cycle.clock) }
    // Commands first: what was published before one of them is then seen with it.
    takeCommands(at: cycle.clock)
    takeProgramme(at: cycle.clock)
    if changesAtOnce { makeChanges(at: cycle.clock) }
    guard cycle.sampleRate == nil || cycle.sampleRate == playhead.score.pointee.sampleRate else {
      // A score for the new rate is on its way. What passes until then is time that was missed.
      return channels.pointee.clock.store(cycle.clock + Int64(cycle.frames), ordering: .relaxed)
    }
    layTimeline(cycle)
    openClock(cycle)

    let notes = outputs.notes.map { MIDILine($0, from: cycle.clock) }
    let pulses = outputs.clock.map { MIDILine($0, from: cycle.clock) }
    var offset = 0
    while offset < cycle.frames {
      let clock = cycle.clock + Int64(offset)
      perform(at: clock)
      beginOnsets(at: clock, notes)
      let end = Int(min(Int64(cycle.frames), nextMoment(after: clock) - cycle.clock))
      mix(outputs, offset..<end, at: clock)
      if let notes { noteSender.release(before: cycle.clock + Int64(end), on: notes) }
      if let pulses { sendClock(clock..<cycle.clock + Int64(end), on: pulses) }
      offset = end
    }

    expectedClock = cycle.clock + Int64(cycle.frames)
    if isRolling { expectedFrame += Int64(cycle.frames) }
    channels.pointee.transportFrame.store(expectedFrame, ordering: .relaxed)
    let place =
      FrameTime(frame: timelineFrame(at: cycle.clock + Int64(cycle.frames))).raw - playhead.origin.raw
    // A transport that stands still may be moved too.
    if isRolling || timelineRole != .free {
      channels.pointee.scoreFrame.store(FrameTime(raw: place).nearestFrame, ordering: .relaxed)
    }
    channels.pointee.clock.store(cycle.clock + Int64(cycle.frames), ordering: .relaxed)
    let sounding = max(voices.longest, noteSender.longest(after: cycle.clock + Int64(cycle.frames)))
    channels.pointee.sounding.store(sounding, ordering: .relaxed)
    channels.pointee.oldestClips.store(
      voices.oldestGeneration(newest: playhead.score.pointee.generation), ordering: .releasing)
  }

  @_noLocks
  mutating func moveGains(to score: UnsafePointer<Score>, at clock: Int64) {
    gains.move(to: score.pointee.gains, at: clock, length: score.pointee.rampLength)
  }

  /// Passes on what controllers sent.
  @_noLocks
  private func passOn(_ control: MIDIBuffer, from clock: Int64) {
    for index in 0..<control.count {
      let event = MIDIEvent(control[index].message, at: clock + Int64(control[index].offset))
      if !channels.pointee.controls.push(event) {
        channels.pointee.droppedControls.wrappingAdd(1, ordering: .relaxed)
      }
    }
  }

  // MARK: Moments

  @_noLocks
  private mutating func takeCommands(at clock: Int64) {
    // No more than a ring holds, so that a producer that never rests can't keep the cycle from its end.
    for _ in 0..<Agenda.capacityDue {
      guard let command = channels.pointee.commands.pop() else { return }
      if !agenda.insert(command, at: clock) {
        channels.pointee.droppedCommands.wrappingAdd(1, ordering: .relaxed)
      }
    }
  }

  /// The next clock frame at which something may happen; later than `clock`.
  @_noLocks
  private func nextMoment(after clock: Int64) -> Int64 {
    var moment = agenda.nextFrame
    if isRolling, playhead.nextFrame != .max { moment = min(moment, playhead.nextFrame - shift) }
    moment = min(moment, min(changeFrame, clockIn.nextFrame))
    if let frame = jumpFrame { moment = min(moment, frame) }
    return max(moment, clock + 1)
  }

  /// Does what is due at a clock frame or was before.
  @_noLocks
  private mutating func perform(at clock: Int64) {
    makeChanges(at: clock)
    if let frame = jumpFrame, frame <= clock { performJump() }
    hearClock(at: clock)
    while let action = agenda.take(dueAt: clock) {
      if timelineRole == .midiClock { heed(action, at: clock) }
      guard timelineRole == .free else { continue }
      switch action {
      case .start: start(at: clock)
      case .stop: stop(at: clock)
      case .pause: pause(at: clock)
      case .locate(let position): locate(position, at: clock)
      case .jump(let section, let quantise): jump(to: section, quantise, at: clock)
      case .hold(let holds): playhead.holdsSection = holds
      }
    }
  }

  @_noLocks
  private mutating func start(at clock: Int64) {
    guard !isRolling else { return }
    playhead.enter(at: entry, on: clock)
    setRolling(true, at: clock)
  }

  @_noLocks
  private mutating func stop(at clock: Int64) {
    entry = Playhead.Entry(.start)
    pendingJump = nil
    setRolling(false, at: clock)
  }

  /// Stops where it is; `start` goes on from there.
  @_noLocks
  private mutating func pause(at clock: Int64) {
    guard isRolling else { return }
    entry = playhead.entry(at: timelineFrame(at: clock))
    setRolling(false, at: clock)
  }

  @_noLocks
  private mutating func jump(to section: Int, _ quantise: Quantise, at clock: Int64) {
    guard section >= 0, section < playhead.score.pointee.sections.count else { return }
    if !isRolling {
      entry = Playhead.Entry(Position(bar: playhead.score.pointee.sections[section].firstBar, beats: 0))
    } else if quantise == .now {
      playhead.jump(to: section, at: FrameTime(frame: clock))
      clockSender.move()
    } else {
      pendingJump = PendingJump(section: section, quantise: quantise)
    }
  }

  /// A jump that waits for a beat or bar line.
  private struct PendingJump: BitwiseCopyable {
    let section: Int
    let quantise: Quantise
  }

  /// The clock frame of the line for which a jump waits.
  private var jumpFrame: Int64? {
    @_noLocks get {
      guard let pendingJump, isRolling else { return nil }
      return playhead.boundary(pendingJump.quantise).frame - shift
    }
  }

  @_noLocks
  private mutating func performJump() {
    guard let pendingJump else { return }
    self.pendingJump = nil
    playhead.jump(to: pendingJump.section, at: playhead.boundary(pendingJump.quantise).time)
  }

  @_noLocks
  private mutating func locate(_ position: Position, at clock: Int64) {
    if isRolling {
      playhead.anchor(position, at: FrameTime(frame: clock))
      clockSender.move()
    } else {
      entry = Playhead.Entry(position)
    }
  }

  @_noLocks
  mutating func setRolling(_ rolling: Bool, at clock: Int64) {
    guard rolling != isRolling else { return }
    isRolling = rolling
    tell(rolling ? .started(clock) : .stopped(clock))
  }

  @_noLocks
  func tell(_ event: Event) {
    if !channels.pointee.events.push(event) {
      channels.pointee.droppedEvents.wrappingAdd(1, ordering: .relaxed)
    }
  }

  // MARK: Sound

  @_noLocks
  private mutating func beginOnsets(at clock: Int64, _ notes: MIDILine?) {
    while isRolling, playhead.nextFrame <= clock + shift {
      if channels.pointee.isEnding.load(ordering: .relaxed) { return playhead.rest() }
      if playhead.isAtEnd { return finish(at: clock) }
      let (onset, section) = (playhead.onset, playhead.section)
      if playhead.isAtSectionStart, let cue = section.cue {
        begin(cue, .cue, gain: section.gains.cue)
        beginNote(.cue, strength: section.gains.cue, at: clock, on: notes)
        tell(.beat(beat(.cue, strength: 1, at: clock)))
      }
      let isSilent = section.silence.isSilent(bar: playhead.sectionBar)
      let strength = isSilent ? 0 : onset.strength * section.gains[onset.role]
      if strength > 0 {
        begin(section.clips.samples(onset.role), onset.role, gain: strength)
        beginNote(onset.role, strength: strength, at: clock, on: notes)
      }
      tell(.beat(beat(onset.role, strength: strength, at: clock)))
      playhead.advance()
    }
  }

  @_noLocks
  private mutating func begin(_ samples: UnsafeBufferPointer<Float>, _ role: Role, gain: Float) {
    let generation = playhead.score.pointee.generation
    if !voices.begin(samples, role: role, gain: gain, generation: generation) {
      channels.pointee.droppedClips.wrappingAdd(1, ordering: .relaxed)
    }
  }

  /// The next onset as an event.
  @_noLocks
  private func beat(_ role: Role, strength: Float, at clock: Int64) -> Event.Beat {
    Event.Beat(
      frame: clock, bar: playhead.shownBar, beat: playhead.onset.beat + 1, section: playhead.sectionIndex,
      sectionBar: playhead.sectionBar, role: role, strength: strength)
  }

  /// The score is over. A transport may roll on; nothing more begins there.
  @_noLocks
  private mutating func finish(at clock: Int64) {
    playhead.rest()
    tell(.finished(clock))
    if timelineRole == .free { stop(at: clock) }
  }

  @_noLocks
  private mutating func mix(_ outputs: Outputs, _ range: Range<Int>, at clock: Int64) {
    guard voices.count > 0 else { return }
    let roles = voices.mix(into: outputs, from: range.lowerBound, frames: range.count)
    if roles.contains(.accent) { sum(.accent, outputs, range, at: clock) }
    if roles.contains(.beat) { sum(.beat, outputs, range, at: clock) }
    if roles.contains(.subdivision) { sum(.subdivision, outputs, range, at: clock) }
    if roles.contains(.cue) { sum(.cue, outputs, range, at: clock) }
    gains.master.apply(to: outputs.out + range.lowerBound, count: range.count, at: clock)
  }

  /// Adds a role at its volume to the mix.
  @_noLocks
  private func sum(_ role: Role, _ outputs: Outputs, _ range: Range<Int>, at clock: Int64) {
    let bus = outputs[role] + range.lowerBound
    gains[role].apply(
      to: bus, addingTo: outputs.out + range.lowerBound, count: range.count, at: clock)
  }

  /// Frames that passed without a cycle before this one.
  @_noLocks
  func missedFrames(before clock: Int64) -> Int64 {
    guard let expectedClock else { return 0 }
    return clock - expectedClock
  }
}
