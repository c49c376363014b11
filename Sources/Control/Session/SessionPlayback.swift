import Engine
import MusicTime
import Realtime
import TimeCheck

/// The open session: its songs, the current one, and the position in it.
///
/// A *part* is a section of the document. It may consist of several sections of the score: a tempo ladder has one for each
/// step.
struct SessionPlayback {
  private(set) var setlist: Setlist
  /// The document that was read again and is not adopted yet; nil if there is none.
  private(set) var reloaded: ReloadedSetlist?
  /// The document's path.
  let path: String
  /// The index of the current song, from 0.
  private(set) var index: Int
  /// The index of each part's first plan.
  private(set) var parts: [Int] = []
  /// Whether it is in the session's first section, or in the count-in before it.
  var isInFirstSection: Bool {
    index == 0 && laps == 0 && (section == 0 || section == 1 && song.plans[parts[0]].isCountIn)
  }
  /// Number of bars of each part; 0 if its length is a time, or if it is open.
  private var partBars: [Int] = []
  /// Whether a part is open: it lasts until the player goes on.
  private(set) var hasOpenPart = false
  /// The first and the last open part; nil if there is none.
  private var openParts: ClosedRange<Int>?
  /// The titles of the songs, and the sections of the current one.
  private(set) var outline = SessionOutline(songs: [], sections: [])
  /// Whether the current song is prepared.
  private(set) var isReady = false
  /// The next song, prepared ahead of time.
  private(set) var upcoming: PreparedSong?
  /// The number of songs that were prepared ahead; identifies `upcoming`.
  private(set) var upcomingNumber = 0
  /// The automatic start that is awaited; nil if there is none.
  private(set) var start: AwaitedStart?
  /// The current part, from 0, and its bar, from 1; 0 before it begins.
  private(set) var section = 0
  private(set) var bar = 0
  /// The index of the current plan, or of the last one that played.
  private(set) var plan = 0
  /// The bar that sounded before the current one, and when it ended; nil if none did, or if it was one of a count-in.
  private var earlier: (bar: BarRange.Bar, end: Instant)?
  /// Number of times that a song without end has returned from the end of its last section.
  private(set) var laps = 0
  /// Whether the last song has ended.
  private(set) var isFinished = false
  /// The jump to a part that is under way; nil if there is none.
  private var jump: Jump?
  /// How the song's playback differs from its document.
  private(set) var rendition = Rendition()
  /// The part of the nudge that has been written into the document. The rendition loses it when the document has been read
  /// again.
  private var keptNudge = 0
  private(set) var repeats = SessionRepeats()
  /// Replaces what the setlist says about the end of the song; nil: the setlist applies.
  private var after: AfterSong?
  /// The warnings that have already been reported.
  private var warned: Set<String> = []
  private(set) var isPaused = false
  /// Whether the session is at the bar where an earlier run ended, and the engine has not played since.
  private(set) var isOffered = false
  /// The place where it was stopped; nil if it has moved since.
  private(set) var left: SessionPlace?
  /// The user's settings for the voice; nil until they have been read once.
  private var voice: VoicePreferences?

  /// A jump to a part that is under way.
  private struct Jump {
    let part: Int
    /// The number of rounds that it adds in a song without end; negative if it goes back.
    let turns: Int
    /// Whether it goes to the loop, and not to a part that the player has asked for.
    let isToLoop: Bool
  }

  /// The target part of a jump that is under way; nil if there is none.
  var target: Int? { jump?.part }

  /// The target of a jump that the player has asked for; nil if there is none.
  var requested: Int? { jump.flatMap { $0.isToLoop ? nil : $0.part } }

  init(_ setlist: Setlist, at place: SessionPlace) {
    self.setlist = setlist
    path = place.path
    index = 0
    select(SessionPlayback.song(at: place, in: setlist))
    section = min(max(place.section, 0), parts.count - 1)
    stand(at: place)
  }

  /// Continues at the place of an earlier run, as after a pause. Values are clamped, because the document may have changed
  /// since.
  private mutating func stand(at place: SessionPlace) {
    if let loop = song.loopStart, parts[section] >= loop {
      laps = min(max(place.lap, 0), SessionPlayback.mostLaps)
    }
    let end = section + 1 < parts.count ? parts[section + 1] : song.plans.count
    guard place.section == section, place.bar > 0, !song.plans[parts[section]].isCountIn else { return }
    plan = parts[section] + min(max(place.step, 0), end - 1 - parts[section])
    let last = song.plans[plan].bars ?? Position.bars.upperBound
    bar = bars(inPart: section, before: plan) + min(place.bar, max(1, last))
    (isPaused, isOffered) = (true, true)
  }

