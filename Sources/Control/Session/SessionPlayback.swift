import Engine
import MusicTime
import TimeCheck

/// The open session: its songs, the current one, and the position in it.
///
/// A *part* is a section of the document. It may be several sections of the score: a tempo ladder has one for each step.
struct SessionPlayback {
  private(set) var setlist: Setlist
  /// The document as it was read again; nil if none waits.
  private(set) var reloaded: ReloadedSetlist?
  /// The document's path.
  let path: String
  /// The song that plays, from 0.
  private(set) var index: Int
  /// The plan with which each part begins.
  private(set) var parts: [Int] = []
  /// The bars of each part; 0 if its length is a time, or if it is open.
  private var partBars: [Int] = []
  /// Whether a part is open: it lasts until the player goes on.
  private(set) var hasOpenPart = false
  /// The first and the last open part; nil if there is none.
  private var openParts: ClosedRange<Int>?
  private(set) var labels = SongLabels(SongPlan(title: "", plans: []))
  /// The songs, and the sections of this one.
  private(set) var outline = SessionOutline(songs: [], sections: [])
  /// Whether the song can be played.
  private(set) var isReady = false
  /// The next song, prepared ahead of time.
  private(set) var upcoming: PreparedSong?
  /// The start that comes by itself; nil if there is none.
  private(set) var start: AwaitedStart?
  /// The part that plays, from 0, and its bar, from 1; 0 before it begins.
  private(set) var section = 0
  private(set) var bar = 0
  /// The current plan, or the last one.
  private(set) var plan = 0
  /// How often a song without end has gone back from the end of its last section.
  private(set) var laps = 0
  /// Whether the last song has come to its end.
  private(set) var isFinished = false
  /// The part to which a jump is under way.
  private(set) var target: Int?
  /// The rounds of a song without end by which that jump goes on; negative if it goes back.
  private var turns = 0
  /// How much faster or slower the song is played.
  private(set) var rendition = Rendition()
  /// The part of its nudge that the document has now, and that it is to lose when the document has been read again.
  private var keptNudge = 0
  private(set) var repeats = SessionRepeats()
  /// What happens after the song instead of what its setlist says; nil for the setlist.
  private(set) var after: AfterSong?
  /// The warnings that have been reported.
  private var warned: Set<String> = []
  private(set) var isPaused = false
  /// Whether it stands at a bar where an earlier run has stood, and the engine has not played since.
  private(set) var isOffered = false
  /// Where it was stopped; nil if it has moved since.
  private(set) var left: SessionPlace?
  /// The user's wishes for the voice; nil before they were first looked at.
  private var voice: VoiceWish?

  init(_ setlist: Setlist, at place: SessionPlace) {
    self.setlist = setlist
    path = place.path
    index = 0
    select(SessionPlayback.song(at: place, in: setlist))
    section = min(max(place.section, 0), parts.count - 1)
    stand(at: place)
  }

  /// Stands where an earlier run has stood, as after a pause. The document may have changed since.
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

  /// More rounds than any song goes: their time is a number of frames.
  private static let mostLaps = 1_000_000

  /// The song at a place, from 0.
  static func song(at place: SessionPlace, in setlist: Setlist) -> Int {
    min(max(place.song, 0), setlist.songs.count - 1)
  }

  /// Goes to the start of another song, which is not ready.
  mutating func select(_ index: Int) {
    // The rendition belongs to the song: another song plays as its document says.
    if index != self.index { (rendition, keptNudge) = (Rendition(), 0) }
    self.index = index
    (isReady, isPaused, repeats, upcoming, start, after) = (false, false, SessionRepeats(), nil, nil, nil)
    rewind()
    layOut()
  }

  /// Derives what the song consists of.
  private mutating func layOut() {
    let plans = song.plans
    labels = SongLabels(song)
    hasOpenPart = plans.contains(where: \.isOpen)
    parts = plans.indices.filter(song.beginsPart)
    let open = parts.indices.filter { isOpen(part: $0) }
    openParts = open.first.map { $0...open[open.count - 1] }
    partBars = parts.indices.map { part in
      if let counted = plans[parts[part]].counted { return counted.bars }
      var sum = 0
      // By index, as a plan takes long to copy.
      for plan in parts[part]..<(part + 1 < parts.count ? parts[part + 1] : plans.count) {
        guard !plans[plan].isOpen, let bars = plans[plan].bars else { return 0 }
        sum += bars
      }
      return sum
    }
    outline = SessionOutline(setlist, song: song, parts: parts, bars: partBars)
  }

  /// Goes to the song's start. The next run offers what was played last.
  mutating func stop() {
    let place = place
    rewind()
    left = place
  }

  /// Goes to the song's start.
  mutating func rewind() {
    (section, bar, plan, target) = (0, 0, 0, nil)
    (laps, isFinished, isOffered, left) = (0, false, false, nil)
  }

