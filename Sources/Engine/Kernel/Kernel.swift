import MIDI
import MusicTime
import Realtime
import Synchronization

/// The engine: takes scores and commands, renders periods, reports events. The same kernel runs in the process callback,
/// renders files, and simulates days in tests.
///
/// It consists of values that own their state: the time source, the playback, the pre-roll, the layers, the mixer, the MIDI
/// output, the pulses, the timecode, the delays, and two queues from the conductor. The kernel itself defines the order in which
/// they act.
///
/// One thread at a time may call it; no method blocks.
package struct Kernel: ~Copyable {
  private let channels: UnsafePointer<Channels>
  private var updates: ScoreUpdates
  private var commands = CommandQueue()
  private var source: TimeSource
  private(set) var playback: Playback
  private var mixer: Mixer
  private var midi = MIDIOut()
  private var pulses = PulseOut()
  private var timecode = TimecodeOut()
  private var layers = LayerHeads()
  private var preRoll = PreRoll()
  private var delays = DelayLines()
  private var forecast: Forecast
  /// The frames after the last period in which no onset, change or command is due; nil if one may be due in the next period.
  private(set) var quiet: QuietSpan?
  /// Whether the transport rolled in the last cycle in which it was not starting. A stop in missed cycles is not seen.
  private var transportRolls = false
  private var lastBeat = LastBeat()

  /// - Parameters:
  ///   - channels: the connections to the conductor; they must outlive the kernel.
  ///   - first: the first update, owned by the kernel from now on. It must have a change, which plays first.
  /// - Thread: control
  package init(_ channels: UnsafePointer<Channels>, _ first: UnsafePointer<ScoreUpdate>) {
    self.channels = channels
    let score = first.pointee.change!  // The first update has one, as said above.
    updates = ScoreUpdates(first, channels)
    source = TimeSource(score)
    playback = Playback(score, channels)
    forecast = Forecast(playback.playhead, channels)
    mixer = Mixer(score.pointee.gains)
  }

  /// Frames until the last sounding clip has ended.
  var longestVoice: Int { mixer.longest }

  /// Renders one period.
  /// - Parameter outputs: each with room for the period's frames.
  /// - Thread: audio
  @_noLocks
  package mutating func render(_ cycle: Cycle, into outputs: Outputs) {
    outputs.clear(cycle.frames)
    if let quiet, isQuiet(quiet, in: cycle, outputs) {
      renderQuietly(cycle, outputs, quiet)
    } else {
      renderFully(cycle, outputs)
    }
    if !cycle.transport.isStarting { transportRolls = cycle.transport.isRolling }
  }

  // Not inline, so that quiet periods (almost all) do not load its code.
  @_noLocks
  @inline(never)
  private mutating func renderFully(_ cycle: Cycle, _ outputs: Outputs) {
    leaveQuiet()
    // Commands first: an update that was published before one of them is then seen together with it.
    commands.receive(from: channels, at: cycle.clock)
    if let change = updates.receive() { moveGains(to: change, at: cycle.clock) }
    if !updates.isIdle, changesAtOnce { makeChanges(at: cycle.clock) }
    let end = cycle.clock + Int64(cycle.frames)
    guard cycle.sampleRate == nil || cycle.sampleRate == playback.score.pointee.sampleRate else {
      return skip(cycle)
    }
    let late = source.open(cycle, &playback)
    if !preRoll.isIdle { openPreRoll(cycle) }
    midi.open(outputs, cycle, playback.score, enters: late > 0)
    pulses.open(outputs, cycle, playback.score)
    timecode.open(outputs, cycle, playback.score)
    if late > 0 { enter(within: late, at: cycle.clock) }
    var (clock, moment) = (cycle.clock, cycle.clock)
    while clock < end {
      perform(at: clock)
      if preRollFrame <= clock { count(at: clock) }
      beginOnsets(at: clock)
      beginLayers(at: clock)
      moment = nextMoment(after: clock)
      let next = min(end, moment)
      mixer.mix(into: outputs, Int(clock - cycle.clock)..<Int(next - cycle.clock), at: clock)
      midi.send(clock..<next, playback, source, isEnding: isEnding)
      pulses.send(clock..<next, playback, source, isEnding: isEnding)
      timecode.send(clock..<next, playback, isEnding: isEnding)
      clock = next
    }
    pulses.close(outputs)
    timecode.close()
    if cycle.latencies.delays.isAny || delays.isActive {
      let compensates = playback.score.pointee.latency.compensates
      delays.apply(compensates ? cycle.latencies.delays : PortDelays(), to: outputs, frames: cycle.frames)
    }
    playback.timeline.end(cycle)
    if !forecast.isIdle { lookAhead(from: end) }
    publish(cycle, outputs, next: nextEvent(after: end - 1, moment))
    quiet = quietSpan(after: cycle, outputs, until: moment)
  }

  /// Renders nothing, because the cycle has another sample rate than the score. A score for that rate will arrive; until then
  /// the cycles count as missed. Only a MIDI clock is still followed, and a transport that does not roll stops the music.
  @_noLocks
  @inline(never)
  private mutating func skip(_ cycle: Cycle) {
    source.listen(cycle, playback)
    if preRoll.interrupt(cycle) { playback.report(.stopped(cycle.clock)) }
    if playback.score.pointee.role.isOnTransport, !cycle.transport.isRolling {
      playback.setRolling(false, at: cycle.clock)
    }
    channels.pointee.clock.store(cycle.clock + Int64(cycle.frames), ordering: .relaxed)
  }

  // MARK: Quiet periods

  /// Whether nothing happens in a period.
  @_noLocks
  @inline(__always)
  private mutating func isQuiet(_ quiet: QuietSpan, in cycle: Cycle, _ outputs: Outputs) -> Bool {
    // `goesOn` comes last: if it returns true, the cycle counts as opened.
    quiet.contains(cycle, channels) && outputs.pulses == nil && outputs.timecode == nil
      && source.goesOn(in: cycle, playback)
  }

  /// Renders a period in which nothing happens, with the same result as `renderFully`.
  @_noLocks
  @inline(__always)
  private mutating func renderQuietly(_ cycle: Cycle, _ outputs: Outputs, _ quiet: QuietSpan) {
    let end = cycle.clock + Int64(cycle.frames)
    let isSounding = mixer.isSounding || quiet.notesEnd > cycle.clock
    mixer.mix(into: outputs, 0..<cycle.frames, at: cycle.clock)
    if end > quiet.restEnd { sendMessages(cycle, outputs) }
    playback.timeline.end(cycle)
    self.quiet!.pass()
    // The next event stays, and the position advances by whole frames.
    let score = channels.pointee.scoreFrame.load(ordering: .relaxed) + Int64(cycle.frames)
    channels.pointee.scoreFrame.store(score, ordering: .relaxed)
    publishTransport()
    channels.pointee.clock.store(end, ordering: .relaxed)
    if isSounding || end > quiet.restEnd { publishSounding(at: end) }
  }

  // Not inline, so that most quiet periods do not load its code.
  @_noLocks
  @inline(never)
  private mutating func sendMessages(_ cycle: Cycle, _ outputs: Outputs) {
    let end = cycle.clock + Int64(cycle.frames)
    passRest()
    midi.open(outputs, cycle, playback.score, enters: false)
    midi.send(cycle.clock..<end, playback, source, isEnding: false)
    quiet!.noteMessages(
      restEnd: midi.restEnd(at: end, playback), notesEnd: end + Int64(midi.longest(after: end)))
    publishSent(outputs)
  }

  /// The frames after a period in which no onset, change or command is due.
  /// - Parameter moment: the clock frame at which one may be due.
  @_noLocks
  private func quietSpan(after cycle: Cycle, _ outputs: Outputs, until moment: ClockFrame) -> QuietSpan? {
    let end = cycle.clock + Int64(cycle.frames)
    guard source.isSteady(playback, at: cycle.clock), !isEnding, preRoll.isIdle, forecast.isIdle,
      !delays.isActive, outputs.pulses == nil, outputs.timecode == nil, !cycle.transport.isStarting,
      (cycle.sampleRate ?? playback.score.pointee.sampleRate) == playback.score.pointee.sampleRate
    else { return nil }
    return QuietSpan(
      after: cycle, until: moment, restEnd: midi.restEnd(at: end, playback),
      notesEnd: end + Int64(midi.longest(after: end)), reportsSubdivisions: reportsSubdivisions)
  }

  /// Makes the next period be rendered in full.
  @_noLocks
  mutating func leaveQuiet() {
    passRest()
    quiet = nil
  }

  /// Tells the MIDI output that nothing was due until now.
  @_noLocks
  private mutating func passRest() {
    if let quiet, quiet.restEnd != .earliest { midi.rest(until: quiet.next) }
  }

  @_noLocks
  @inline(never)
  private mutating func lookAhead(from end: ClockFrame) {
    // A change on a beat or bar line does not move the beat on that line.
    let line = lineFrame == .never ? .never : lineFrame + 1
    let change = min(min(commands.nextFrame, updates.nextScheduled?.frame ?? .never), line)
    forecast.look(
      playback, from: end, until: min(change, source.nextFrame(playback)), isEnding: isEnding)
  }

  /// The position at a frame of the transport, for the timebase callback, which runs after `render`.
  /// - Parameters:
  ///   - frame: of the transport; wraps at 2³².
  ///   - back: the position is computed for this many frames earlier.
  /// - Thread: audio
  @_noLocks
  package mutating func barBeatTick(at frame: UInt32, back: Int64 = 0) -> BarBeatTick {
    source.barBeatTick(at: frame, back: back, &playback)
  }

  // MARK: What happens when

  /// Performs what is due at or before a clock frame.
  @_noLocks
  private mutating func perform(at clock: ClockFrame) {
    makeChanges(at: clock)
    source.perform(at: clock, &playback)
    channels.pointee.isMIDIClockRolling.store(source.isMIDIClockRolling(at: clock), ordering: .relaxed)
    if preRollFrame <= clock { startAfterPreRoll(at: clock) }
    while let action = commands.take(dueAt: clock, successions: updates.successions) {
      if beginsPreRoll(action, at: clock) { continue }
      if case .placeMachines(let frame) = action { midi.placeMachines(connectedAt: frame) }
      if source.handle(action, at: clock, &playback) {
        midi.move()
        pulses.move()
        timecode.move()
      }
    }
  }

  /// The next clock frame at which something may happen; later than `clock`.
  @_noLocks
  private func nextMoment(after clock: ClockFrame) -> ClockFrame {
    max(min(nextOnset, nextChange), clock + 1)
  }

  /// The next clock frame at which the music or a layer wants to act.
  private var nextOnset: ClockFrame {
    @_noLocks get {
      let onset = playback.nextOnset
      guard layers.nextFrame != .never, playback.timeline.isRolling else { return onset }
      return min(onset, playback.timeline.clock(of: layers.nextFrame))
    }
  }

  /// The next clock frame at which something may have to be reported; later than `clock`.
  /// - Parameter moment: the next one at which something may happen.
  @_noLocks
  @inline(__always)
  private func nextEvent(after clock: ClockFrame, _ moment: ClockFrame) -> ClockFrame {
    if reportsSubdivisions { return max(moment, clock + 1) }
    guard playback.nextOnset != .never, !playback.playhead.isAtEnd,
      playback.playhead.cursor.onset.role == .subdivision
    else { return max(min(playback.nextOnset, nextChange), clock + 1) }
    return max(min(playback.nextLine(.beat), nextChange), clock + 1)
  }

  /// The next clock frame at which something other than an onset may happen.
  private var nextChange: ClockFrame {
    @_noLocks
    @inline(__always)
    get { min(min(min(commands.nextFrame, preRollFrame), changeFrame), source.nextFrame(playback)) }
  }

  // MARK: Scores

  /// Whether the update's change needs no beat or bar line.
  private var changesAtOnce: Bool {
    @_noLocks get {
      guard let next = updates.change else { return false }
      return next.pointee.quantise == .now || !playback.timeline.isRolling
        || next.pointee.sampleRate != playback.score.pointee.sampleRate
        || next.pointee.role != playback.score.pointee.role || source.missesLines(playback)
    }
  }

  /// The clock frame of the next change; `never` if there is none.
  private var changeFrame: ClockFrame {
    @_noLocks
    @inline(__always)
    get { updates.isIdle ? .never : pendingChangeFrame }
  }

  private var pendingChangeFrame: ClockFrame {
    @_noLocks
    @inline(never)
    get { min(lineFrame, updates.nextScheduled?.frame ?? .never) }
  }

  /// The clock frame of the update's own change.
  private var lineFrame: ClockFrame {
    @_noLocks get {
      guard let next = updates.change else { return .never }
      return changesAtOnce ? .earliest : playback.nextLine(next.pointee.quantise)
    }
  }

  /// Makes all changes that are due at or before a clock frame.
  @_noLocks
  private mutating func makeChanges(at clock: ClockFrame) {
    if changeFrame <= clock { makeDueChanges(at: clock) }
  }

  // Not inline, so that periods without a change, almost all, don't set up its stack frame.
  @_noLocks
  @inline(never)
  private mutating func makeDueChanges(at clock: ClockFrame) {
    while changeFrame <= clock, updates.hasRoom {
      if let change = updates.change, lineFrame <= updates.nextScheduled?.frame ?? .never {
        // If no line follows, the last one may be long past, and all onsets since then would begin now.
        let waits = !changesAtOnce && !playback.playhead.isOver(at: playback.timeline.frame(at: clock))
        let line = waits ? playback.playhead.boundary(change.pointee.quantise) : nil
        makeChange(to: change, at: clock, on: line)
        updates.finishChange(keepsPast: source.keepsPast)
      } else if let next = updates.nextScheduled?.score {
        makeChange(to: next, at: clock, on: nil)
        updates.finishScheduled(keepsPast: source.keepsPast)
      }
    }
  }

  @_noLocks
  private mutating func makeChange(
    to next: UnsafePointer<Score>, at clock: ClockFrame, on line: Playhead.Boundary?, keepsGains: Bool = false
  ) {
    let changesSource = next.pointee.role != playback.score.pointee.role
    if changesSource { preRoll.changeRole() }
    let frame = playback.timeline.frame(at: clock)
    let time = line?.time ?? playback.playhead.instant(at: frame)
    let before = playback.playhead.pulses(at: time)
    // Just before it: at a line, the tempo of the section that ends.
    let length =
      playback.playhead.keepsTime(in: next)
      ? nil : playback.playhead.pulseLength(at: time - FrameDuration(raw: 1))
    let staysInPiece = next.pointee.piece == playback.score.pointee.piece
    let bar = line?.position.bar ?? playback.playhead.position(at: time).bar
    source.carry(to: next, inBar: bar, at: frame, playback)
    let countsAgain = preRoll.adopt(next, at: clock, playback.playhead)
    if let line { playback.playhead.adopt(next, at: line) } else { playback.playhead.adopt(next, at: frame) }
    if !staysInPiece { source.beginPiece(&playback) }
    source.followAgain(at: clock, &playback)
    if playback.timeline.isRolling, staysInPiece {
      let after = playback.playhead.pulses(at: time)
      let change = ClockSender.Change(
        time: time, old: before, new: after, length: length, changesSource: changesSource)
      midi.carry(over: change)
      pulses.carry(over: change)
    }
    if !keepsGains { moveGains(to: next, at: clock) }
    if countsAgain { countAgain(at: clock) }
  }

  @_noLocks
  private mutating func moveGains(to score: UnsafePointer<Score>, at clock: ClockFrame) {
    mixer.move(
      to: score.pointee.gains, at: clock, length: score.pointee.rampLength, fade: score.pointee.fade)
  }

  // MARK: Pre-roll

  /// The next clock frame at which the pre-roll wants to act; `never` if there is none.
  private var preRollFrame: ClockFrame {
    @_noLocks
    @inline(__always)
    get { preRoll.isIdle ? .never : pendingPreRollFrame }
  }

  // Not inline: it copies the pre-roll.
  private var pendingPreRollFrame: ClockFrame {
    @_noLocks
    @inline(never)
    get { preRoll.nextFrame }
  }

  /// Decides whether a transport may roll.
  /// - Parameters:
  ///   - next: the clock frame at which it would roll.
  ///   - frame: the transport's frame from which it would roll.
  /// - Returns: whether it may, because the pre-roll has been counted or there is none.
  /// - Thread: audio
  @_noLocks
  package mutating func letsTransportRoll(at next: ClockFrame, from frame: UInt32) -> Bool {
    leaveQuiet()
    let score = playback.score
    let isOn = score.pointee.preRoll.isOn && score.pointee.role.isOnTransport && !isEnding
    let isChangePending = !channels.pointee.scoreUpdates.isEmpty || changeFrame < next
    return preRoll.letsRoll(
      wasRolling: transportRolls, isOn: isOn, isChangePending: isChangePending, at: next, from: frame)
  }

  /// Forgets what the transport did, because it is another server's.
  /// - Thread: control, while no callback runs
  package mutating func forgetTransport() { transportRolls = false }

  @_noLocks
  @inline(never)
  private mutating func openPreRoll(_ cycle: Cycle) {
    let advance = playback.score.pointee.latency.advance(cycle.latencies)
    switch preRoll.open(cycle, advance: advance, playback) {
    case .none: break
    case .begun: playback.report(.started(cycle.clock))
    // Beats that the pre-roll has counted do not begin again.
    case .rolled(let isCounted): if isCounted { lastBeat.count(at: cycle.clock) }
    case .stopped: playback.report(.stopped(cycle.clock))
    case .expiring: playback.report(.holdExpires(cycle.clock))
    }
  }

  /// - Returns: whether the command needs no further handling, because the music starts after a pre-roll.
  @_noLocks
  private mutating func beginsPreRoll(_ action: Command.Action, at clock: ClockFrame) -> Bool {
    switch action {
    case .countIn:
      if preRoll.isCounting { return true }
      guard let entry = source.entry(playback) else { return false }
      return preRoll.begin(at: entry, clock: clock, playback.playhead)
    case .start, .stop, .pause: if preRoll.isCountingInFree { preRoll.reset() }
    case .stopAtBar:
      guard preRoll.isCountingInFree else { break }
      preRoll.reset()
      playback.report(.stoppedAtBar(clock))
      return true
    case .locate, .jump:
      guard preRoll.isCountingInFree else { break }
      _ = source.handle(action, at: clock, &playback)
      countAgain(at: clock)
      return true
    case .cancelJump, .repeats, .placeMachines, .endAtBar: break
    }
    return false
  }

  /// Counts before the new position from which the music is to start.
  @_noLocks
  private mutating func countAgain(at clock: ClockFrame) {
    guard let entry = source.entry(playback) else { return }
    guard !preRoll.begin(at: entry, clock: clock, playback.playhead) else { return }
    _ = source.handle(.start, at: clock, &playback)
  }

  @_noLocks
  @inline(never)
  private mutating func startAfterPreRoll(at clock: ClockFrame) {
    guard !preRoll.holdsTransport, preRoll.end <= clock else { return }
    let (end, isInFree) = (preRoll.end, preRoll.isCountingInFree)
    preRoll.reset()
    guard isInFree else { return }
    _ = source.handle(.start, at: end, &playback)
    // The end may lie in missed cycles.
    if end < clock { playback.skipGap(to: playback.timeline.frame(at: clock)) }
  }

  /// Begins the beats of the pre-roll that are due.
  @_noLocks
  @inline(never)
  private mutating func count(at clock: ClockFrame) {
    while let beat = preRoll.take(dueAt: clock, playback.playhead) {
      if isEnding { return preRoll.reset() }
      let onset = beat.onset
      let strength = onset.strength * beat.section.gains.buses[onset.role]
      lastBeat.count(at: clock)
      if strength > 0 {
        let clip = beat.section.clips.clip(onset.role, beat: onset.beat, bar: beat.sectionBar)
        begin(clip, onset.role, strength: strength, at: clock)
      }
      var beat = Event.Beat(
        frame: clock, bar: beat.shownBar, beat: onset.beat + 1,
        section: beat.sectionIndex, sectionBar: beat.sectionBar, role: onset.role, strength: strength)
      beat.isPreRoll = true
      channels.pointee.report(.beat(beat))
    }
  }

  // MARK: Onsets

  @_noLocks
  private mutating func beginOnsets(at clock: ClockFrame) {
    while playback.nextOnset <= clock {
      if isEnding { return playback.playhead.deactivate() }
      if playback.playhead.isAtEnd {
        if !source.hasCut { beginLayers(at: clock) }
        finish(at: clock)
        continue
      }
      beginOnset(at: clock)
      playback.playhead.advance()
    }
  }

  /// Begins the playhead's onset.
  @_noLocks
  @inline(__always)
  private mutating func beginOnset(at clock: ClockFrame) {
    let (onset, section) = (playback.playhead.cursor.onset, playback.playhead.cursor.section)
    if onset.role != .subdivision { lastBeat.begin(playback.playhead.nextTime.nearestFrame, at: clock) }
    if playback.playhead.cursor.isAtSectionStart, let cue = section.cue {
      begin(cue, .cue, strength: section.gains.buses.cue, at: clock)
      report(.cue, strength: 1, at: clock)
    }
    let strength = playback.playhead.strength
    if strength > 0 {
      let bar = playback.playhead.cursor.sectionBar
      begin(
        section.clips.clip(onset.role, beat: onset.beat, bar: bar), onset.role, strength: strength, at: clock)
    }
    if onset.role != .subdivision || reportsSubdivisions { report(onset.role, strength: strength, at: clock) }
  }

  /// Begins the last beat late if it lies at most `frames` before this position: the transport started or jumped there only
  /// now. The MIDI clock's pulses of these frames are in time if they are sent when clicks are heard.
  @_noLocks
  private mutating func enter(within frames: Int64, at clock: ClockFrame) {
    midi.send(clock - frames..<clock, playback, source, isEnding: isEnding)
    pulses.enter(at: clock)
    pulses.send(clock - frames..<clock, playback, source, isEnding: isEnding)
    let here = playback.playhead
    let frame = playback.timeline.frame(at: clock)
    guard here.nextFrame != .never else { return }
    playback.playhead.seek(backTo: frame - frames)
    var late: Playhead?
    while playback.playhead.nextFrame < frame, !playback.playhead.isAtEnd {
      if playback.playhead.cursor.onset.role != .subdivision { late = playback.playhead }
      playback.playhead.advance()
    }
    if let late, !lastBeat.hasBegun(late.nextFrame, since: clock - frames, playback) {
      playback.playhead = late
      beginOnset(at: clock)
    }
    playback.playhead = here
  }

  /// Starts a clip and its note.
  @_noLocks
  private mutating func begin(
    _ samples: UnsafeBufferPointer<Float>, _ role: ClickRole, strength: Float, at clock: ClockFrame
  ) {
    let score = playback.score
    if !mixer.begin(samples, role, gain: strength, generation: score.pointee.generation) {
      channels.pointee.droppedClips.wrappingAdd(1, ordering: .relaxed)
    }
    midi.begin(
      score.pointee.notes.numbers[role], level: mixer.level(of: role, strength: strength, at: clock), score,
      at: clock)
  }

  // MARK: Layers

  @_noLocks
  @inline(__always)
  private mutating func beginLayers(at clock: ClockFrame) {
    if playback.score.pointee.hasLayers || layers.isActive { beginPulses(at: clock) }
  }

  // Not inline, so that scores without layers don't set up its stack frame.
  @_noLocks
  @inline(never)
  private mutating func beginPulses(at clock: ClockFrame) {
    guard playback.score.pointee.hasLayers, playback.nextOnset != .never, !isEnding else {
      return layers.deactivate()
    }
    let frame = playback.timeline.frame(at: clock)
    layers.follow(playback.playhead, at: frame)
    // A thousandth of a second is far shorter than any rhythm, and bounds the work of one period.
    let spacing = Int64(playback.score.pointee.sampleRate / 1_000)
    repeat {
      while let pulse = layers.take(dueAt: frame, spacing: spacing) { begin(pulse, at: clock) }
    } while layers.enterNextSection(playback.playhead, at: frame)
  }

  /// Begins a layer's pulse.
  @_noLocks
  private mutating func begin(_ pulse: LayerHeads.Pulse, at clock: ClockFrame) {
    let (layer, score) = (pulse.layer, playback.score)
    let index = layer.rhythm.index
    let isSilent = pulse.section.silence.isSilent(bar: pulse.bar)
    let strength = isSilent ? 0 : pulse.tone.strength * pulse.section.gains.layers[index]
    if strength > 0 {
      if !mixer.begin(
        layer.clips.clip(pulse.tone.role, beat: pulse.number, bar: pulse.bar), layer: index, gain: strength,
        generation: score.pointee.generation)
      {
        channels.pointee.droppedClips.wrappingAdd(1, ordering: .relaxed)
      }
      let level = mixer.level(ofLayer: index, strength: strength, at: clock)
      midi.begin(layer.note, level: level, score, at: clock)
    }
    guard reportsSubdivisions else { return }
    channels.pointee.report(
      .beat(
        Event.Beat(
          frame: clock, bar: pulse.shownBar, beat: pulse.beat, section: pulse.sectionIndex,
          sectionBar: pulse.bar, role: .subdivision, strength: strength, layer: UInt8(index + 1))))
  }

  /// Reports the next onset.
  @_noLocks
  private mutating func report(_ role: ClickRole, strength: Float, at clock: ClockFrame) {
    let beat = playback.playhead.beat(role, strength: strength, at: clock)
    forecast.begin(beat, sampleRate: playback.score.pointee.sampleRate)
    channels.pointee.report(.beat(beat))
  }

  /// Handles the end of the score: its successor begins, or the music ends.
  @_noLocks
  @inline(never)
  private mutating func finish(at clock: ClockFrame) {
    let due = playback.nextOnset
    playback.playhead.deactivate()
    guard let next = successor else {
      playback.report(.finished(clock))
      return source.finish(at: clock, &playback)
    }
    // The end may lie in missed cycles. If it is earlier still, the music was moved past it, and has ended now.
    let end = due >= channels.pointee.clock.load(ordering: .relaxed) ? due : clock
    source.finish(at: end, &playback)
    layers.deactivate()
    playback.playhead.set(.none, at: nil)
    // Volumes that were changed since the successor was published stay.
    makeChange(to: next, at: clock, on: nil, keepsGains: true)
    updates.finishSuccession()
    playback.report(
      .succeeded(
        Event.Succession(frame: end, number: updates.successions, piece: next.pointee.piece)))
    _ = source.handle(.start, at: end, &playback)
    if end < clock { playback.playhead.skipMissed(at: playback.timeline.frame(at: clock)) }
    midi.move()
    pulses.move()
    timecode.move()
  }

  /// The score that may follow at the end of the one that plays; nil if there is none.
  private var successor: UnsafePointer<Score>? {
    @_noLocks get {
      guard source.goesOnAtEnd, updates.hasRoom, let next = updates.successor,
        next.pointee.sampleRate == playback.score.pointee.sampleRate
      else { return nil }
      return next
    }
  }

  // MARK: The control side

  private var reportsSubdivisions: Bool {
    @_noLocks get { channels.pointee.reportsSubdivisions.load(ordering: .relaxed) }
  }

  private var isEnding: Bool { @_noLocks get { channels.pointee.isEnding.load(ordering: .relaxed) } }

  /// Publishes the state after a period.
  /// - Parameter event: the clock frame at which something may have to be reported.
  @_noLocks
  private func publish(_ cycle: Cycle, _ outputs: Outputs, next event: ClockFrame) {
    let end = cycle.clock + Int64(cycle.frames)
    if holdsMessages(cycle.clockIn) {
      channels.pointee.hasReceivedMIDI.store(true, ordering: .relaxed)
    }
    publishSent(outputs)
    publishTransport()
    // A stopped transport may be moved too.
    if playback.timeline.isRolling || !playback.timeline.runsAlways {
      channels.pointee.scoreFrame.store(playback.scoreFrame(at: end), ordering: .relaxed)
    }
    // An event is reported at the start of its period.
    let next = event < .never && cycle.frames > 0 ? event - (event - end) % Int64(cycle.frames) : event
    channels.pointee.nextEvent.store(next, ordering: .relaxed)
    channels.pointee.clock.store(end, ordering: .relaxed)
    publishSounding(at: end)
  }

  @_noLocks
  private func publishSent(_ outputs: Outputs) {
    if holdsMessages(outputs.notes) || holdsMessages(outputs.clock) {
      channels.pointee.hasSentMIDI.store(true, ordering: .relaxed)
    }
  }

  @_noLocks
  private func publishTransport() {
    let timeline = playback.timeline
    channels.pointee.transportFrame.store(timeline.nextFrame.number - timeline.advance, ordering: .relaxed)
  }

  @_noLocks
  private func publishSounding(at end: ClockFrame) {
    channels.pointee.sounding.store(
      max(max(mixer.longest, delays.longest), midi.longest(after: end)), ordering: .relaxed)
    channels.pointee.oldestClips.store(
      mixer.oldestGeneration(newest: playback.score.pointee.generation), ordering: .releasing)
  }

  @_noLocks
  private func holdsMessages(_ buffer: MIDIBuffer?) -> Bool {
    guard let buffer else { return false }
    return buffer.count > 0
  }
}