  /// More rounds than any song plays. Limits the song's time in frames.
  private static let mostLaps = 1_000_000

  /// The index of the song at a place, from 0.
  static func song(at place: SessionPlace, in setlist: Setlist) -> Int {
    min(max(place.song, 0), setlist.songs.count - 1)
  }

  /// Goes to the start of another song, which is not prepared yet.
  mutating func select(_ index: Int) {
    // The rendition belongs to the song: another song plays as its document says.
    if index != self.index { (rendition, keptNudge) = (Rendition(), 0) }
    self.index = index
    (isReady, isPaused, repeats, upcoming, start, after) = (false, false, SessionRepeats(), nil, nil, nil)
    rewind()
    layOut()
  }

  /// Derives the parts and the outline of the song.
  private mutating func layOut() {
    let plans = song.plans
    hasOpenPart = plans.contains(where: \.isOpen)
    parts = plans.indices.filter(song.beginsPart)
    let open = parts.indices.filter { isOpen(part: $0) }
    openParts = open.first.map { $0...open[open.count - 1] }
    partBars = parts.indices.map { part in
      if let counted = plans[parts[part]].counted { return counted.bars }
      var sum = 0
      // Accessed by index, because copying a plan takes long.
      for plan in parts[part]..<(part + 1 < parts.count ? parts[part + 1] : plans.count) {
        guard !plans[plan].isOpen, let bars = plans[plan].bars else { return 0 }
        sum += bars
      }
      return sum
    }
    outline = SessionOutline(setlist, song: song, parts: parts, bars: partBars)
    earlier = nil
  }

  /// Goes to the song's start. The next run offers the place where it was stopped.
  mutating func stop() {
    let place = place
    rewind()
    left = place
  }

  /// Goes to the song's start.
  mutating func rewind() {
    (section, bar, plan, jump) = (0, 0, 0, nil)
    (laps, isFinished, isOffered, left) = (0, false, false, nil)
  }

  /// Marks the session as finished. The next start plays the last song again.
  mutating func finish() {
    rewind()
    isFinished = true
  }

  // MARK: Reloading

  /// Keeps a document that was read again until it can be adopted.
  mutating func keep(reloaded: ReloadedSetlist) { self.reloaded = reloaded }

  /// Notes that a song has been prepared.
  /// - Returns: whether it is the current song of the document that was read again.
  mutating func noteReady(reloaded song: PreparedSong) -> Bool {
    guard let reloaded, reloaded.song == song.plan, song.plan != self.song else { return false }
    self.reloaded?.ready = song
    return true
  }

  /// Notes that the current song has changed too much to continue at a part.
  mutating func noteMisfit(ofReloaded part: Int) { reloaded?.misfit = part }

  /// Continues in the document that was read again.
  /// - Parameter part: the index of the current part in the new document.
  mutating func adopt(_ reloaded: ReloadedSetlist, part: Int) {
    let isSame = reloaded.song == song
    if reloaded.song.nudge != song.nudge {
      // A nudge that is now part of the document must not apply twice.
      rendition.nudge -= keptNudge
      keptNudge = 0
    }
    (setlist, index, self.reloaded) = (reloaded.setlist, reloaded.index, nil)
    if let upcoming, isLast || setlist.songs[index + 1].song != upcoming.plan { keep(upcoming: nil) }
    left = nil
    layOut()
    guard !isSame else { return }
    // Its bars may have changed.
    if repeats.loop != nil || repeats.mark != nil { repeats.hold(false) }
    if part != section {
      (section, bar, plan) = (part, 0, parts[part])
    } else {
      // A tempo ladder may have fewer steps than before.
      plan = min(plan, (part + 1 < parts.count ? parts[part + 1] : song.plans.count) - 1)
    }
  }

  // MARK: Position

  /// Notes a beat that sounds at an instant.
  /// - Returns: whether the part has changed, or the song has begun again after a stop.
  mutating func note(_ beat: Event.Beat, at time: Instant) -> Bool {
    let before = bar > 0 ? here : nil
    defer {
      if here != before {
        earlier = before.flatMap { song.plans[$0.section].isCountIn ? nil : ($0, time) }
      }
    }
    if beginsLap(beat) { laps += 1 }
    (isFinished, isOffered) = (false, false)
    let part = part(of: beat.section)
    bar =
      song.plans[beat.section].counted?.bar ?? bars(inPart: part, before: beat.section) + beat.sectionBar
    let hasMoved = part != section
    (section, plan) = (part, beat.section)
    if hasMoved || (part == target && bar == 1 && reported(beat).beat == 1) {
      if let jump, part == jump.part { laps += jump.turns }
      jump = nil
    }
    defer { left = nil }
    return hasMoved || left != nil
  }