  /// The last song is over, and the next start begins it again.
  mutating func finish() {
    rewind()
    isFinished = true
  }

  // MARK: Reading it again

  /// Keeps the document as it was read again until it can be taken.
  mutating func keep(reloaded: ReloadedSetlist) { self.reloaded = reloaded }

  /// Notes that a song is ready.
  /// - Returns: whether it is the one that plays, as it was read again.
  mutating func noteReady(reloaded song: PreparedSong) -> Bool {
    guard let reloaded, reloaded.song == song.plan, song.plan != self.song else { return false }
    self.reloaded?.ready = song
    return true
  }

  /// Notes that the document as it was read again has another place for a part.
  mutating func noteMisfit(ofReloaded part: Int) { reloaded?.misfit = part }

  /// Goes on in the document as it was read again.
  /// - Parameter part: where the part is that plays.
  mutating func adopt(_ reloaded: ReloadedSetlist, part: Int) {
    let isSame = reloaded.song == song
    if reloaded.song.nudge != song.nudge {
      // What was moved by hand and is moved by the document now is not moved twice.
      rendition.nudge -= Int((Double(keptNudge * rendition.percent) / 100).rounded())
      keptNudge = 0
    }
    (setlist, index, self.reloaded, upcoming) = (reloaded.setlist, reloaded.index, nil, nil)
    left = nil
    layOut()
    guard !isSame else { return }
    // Its bars may be others.
    if repeats.loop != nil || repeats.mark != nil { repeats.hold(false) }
    if part != section {
      (section, bar, plan) = (part, 0, parts[part])
    } else {
      // A ladder may have fewer steps than before.
      plan = min(plan, (part + 1 < parts.count ? parts[part + 1] : song.plans.count) - 1)
    }
  }

  // MARK: Where it is

  /// Notes a beat that sounded.
  /// - Returns: whether the part has changed, or the song begins again after a stop.
  mutating func note(_ beat: Event.Beat) -> Bool {
    if beginsLap(beat) { laps += 1 }
    (isFinished, isOffered) = (false, false)
    let part = part(of: beat.section)
    bar =
      song.plans[beat.section].counted?.bar ?? bars(inPart: part, before: beat.section) + beat.sectionBar
    let hasMoved = part != section
    (section, plan) = (part, beat.section)
    if hasMoved || (part == target && bar == 1 && beat.beat == 1) {
      if part == target { laps += turns }
      (target, turns) = (nil, 0)
    }
    defer { left = nil }
    return hasMoved || left != nil
  }

  /// A beat as it is told: one that a voice counts is a beat of the bar that it counts.
  func reported(_ beat: Event.Beat) -> Event.Beat {
    guard song.plans.indices.contains(beat.section), let counted = song.plans[beat.section].counted else {
      return beat
    }
    return beat.counted(bar: counted.bar - counted.bars, beat: counted.beat)
  }

  /// Whether a beat is the first of another round through a song without end.
  private func beginsLap(_ beat: Event.Beat) -> Bool {
    guard let loop = song.loopStart, !repeats.isOn, target == nil, bar > 0 else { return false }
    return plan == song.plans.count - 1 && beat.section == loop && beat.sectionBar == 1 && beat.beat == 1
      && (beat.role == .accent || beat.role == .beat)
  }

  /// A transport is at no bar or round that the session could have kept.
  mutating func forgetStanding() { (bar, laps, isPaused) = (0, 0, false) }

  /// The transport is at a part and about to roll.
  mutating func stand(atPart part: Int) { (section, bar, target, left) = (part, 0, nil, nil) }

  /// The next start begins with a part.
  /// - Parameter turns: the rounds of a song without end by which it goes on.
  mutating func wait(atPart part: Int, turns: Int = 0) {
    (section, bar, left) = (part, 0, nil)
    laps += turns
  }

  /// A jump to a part is under way.
  /// - Parameter turns: the rounds of a song without end by which it goes on from where the last jump leads.
  mutating func head(forPart part: Int, turns: Int? = nil) {
    self.turns = turns.map { $0 + (target == nil ? 0 : self.turns) } ?? 0
    target = part
  }

  // MARK: What it does

  /// The session where it stands, to be prepared again.
  func setAside() -> SessionPlayback {
    var aside = self
    (aside.isReady, aside.upcoming, aside.start, aside.target, aside.turns) = (false, nil, nil, nil, 0)
    return aside
  }

  /// The song can be played.
  mutating func becomeReady() { isReady = true }

  /// Keeps the next song, or drops it.
  mutating func keep(upcoming song: PreparedSong?) { upcoming = song }

  /// Sets the start that comes by itself; nil cancels it.
  mutating func awaitStart(_ start: AwaitedStart?) { self.start = start }

  mutating func pause() { isPaused = true }
  mutating func resume() { isPaused = false }
  mutating func hold(_ holds: Bool) { repeats.hold(holds) }
  mutating func loop(_ range: BarRange) { repeats.loop(range) }
  mutating func markLoop() { repeats.mark(here) }
  mutating func change(_ rendition: Rendition) { self.rendition = rendition }
  /// A nudge is in the document now, which is read again.
  mutating func noteKept(nudge: Int) { keptNudge = nudge }

