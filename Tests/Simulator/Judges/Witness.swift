import MusicTime
import OSC
import OSCControl

/// Receives the program's reports and its sound, and judges each by the other.
struct Witness {
  /// Parameters that move onsets.
  private static let timing: Set = [
    "tempo", "meter", "beat-unit", "swing", "groups", "accents", "gap", "role", "toggle", "session", "hold",
    "loop", "speed", "song/nudge", "song/gap",
    "song", "profile", "quantise", "leader", "link",
  ]
  /// Those of them that do not change the music's position.
  private static let tempos: Set = ["tempo", "swing", "accents", "groups", "gap", "quantise", "profile"]
  var subscriber = Subscriber()
  private(set) var onsets = OnsetJudge()
  private(set) var sound = SoundJudge()
  private(set) var pulses = PulseJudge()
  private(set) var notes = NoteJudge()
  private var loudness = Loudness()
  private var tape: [SoundJudge.Period] = []
  /// Since when nothing has changed that a follower must detect.
  private var steadySince: UInt64 = 0
  private var order = BeatOrder()
  private(set) var session = SessionOrder()
  private(set) var countIn = CountInJudge()
  private(set) var hold = HoldJudge()
  private var gaps = Gaps()
  /// When the last gap ends. A change that is reported during a gap waits for a line after it.
  private var gapEnd: UInt64 = 0
  /// When the server last continued after a hang.
  private var hangEnd: UInt64 = 0
  /// Until when the music may still be moved by requests with a date.
  private var movesUntil: UInt64 = 0
  /// Until when a change of meter may still be made: one that waits for a line, or that of another leader.
  private var waitsUntil: UInt64 = 0
  /// Nanoseconds of a bar, as reported.
  private(set) var barTime: UInt64 = 0
  private var beatsInBar = 4
  private var line = LineWait()
  private var role = "free"
  private var isSession = false
  /// Whether bars of this song may have repeated, so that the reported bars include completed rounds.
  private var countsRounds = false
  /// When a beat, or a reason for its absence, was last noticed.
  private var lastSign: UInt64 = 0
  private(set) var beatCount = 0
  private(set) var nearCount = 0
  private(set) var startCount = 0
  /// When the first beat must leave the speakers; nil if that is unknown.
  private var startDate: UInt64?
  var orderCount: Int { order.judged }
  private(set) var preRoll = PreRollJudge()
  /// Whether sound can't be judged, because pending sound was lost with a server.
  private var deafUntil: UInt64 = 0

  // MARK: Events

  /// Notes a new life of the program.
  mutating func beginLife(at time: UInt64) {
    subscriber.forget()
    sound.forget()
    notes.forget()
    pulses.restart(isNewLife: true)
    tape = []
    loudness.forget()
    unsettle(at: time, for: 1_000_000_000)
    deafUntil = time + 500_000_000
    startDate = nil
    line.forget()
    countsRounds = false
  }

  /// Notes an event that may move onsets.
  /// - Parameters:
  ///   - moves: whether the music's position may change.
  ///   - waits: whether it waits for a line.
  ///   - keepsCount: whether machines have been told of it, so that they still count the music's pulses.
  mutating func unsettle(
    at time: UInt64, for span: UInt64, moves: Bool = true, waits: Bool = false, keepsCount: Bool = false
  ) {
    var duration = span
    if moves {
      duration = line.move(at: time, for: span)
      order.forget()
      preRoll.forget()
      movesUntil = max(movesUntil, time + duration)
    }
    onsets.unsettle(until: time + duration)
    session.forget()
    if moves, !keepsCount {
      pulses.forget()
      if waits { waitsUntil = max(waitsUntil, time + duration) }
    } else {
      pulses.skip()
    }
    steadySince = max(steadySince, time + duration)
    lastSign = max(lastSign, time + duration)
    if waits { line.begin(at: time, for: span) }
  }