  /// The bar that sounded at an instant of the current bar or of the one before it. Earlier ones are forgotten.
  func bar(at time: Instant) -> BarRange.Bar {
    if let earlier, time < earlier.end { earlier.bar } else { here }
  }

  /// Whether the current bar is one of these.
  func plays(_ range: BarRange) -> Bool { bar > 0 && range.first...range.last ~= here }

  /// Whether the music comes to a loop without a jump at the next line: it plays in it, begins in it, or reaches its first bar with the
  /// next bar line. A count-in is played to its end before.
  /// - Parameter isUnderWay: whether the music plays, or is about to.
  func comes(to loop: BarRange, isUnderWay: Bool) -> Bool {
    if isInCountIn {
      return loop.first == BarRange.Bar(section: song.firstPlanOfMusic) || !isUnderWay
        || !isInLastBarOfCountIn
    }
    // An earlier loop may have moved the place at which the music begins.
    guard bar > 0 else { return isUnderWay && repeats.loop == nil && loop.first...loop.last ~= here }
    return plays(loop)
      || isUnderWay && loop.first.section == here.section && loop.first.bar == here.bar + 1
  }

  /// The beat as observers see it: a beat of a spoken count has the place that the voice counts.
  func reported(_ beat: Event.Beat) -> Event.Beat {
    guard song.plans.indices.contains(beat.section), let counted = song.plans[beat.section].counted else {
      return beat
    }
    return beat.counted(bar: counted.bar - counted.bars, beat: counted.beat)
  }

  /// Whether a beat is the first of another round of a song without end.
  private func beginsLap(_ beat: Event.Beat) -> Bool {
    guard let loop = song.loopStart, !repeats.isOn, target == nil, bar > 0 else { return false }
    return plan == song.plans.count - 1 && beat.section == loop && beat.sectionBar == 1 && beat.beat == 1
      && (beat.role == .accent || beat.role == .beat)
  }

  /// Forgets the bar and the round: on a transport, the session has neither.
  mutating func forgetStanding() { (bar, laps, isPaused) = (0, 0, false) }

  /// Notes that the transport is about to roll from a part.
  mutating func stand(atPart part: Int) { (section, bar, jump, left) = (part, 0, nil, nil) }

  /// Makes the next start begin with a part, in place of a jump that waits.
  /// - Parameter turns: number of rounds to add in a song without end.
  mutating func wait(atPart part: Int, turns: Int = 0) {
    (section, bar, left, jump) = (part, 0, nil, nil)
    laps += turns
  }

  /// Notes that a jump to a part is under way.
  /// - Parameters:
  ///   - turns: number of rounds to add in a song without end, relative to an earlier jump that is still under way.
  ///   - isToLoop: whether it goes to the loop.
  mutating func head(forPart part: Int, turns: Int? = nil, isToLoop: Bool = false) {
    jump = Jump(part: part, turns: turns.map { $0 + (jump?.turns ?? 0) } ?? 0, isToLoop: isToLoop)
  }

  /// Notes that no jump to another part is under way any more: a jump within the current part has replaced it, or it was cancelled.
  mutating func stay() { jump = nil }

  // MARK: State

  /// A copy of the session at its place, to be prepared again later.
  func setAside() -> SessionPlayback {
    var aside = self
    (aside.isReady, aside.upcoming, aside.start, aside.jump) = (false, nil, nil, nil)
    return aside
  }

  /// Marks the current song as prepared.
  mutating func becomeReady() { isReady = true }

  /// Stores the next song; nil drops it.
  mutating func keep(upcoming song: PreparedSong?) {
    upcoming = song
    upcomingNumber += 1
  }

  /// Sets the awaited start; nil cancels it.
  mutating func awaitStart(_ start: AwaitedStart?) { self.start = start }

  mutating func pause() { isPaused = true }
  mutating func resume() { isPaused = false }
  mutating func hold(_ holds: Bool) { repeats.hold(holds) }
  mutating func loop(_ range: BarRange) { repeats.loop(range) }
  mutating func markLoop(_ bar: BarRange.Bar) { repeats.mark(bar) }
  mutating func change(_ rendition: Rendition) { self.rendition = rendition }
  /// Notes a nudge that has been written into the document, which will be read again.
  mutating func noteKept(nudge: Int) { keptNudge = nudge }

  /// What happens after the current song.
  var afterSong: AfterSong { after ?? setlist.songs[index].after }

  /// Makes the next song follow without a pause, regardless of the setlist.
  mutating func goOnAtOnce() { after = .pause(milliseconds: 0) }

  /// The song that can begin on the frame on which the current one ends; nil if none is prepared.
  var successor: PreparedSong? { isReady ? upcoming : nil }