  /// The next song follows without a pause, whatever the setlist says.
  mutating func goOnAtOnce() { after = .pause(milliseconds: 0) }

  /// - Returns: whether a warning has not been reported before.
  mutating func isNews(_ warning: String) -> Bool { warned.insert(warning).inserted }

  /// Takes the user's wishes for the voice.
  /// - Returns: whether they have changed.
  mutating func follow(_ voice: VoiceWish) -> Bool {
    defer { self.voice = voice }
    return self.voice.map { $0 != voice } ?? false
  }

  // MARK: What it consists of

  var song: SongPlan { setlist.songs[index].song }
  var isLast: Bool { index + 1 == setlist.songs.count }

  /// The part of a plan.
  func part(of plan: Int) -> Int {
    var (low, high) = (0, parts.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if parts[middle] <= plan { low = middle } else { high = middle }
    }
    return low
  }

  /// The bars of a part; 0 if its length is a time, or if it is open.
  func bars(ofPart part: Int) -> Int { partBars[part] }

  /// Bars of a part before one of its plans.
  func bars(inPart part: Int, before plan: Int) -> Int {
    (parts[part]..<max(plan, parts[part])).reduce(0) { $0 + (song.plans[$1].bars ?? 0) }
  }

  func isOpen(part: Int) -> Bool { song.plans[parts[part]].isOpen }

  /// Whether a part before this one is open: then nobody knows how long the song has taken up to here.
  func hasOpenPart(before part: Int) -> Bool { openParts.map { $0.lowerBound < part } ?? false }

  /// Whether this part or a later one is open: then nobody knows when the song ends.
  func hasOpenPart(from part: Int) -> Bool { openParts.map { part <= $0.upperBound } ?? false }

  /// How a part is coached, and which of its steps a plan is; nil where nobody is.
  func coaching(of plan: Int) -> (plan: Coach.Plan, place: Coach.Place)? {
    guard song.plans.indices.contains(plan), let coach = song.coaches[song.plans[plan].source],
      !song.plans[plan].isCountIn
    else { return nil }
    let part = part(of: plan)
    let end = part + 1 < parts.count ? parts[part + 1] : song.plans.count
    // Steps that the coach chooses last until it leaves them. Others, as those of a random tempo, go by while a goal is played for.
    guard song.plans[parts[part]].isOpen else {
      return (coach, Coach.Place(section: part, step: 0, steps: 1))
    }
    return (coach, Coach.Place(section: part, step: plan - parts[part], steps: end - parts[part]))
  }

  /// The bar of a plan as it is counted; nil without such a plan.
  func layout(ofPlan plan: Int) -> BarLayout? {
    song.plans.indices.contains(plan) ? song.plans[plan].counted?.layout ?? song.plans[plan].layout : nil
  }

  func name(ofPart part: Int) -> String { song.plans[parts[part]].name }

  /// The round through the document's sections to which a part belongs, from 1.
  func cycle(ofPart part: Int) -> Int {
    guard song.cycles > 0 else { return laps + 1 }
    let countIn = song.plans.prefix(while: \.isCountIn).count
    let round = (song.plans.count - countIn) / song.cycles
    return max(0, parts[part] - countIn) / max(round, 1) + 1
  }

  /// The part after another; nil if the song ends.
  func part(after part: Int) -> Int? {
    if part + 1 < parts.count { return part + 1 }
    let loop = song.loopStart.map { self.part(of: $0) }
    // An open ladder loops in itself; going on leaves it.
    return isOpen(part: part) && loop == part ? nil : loop
  }

  /// The part before another, and the rounds by which it lies back: a song without end comes to its first part from its last.
  func part(before part: Int) -> (part: Int, turns: Int) {
    let isLater = laps + (target == nil ? 0 : turns) > 0
    guard let loop = song.loopStart, isLater, part == self.part(of: loop) else {
      return (max(0, part - 1), 0)
    }
    return (parts.count - 1, -1)
  }

  /// What comes after a part.
  func nextName(after part: Int) -> String {
    if let next = self.part(after: part) { return name(ofPart: next) }
    return isLast ? "" : setlist.songs[index + 1].song.title
  }
}

/// A start that comes by itself: when a song is ready, or when the pause between two songs is over.
struct AwaitedStart {
  /// The clock frame.
  let frame: ClockFrame
  /// Whether the command has been sent to the engine.
  var isSent = false
}

extension SectionPlan {
  /// The number of bars; nil if the length is a time.
  var bars: Int? {
    switch length {
    case .bars(let bars): bars
    case .beats(let beats): (Rational(beats) * layout.beatUnit.length / layout.meter.barLength).roundedUp
    case .milliseconds, .open: nil
    }
  }
}