  /// Notes missed cycles, which may include the line for which a change waits.
  /// - Parameter delay: from the start of a cycle to its sound.
  mutating func noteGap(_ frames: Range<Int64>, at time: UInt64, for duration: UInt64, delay: UInt64) {
    gaps.note(frames)
    gapEnd = time + duration
    preRoll.forget(begunBefore: gapEnd + delay)
    preRoll.noteGap()
    // What was to begin begins later.
    if time < steadySince { unsettle(at: time, for: steadySince - time + duration) }
    excuseSilence(at: gapEnd)
    // The end of a count may have been missed: the music begins with the transport, and its first beat late.
    if time < line.range.until || preRoll.isCounting { unsettle(at: time, for: duration + 1_000_000_000) }
  }

  /// Notes an event that may end a count, also one whose first beat is not heard yet.
  /// - Parameter delay: from the event to the sound of the last cycle that does not know it.
  mutating func endCount(at time: UInt64, delay: UInt64) { preRoll.forget(begunBefore: time + delay) }

  /// Notes that the leader of the transport has left: when the program takes its place, it counts again for a transport that waits.
  mutating func noteLeaderLeft(at time: UInt64, isRolling: Bool) {
    unsettle(at: time, for: 1_000_000_000)
    waitsUntil = max(waitsUntil, time + 2_000_000_000)
    if !isRolling { preRoll.forget(begunBefore: time + 1_000_000_000) }
  }

  /// Notes that a dated change that may move the music follows: a count that begins before it may begin again. One that begins
  /// with it may begin half a frame earlier.
  mutating func noteDatedChange(due time: UInt64) { preRoll.forget(begunBefore: time - 1_000_000) }

  /// Expects a pre-roll if a deed starts music that stands undisturbed, and none if it moves a transport that rolls with the
  /// music. The role after the deed must be one in which Tactus decides when the music begins.
  mutating func expectPreRoll(_ deed: Deed, _ server: SimulatedServer) {
    preRoll.expect(isCounted: nil)
    let role = deed.role ?? role
    guard ["free", "lead"].contains(role), server.leader != .other, server.now > steadySince, !isSession,
      server.hasClient, server.state == .up
    else { return }
    switch (deed.transportDeed, subscriber.integer("toggle")) {
    case (.start, 0) where hasPreRoll && (role == "lead" ? server.isStopped : !deed.startsTransport):
      preRoll.expect(isCounted: true)
    case (.move, 1) where server.isRolling && preRoll.hasBegun: preRoll.expect(isCounted: false)
    default: break
    }
  }

  /// Notes that a transport may end its wait for a count too soon, until a time.
  mutating func noteShortWait(until time: UInt64) { preRoll.unsettle(until: time) }

  /// Notes that there is a server again. Changes that waited for a line when it was lost wait for the next one.
  /// - Parameter delay: from the start of a cycle to its sound.
  mutating func noteServer(at time: UInt64, delay: UInt64) {
    unsettle(at: time, for: 1_000_000_000 + delay + line.longest, waits: line.isOn)
  }

  /// Notes that no frames pass until a time.
  mutating func noteHang(until end: UInt64) { hangEnd = max(hangEnd, end) }

  mutating func record(_ period: SoundJudge.Period) { tape.append(period) }

  /// Drops the recording, which was lost with the server.
  mutating func loseTape() {
    tape = []
    notes.forget()
    pulses.restart(isNewLife: false)
  }

  // MARK: Judging

