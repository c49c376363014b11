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

  var voices = VoicePool()
  private(set) var gains: KernelGains
  var agenda = Agenda()
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
  var entry = Playhead.Entry(.start)
  var pendingJump: PendingJump?

  /// Cycles that have rolled in `lead` since the transport last asked where it is.
  var untoldCycles = 0
  var tracker = LeaderTracker()
  var ticks = TickCount()
  var clockIn: ClockInput
  var noteSender = NoteSender()
  var clockSender = ClockSender()
  var linkBars = LinkBars()

  /// Keeps the kernel where it is: one that could be moved by its bits alone the compiler copies, all two kilobytes, for each
  /// call that only reads it.
  private let pin = Atomic<Bool>(false)

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

    noteMIDI(of: cycle, outputs)
    expectedClock = cycle.clock + Int64(cycle.frames)
    if isRolling { expectedFrame += Int64(cycle.frames) }
    channels.pointee.transportFrame.store(expectedFrame, ordering: .relaxed)
    let place =
      FrameTime(frame: timelineFrame(at: cycle.clock + Int64(cycle.frames))).raw - playhead.origin.raw
    // A transport that stands still may be moved too.
    if isRolling || timelineRole != .free {
      channels.pointee.scoreFrame.store(FrameTime(raw: place).nearestFrame, ordering: .relaxed)
    }
    announceNextEvent(after: cycle)
    channels.pointee.clock.store(cycle.clock + Int64(cycle.frames), ordering: .relaxed)
    let sounding = max(voices.longest, noteSender.longest(after: cycle.clock + Int64(cycle.frames)))
    channels.pointee.sounding.store(sounding, ordering: .relaxed)
    channels.pointee.oldestClips.store(
      voices.oldestGeneration(newest: playhead.score.pointee.generation), ordering: .releasing)
  }

  @_noLocks
  private func announceNextEvent(after cycle: Cycle) {
    let end = cycle.clock + Int64(cycle.frames)
    var next = nextEvent(after: end - 1)
    if next < .max, cycle.frames > 0 { next -= (next - end) % Int64(cycle.frames) }
    channels.pointee.nextEvent.store(next, ordering: .relaxed)
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

  /// Frames that passed without a cycle before this one.
  @_noLocks
  func missedFrames(before clock: Int64) -> Int64 {
    guard let expectedClock else { return 0 }
    return clock - expectedClock
  }
}