  /// - Returns: whether a warning has not been reported before; once for each warning.
  mutating func isNews(_ warning: String) -> Bool { warned.insert(warning).inserted }

  /// Stores the user's settings for the voice.
  /// - Returns: whether they have changed.
  mutating func follow(_ voice: VoicePreferences) -> Bool {
    defer { self.voice = voice }
    return self.voice.map { $0 != voice } ?? false
  }

  // MARK: Contents

  var song: SongPlan { setlist.songs[index].song }
  var isLast: Bool { index + 1 == setlist.songs.count }

  /// The part that contains a plan.
  func part(of plan: Int) -> Int {
    var (low, high) = (0, parts.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if parts[middle] <= plan { low = middle } else { high = middle }
    }
    return low
  }

  /// Number of bars of a part; 0 if its length is a time, or if it is open.
  func bars(ofPart part: Int) -> Int { partBars[part] }

  /// Number of bars of a part before one of its plans.
  func bars(inPart part: Int, before plan: Int) -> Int {
    (parts[part]..<max(plan, parts[part])).reduce(0) { $0 + (song.plans[$1].bars ?? 0) }
  }

  func isOpen(part: Int) -> Bool { song.plans[parts[part]].isOpen }

  /// Whether a part before this one is open, so that the time since the song's start is unknown.
  func hasOpenPart(before part: Int) -> Bool { openParts.map { $0.lowerBound < part } ?? false }

  /// Whether this part or a later one is open, so that the time left is unknown.
  func hasOpenPart(from part: Int) -> Bool { openParts.map { part <= $0.upperBound } ?? false }

  /// The coaching of a plan, and its step; nil if the plan is not coached.
  func coaching(of plan: Int) -> (plan: Coach.Plan, place: Coach.Place)? {
    guard song.plans.indices.contains(plan), let coach = song.coaches[song.plans[plan].source],
      !song.plans[plan].isCountIn
    else { return nil }
    let part = part(of: plan)
    let end = part + 1 < parts.count ? parts[part + 1] : song.plans.count
    // Steps that the coach chooses last until the coach leaves them. Other steps, such as those of a random tempo, pass while
    // the player works for the goal.
    guard song.plans[parts[part]].isOpen else {
      return (coach, Coach.Place(section: part, step: 0, steps: 1))
    }
    return (coach, Coach.Place(section: part, step: plan - parts[part], steps: end - parts[part]))
  }

  /// The layout of a plan's bar as it is counted; nil if there is no such plan.
  func layout(ofPlan plan: Int) -> BarLayout? {
    song.plans.indices.contains(plan) ? song.plans[plan].counted?.layout ?? song.plans[plan].layout : nil
  }

  func name(ofPart part: Int) -> String { song.plans[parts[part]].name }

  /// The round through the document's sections that contains a part, from 1.
  func cycle(ofPart part: Int) -> Int {
    guard song.cycles > 0 else { return laps + 1 }
    let countIn = song.firstPlanOfMusic
    let round = (song.plans.count - countIn) / song.cycles
    return max(0, parts[part] - countIn) / max(round, 1) + 1
  }

  /// The part that follows; nil if the song ends.
  func part(after part: Int) -> Int? {
    if part + 1 < parts.count { return part + 1 }
    let loop = song.loopStart.map { self.part(of: $0) }
    // An open tempo ladder loops by itself; going on leaves it.
    return isOpen(part: part) && loop == part ? nil : loop
  }

  /// The previous part, and the rounds to add: in a song without end, the first part follows the last one.
  func part(before part: Int) -> (part: Int, turns: Int) {
    let isLater = laps + (jump?.turns ?? 0) > 0
    guard let loop = song.loopStart, isLater, part == self.part(of: loop) else {
      return (max(0, part - 1), 0)
    }
    return (parts.count - 1, -1)
  }

  /// The name of what follows a part: a section or a song; empty if nothing follows.
  func nextName(after part: Int) -> String {
    if let next = self.part(after: part) { return name(ofPart: next) }
    return isLast ? "" : setlist.songs[index + 1].song.title
  }
}

/// An automatic start: when a song is ready, or when the pause between two songs ends.
struct AwaitedStart {
  /// The clock frame of the start; `earliest` starts as soon as the song is ready.
  let frame: ClockFrame
  /// Whether the command has been sent to the engine.
  var isSent = false
}

extension SectionPlan {
  /// Number of bars; nil if the length is a time or open.
  var bars: Int? {
    switch length {
    case .bars(let bars): bars
    case .beats(let beats): (Rational(beats) * layout.beatUnit.length / layout.meter.barLength).roundedUp
    case .milliseconds, .open: nil
    }
  }
}