  /// Judges all reports and all sound up to a turn.
  mutating func judge(_ scene: Scene) throws(Fault) {
    noteChanges(scene)
    if let what = hold.judge(heldSection(scene.document), at: scene.now) {
      throw Fault(promise: .onsets, what: what)
    }
    for period in tape { for pulse in period.pulses { pulses.receive(pulse) } }
    // Machines that were placed before such a change do not count its pulses.
    if scene.now < waitsUntil { pulses.forget() }
    var begins: [[Begin]] = tape.map { _ in [] }
    for beat in subscriber.beats {
      beatCount += 1
      guard let frame = scene.server.clockFrame(soundingAt: beat.time),
        let rendered = scene.server.time(of: frame)
      else { continue }
      if beat.role != .subdivision { lastSign = max(lastSign, scene.now) }
      let exact = onsets.judged
      var pulse: LayerJudge.Known?
      if beat.layer > 0 {
        pulse = try judgeLayer(beat, frame, rendered, scene)
      } else if let what = judge(beat, frame, rendered, scene) {
        throw Fault(promise: .onsets, what: what)
      }
      if let what = judgePulses(beat, frame, isExact: onsets.judged > exact) {
        throw Fault(promise: .midi, what: what)
      }
      if let index = tape.firstIndex(where: { $0.clock <= frame && frame < $0.clock + Int64($0.frames) }) {
        begins[index].append(begin(beat, pulse, offset: Int(frame - tape[index].clock)))
      } else if scene.now >= deafUntil {
        throw Fault(
          promise: .sound, what: "a beat is reported at frame \(frame), which was not played just before")
      }
    }
    subscriber.beats = []
    guard !tape.isEmpty else { return }
    let bounds = bounds(scene)
    for (period, begins) in zip(tape, begins) {
      let what = sound.judge(period, begins.map(\.clip), bounds)
      if let what, scene.now >= deafUntil { throw Fault(promise: .sound, what: what) }
      let clicks = begins.filter { $0.clip.strength > 0 }.map { begin in
        // While the mix is silent, no notes are sent.
        let (bus, mix) = (bounds.buses[begin.clip.port], bounds.master)
        return NoteJudge.Click(
          frame: period.clock + Int64(begin.clip.offset), number: begin.note,
          volume: (mix.lowerBound > 0 ? bus.lowerBound : 0)...(mix.upperBound > 0 ? bus.upperBound : 0))
      }
      let wrong = notes.judge(period.notes, clicks, from: period.clock)
      if let wrong, scene.now >= deafUntil { throw Fault(promise: .midi, what: wrong) }
    }
    tape = []
  }

  /// A clip that begins in a period, and its note; nil: any note.
  private struct Begin {
    let clip: SoundJudge.Begin
    let note: UInt8?
  }

  /// - Parameter pulse: the known properties of a pulse; nil for a beat, or if they are unknown.
  private func begin(_ beat: Subscriber.Beat, _ pulse: LayerJudge.Known?, offset: Int) -> Begin {
    guard beat.layer > 0 else {
      let clip = SoundJudge.Begin(
        offset: offset, port: Int(beat.role.rawValue), strength: beat.strength,
        shape: ClipLibrary.shape[beat.role]!)
      return Begin(clip: clip, note: UInt8(subscriber.integer("notes/\(beat.role.name)") ?? 0))
    }
    let role = pulse?.isAccent == false ? ClickRole.beat : .accent
    var clip = SoundJudge.Begin(
      offset: offset, port: SoundJudge.roleCount + beat.layer - 1, strength: beat.strength,
      shape: ClipLibrary.shape[role]!)
    if let pulse {
      clip.level = pulse.sound.flatMap(ClipLibrary.level(of:)).map { $0...$0 }
    } else {
      (clip.low, clip.level) = (ClipLibrary.shape[.beat], Loudness.levels)
    }
    return Begin(clip: clip, note: pulse?.note)
  }

  private mutating func judgeLayer(
    _ pulse: Subscriber.Beat, _ frame: Int64, _ rendered: UInt64, _ scene: Scene
  ) throws(Fault) -> LayerJudge.Known? {
    guard LayerPattern.numbers ~= pulse.layer else {
      throw Fault(promise: .onsets, what: "a pulse of layer \(pulse.layer) is reported, which is never set")
    }
    guard role == "free" || role == "lead" else { return nil }
    switch onsets.judge(pulse: pulse, frame: frame, rendered: rendered, gaps) {
    case .success(let known): return known
    case .failure(let wrong): throw Fault(promise: .onsets, what: wrong.what)
    case nil: return nil
    }
  }

  private mutating func judge(
    _ beat: Subscriber.Beat, _ frame: Int64, _ rendered: UInt64, _ scene: Scene
  ) -> String? {
    if let what = judgeStart(beat, scene) { return what }
    if role == "free" || role == "lead" {
      // The server lets a transport roll after 70 seconds.
      if role == "lead", barTime > 60_000_000_000 { preRoll.forget() }
      if !isSession, let fault = preRoll.judge(beat, bars: preRollBars, of: beatsInBar) { return fault }
      if role == "free", isSession, let document = scene.document, document.countIn > 0, !hasPreRoll,
        let fault = countIn.judge(
          beat, frame: frame, beats: document.sections[0].notes, rendered: rendered, gaps)
      {
        return fault
      }
      // The count-in has its own grid, in which only beats sound.
      if beat.isCounted {
        order.forget()
        return nil
      }
      if onsets.needsGrid || onsets.layers.needsCourse { useGrid(scene) }
      if role == "free", !isSession, beat.role != .subdivision {
        let delay = 100_000_000 + 6 * scene.server.periodTime + line.longest
        // A beat during a possible movement of the music does not determine the next one.
        if rendered < movesUntil {
          order.forget()
        } else if let fault = order.judge(beat, frame: frame, beats: beatsInBar, gaps, delay: delay) {
          return fault
        }
      }
      return onsets.judge(beat, frame: frame, rendered: rendered, gaps)
    }
    // While beats are counted, the transport does not roll yet.
    guard beat.role != .subdivision, beat.role != .cue, !beat.isCounted else { return nil }
    // A session publishes its beat in each cycle; a leader or a machine must be observed for a while.
    let patience = role == "link" ? 100_000_000 : 8_000_000_000 + 4 * barTime
    guard rendered > steadySince + patience,
      let distance = scene.distance(frame, role, beatNote(scene.document))
    else {
      session.forget()
      return nil
    }
    nearCount += 1
    guard distance.off <= distance.limit else {
      return
        "beat \(beat.bar).\(beat.beat) is \(distance.off / 1e6) ms off the beat that it follows (\(role)), "
        + "may be \(distance.limit / 1e6) ms"
    }
    guard let number = distance.beat else { return nil }
    return session.judge(number, frame: frame, gaps)
  }

  /// Judges the MIDI clock by a beat on its exact frame.
  private mutating func judgePulses(_ beat: Subscriber.Beat, _ frame: Int64, isExact: Bool) -> String? {
    guard beat.role != .subdivision, beat.role != .cue else { return nil }
    guard isExact, let meter = onsets.meter else {
      pulses.skip()
      return nil
    }
    return pulses.judge(
      PulseJudge.Beat(
        frame: frame, bar: beat.bar, beat: beat.beat, meter: meter, barsAreAlike: !isSession), gaps)
  }

  /// The note of the program's beats.
  private func beatNote(_ document: Document?) -> TimeSources.BeatNote {
    guard !isSession else {
      let units = Set((document?.sections ?? []).map(\.unit))
      return units.count == 1 ? .fixed(units.first!) : .other
    }
    guard subscriber.integer("beat-unit") == 0, let note = subscriber.integer("meter", 1) else {
      return .other
    }
    return .meter(note)
  }

  /// Judges whether a start with a date sounds on its frame.
  private mutating func judgeStart(_ beat: Subscriber.Beat, _ scene: Scene) -> String? {
    guard let date = startDate, beat.role != .subdivision else { return nil }
    startDate = nil
    startCount += 1
    let late = Int64(bitPattern: beat.time &- date)
    // A start whose frame was missed happens when the cycles continue.
    if late > 0, let frame = scene.server.clockFrame(soundingAt: date), gaps.contain(frame),
      beat.time < gapEnd + 1_000_000_000
    {
      return nil
    }
    // While the server hangs, no frames pass: a start whose frame should have been rendered then, or in the cycle after the hang, in
    // which a new client begins, happens when the cycles continue.
    let rendered = scene.server.delay + scene.server.periodTime
    if late > 0, date < hangEnd + rendered, beat.time < hangEnd + rendered + 1_000_000_000 { return nil }
    let off = abs(Double(late))
    return off <= 0.75e9 / Double(scene.server.rate) + 1_000
      ? nil : "the first beat is \(off / 1e6) ms off the date of its start"
  }

  /// Bars that are counted before the music begins, as it is reported; nil if seconds decide. A minute is the most, or one bar.
  private var preRollBars: Int? {
    guard (subscriber.number("pre-roll/seconds") ?? 0) == 0 else { return nil }
    let most = barTime > 0 ? max(1, Int(60_000_000_000 / barTime)) : .max
    return subscriber.integer("pre-roll").map { min($0, most) }
  }

  /// Whether bars are counted before the music begins.
  var hasPreRoll: Bool {
    (subscriber.integer("pre-roll") ?? 0) > 0 || (subscriber.number("pre-roll/seconds") ?? 0) > 0
  }

  /// Expects the first beat at an instant; nil: expects none.
  mutating func expectStart(at time: UInt64?) {
    let isStanding = subscriber.integer("toggle") == 0 && role == "free" && !isSession && !hasPreRoll
    startDate = isStanding ? time : nil
  }

  /// Notes an event that may end a document's count-in.
  mutating func endCountIn(_ settle: UInt64, at time: UInt64) { countIn.unsettle(until: time + settle) }

  /// Notes an event that may end a hold, or move the music to another section, perhaps at a bar line.
  mutating func endHold(_ settle: UInt64, at time: UInt64) {
    hold.unsettle(until: time + settle + 2 * barTime)
  }

  /// Allows a volume that was sent with a date.
  mutating func expectVolume(_ message: Deed.Message, until time: UInt64) {
    loudness.expectVolume(message, until: time)
  }

  /// Allows a fade-out.
  mutating func expectFade(until time: UInt64) { loudness.expectFade(until: time) }

  /// Whether clicks have been missing for too long.
  mutating func isSilentTooLong(_ scene: Scene) -> Bool {
    guard let beat = longestPause(scene) else {
      excuseSilence(at: scene.now)
      return false
    }
    return scene.now > lastSign + beat + 2_000_000_000 + 3 * scene.server.periodTime
  }

  /// The longest time between two beats, in nanoseconds; nil if nothing must sound.
  private func longestPause(_ scene: Scene) -> UInt64? {
    guard subscriber.integer("toggle") == 1, scene.server.state == .up, scene.server.hasClient else {
      return nil
    }
    // A transport, machine or session plays on after the end of a song.
    guard role == "free" || !isSession else { return nil }
    let rolls = scene.server.isRolling
    switch role {
    case "free": return subscriber.beatTime
    // A leader that counts bars as beats is detected after one bar.
    case "follow": return rolls ? max(subscriber.beatTime, scene.leaderBar) + 2_000_000_000 : nil
    case "lead": return rolls && scene.server.leader == .program ? subscriber.beatTime : nil
    case "midi-clock": return scene.machineWhole.map { UInt64(Double($0) * subscriber.beatWholes) }
    // Another start waits for the session's next bar.
    case "link": return scene.isLinkPlaying ? barTime : nil
    default: return nil
    }
  }

  /// Notes a reason for silence.
  mutating func excuseSilence(at time: UInt64) { lastSign = max(lastSign, time) }

  // MARK: Reports

  private mutating func noteChanges(_ scene: Scene) {
    guard !subscriber.changed.isEmpty else { return }
    let names = subscriber.changed
    subscriber.changed = []
    loudness.note(subscriber, at: scene.now)
    (role, isSession) = (subscriber.text("role") ?? "free", subscriber.isSession)
    let settle = 100_000_000 + 3 * scene.server.periodTime
    if names.contains("sound"), line.isOn { line.begin(at: scene.now, for: 1_000_000_000 + line.longest) }
    if names.contains("session") || names.contains("song") { countsRounds = false }
    if subscriber.integer("hold") == 1 || (subscriber.integer("loop") ?? 0) > 0 { countsRounds = true }
    if names.contains(where: { $0.hasPrefix("layer/") }) {
      onsets.unsettleLayers(until: max(scene.now, gapEnd) + settle + line.longest)
      if line.isOn { line.begin(at: scene.now, for: settle + line.longest) }
    }
    if names.contains(where: { $0.hasPrefix("pre-roll") }) { preRoll.forget() }
    // The music may have begun the next section.
    if names.contains("hold") { hold.unsettle(until: max(scene.now, gapEnd) + settle) }
    if names.contains("section/number"), subscriber.integer("hold") == 1 {
      onsets.unsettle(until: max(scene.now, gapEnd) + settle + line.longest)
    }
    if names.contains("toggle"), subscriber.integer("toggle") == 0 { preRoll.noteStop() }
    if names.contains("meter") { pulses.noteMeter() }
    // A role that changes in a count leaves only the rest of it to be judged.
    if !names.isDisjoint(with: ["meter", "beat-unit", "role"]) {
      preRoll.forget(begunBefore: scene.now + settle + scene.server.delay)
    }
    guard names.contains(where: { Witness.timing.contains($0) || $0.hasPrefix("subdivision/") })
    else { return }
    let before = barTime
    beatsInBar = max(subscriber.pattern.map { ExactBar($0, rate: 48_000).onsets.count { $0.isBeat } } ?? 4, 1)
    barTime = subscriber.barTime(scene.document, beats: beatsInBar)
    let waits = subscriber.text("quantise") != "now" || isSession || names.contains("quantise")
    line.note(waits: waits, bars: (before, barTime), at: scene.now, settle: 900_000_000 + settle)
    order.change(to: subscriber.beatTime, at: scene.now)
    // Pending changes wait for the line, too.
    let moves =
      !names.allSatisfy { Witness.tempos.contains($0) || $0.hasPrefix("subdivision/") }
      || names.contains("quantise") && scene.now < movesUntil
    // A start is reported after it has happened.
    let isStart = names.subtracting(["toggle"]).isDisjoint(with: Witness.timing)
    unsettle(
      at: max(scene.now, gapEnd), for: settle + line.longest, moves: moves, waits: line.isOn,
      keepsCount: isStart)
    // The source of the time may have to be detected first.
    if names.contains("role") || names.contains("toggle") {
      excuseSilence(at: scene.now + 1_000_000_000 + line.longest)
    }
  }

  /// The allowed sound in the cycles since the last turn.
  private mutating func bounds(_ scene: Scene) -> SoundJudge.Bounds {
    loudness.bounds(
      at: scene.now, periodTime: scene.server.periodTime,
      rendered: tape.first.flatMap { scene.server.time(of: $0.clock) }, waiting: line.range,
      soundWait: soundWait)
  }

  /// Nanoseconds for which other sounds may wait for a line; it may be another leader's, with longer bars.
  private var soundWait: UInt64 {
    role == "free" || !line.isOn ? line.longest : line.longest + 60_000_000_000
  }

  private mutating func useGrid(_ scene: Scene) {
    var course: OnsetJudge.Course
    let rate = scene.server.rate
    if isSession {
      guard let document = scene.document, let speed = subscriber.integer("speed") else { return }
      let nudge = Int(((subscriber.number("song/nudge") ?? 0) * 1_000).rounded())
      course = OnsetJudge.Course(grid: ExactGrid(document, speed: speed, nudge: nudge, rate: rate))
      // The player may have silenced bars of it.
      course.judgesStrength = !document.isMap && subscriber.integer("song/gap", 1) == 0
      course.countsRounds = countsRounds
      course.loop = loop(document) ?? heldBars(document)
    } else {
      guard let pattern = subscriber.pattern else { return }
      course = OnsetJudge.Course(grid: ExactGrid(pattern, layers: subscriber.layers, rate: rate))
      course.judgesStrength = subscriber.integer("gap", 1) == 0
    }
    var layers = course.grid.layers(loop: course.loop, rate: rate)
    (layers.judgesStrength, layers.countsRounds) = (course.judgesStrength, course.countsRounds)
    // Other layers do not change the places of the beats.
    if onsets.needsGrid { onsets.use(course) }
    onsets.use(layers)
  }

  /// The number of the section that is held, as reported; nil if none is, or in a count-in, which is not held.
  private func heldSection(_ document: Document?) -> Int? {
    guard let document, subscriber.integer("hold") == 1, let number = subscriber.integer("section/number"),
      number > (document.countIn > 0 ? 1 : 0)
    else { return nil }
    return number
  }

  /// The bars of the section that is held, as reported; nil if none is, or in a count-in, which is not held.
  private func heldBars(_ document: Document) -> ClosedRange<Int>? {
    guard let number = heldSection(document) else { return nil }
    return document.bar(1, ofSection: number)...document.bar(1, ofSection: number + 1) - 1
  }

  /// The bars that repeat, as reported.
  private func loop(_ document: Document) -> ClosedRange<Int>? {
    let reported = (0..<4).compactMap { subscriber.integer("loop", $0) }
    guard reported.count == 4, reported[0] > 0, reported[2] > 0 else { return nil }
    let first = document.bar(reported[1], ofSection: reported[0])
    return first...max(first, document.bar(reported[3], ofSection: reported[2]))
  }
}
