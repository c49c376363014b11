import Engine
import MusicTime

/// The session that is open: its songs, the one that plays, and where it is.
///
/// A *part* is a section as the document has it; it may be several sections of the score (a coach's ladder is one a step).
struct SessionPlayback {
  let setlist: Setlist
  /// The document's path.
  let path: String
  /// The song that plays, from 0.
  private(set) var index: Int
  /// The plan with which each part begins.
  private(set) var parts: [Int] = []
  /// Bars of each part; 0 where that depends on time, or it goes on until told.
  private var partBars: [Int] = []
  /// Whether a part goes on until told.
  private(set) var hasOpenPart = false
  private(set) var labels = SongLabels(SongPlan(title: "", plans: []))
  /// Whether the song can be played.
  private(set) var isReady = false
  /// The next one, made ahead of time.
  private(set) var upcoming: PreparedSong?
  /// When to start by itself; nil where nobody has asked.
  private(set) var start: AwaitedStart?
  /// The part that plays, from 0, and its bar, from 1; 0 before it begins.
  private(set) var section = 0
  private(set) var bar = 0
  /// The plan that plays, or played last.
  private(set) var plan = 0
  /// The part to which a jump is under way.
  private(set) var target: Int?
  /// Percent of the song's own tempos.
  private(set) var percent = 100
  private(set) var isHeld = false
  /// What comes after the song in place of what its setlist says.
  private(set) var after: AfterSong?
  /// The warnings that have been told.
  private var warned: Set<String> = []
  private(set) var isPaused = false

  init(_ setlist: Setlist, at place: SessionPlace) {
    self.setlist = setlist
    path = place.path
    index = 0
    select(min(max(place.song, 0), setlist.songs.count - 1))
    section = min(max(place.section, 0), parts.count - 1)
  }

  /// Goes to the start of another song, which is not ready.
  mutating func select(_ index: Int) {
    // The speed is the song's own: another one is played as its document says.
    if index != self.index { percent = 100 }
    self.index = index
    (isReady, isPaused, isHeld, upcoming, start, after) = (false, false, false, nil, nil, nil)
    rewind()
    let plans = song.plans
    labels = SongLabels(song)
    hasOpenPart = plans.contains(where: \.isOpen)
    parts = plans.indices.filter(song.beginsPart)
    partBars = parts.indices.map { part in
      let plans = plans[parts[part]..<(part + 1 < parts.count ? parts[part + 1] : plans.count)]
      let lengths = plans.map { $0.isOpen ? nil : $0.bars }
      return lengths.contains(nil) ? 0 : lengths.reduce(0) { $0 + $1! }
    }
  }

  /// Goes to the song's start.
  mutating func rewind() { (section, bar, plan, target) = (0, 0, 0, nil) }

  // MARK: Where it is

  /// Takes a beat that sounded.
  /// - Returns: whether another part plays now.
  mutating func note(_ beat: Event.Beat) -> Bool {
    let part = part(of: beat.section)
    bar = bars(inPart: part, before: beat.section) + beat.sectionBar
    let hasMoved = part != section
    (section, plan) = (part, beat.section)
    if hasMoved || (part == target && bar == 1 && beat.beat == 1) { target = nil }
    return hasMoved
  }

  /// The transport is at a part and about to roll.
  mutating func stand(atPart part: Int) { (section, bar, target) = (part, 0, nil) }

  /// The next start begins with a part.
  mutating func wait(atPart part: Int) { (section, bar) = (part, 0) }

  /// A jump to a part is under way.
  mutating func head(forPart part: Int) { target = part }

  // MARK: What it does

  /// The song can be played.
  mutating func becomeReady() { isReady = true }

  /// Keeps the next song, or drops it.
  mutating func keep(upcoming song: PreparedSong?) { upcoming = song }

  /// Starts by itself at a time; nil for not any more.
  mutating func awaitStart(_ start: AwaitedStart?) { self.start = start }

  mutating func pause() { isPaused = true }
  mutating func resume() { isPaused = false }
  mutating func hold(_ holds: Bool) { isHeld = holds }
  mutating func changeSpeed(to percent: Int) { self.percent = percent }

  /// The next song follows without a pause, whatever the setlist says.
  mutating func goOnAtOnce() { after = .pause(milliseconds: 0) }

  /// - Returns: whether a warning has not been given before.
  mutating func isNews(_ warning: String) -> Bool { warned.insert(warning).inserted }

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

  /// Bars of a part; 0 where that depends on time, or it goes on until told.
  func bars(ofPart part: Int) -> Int { partBars[part] }

  /// Bars of a part before one of its plans.
  func bars(inPart part: Int, before plan: Int) -> Int {
    (parts[part]..<max(plan, parts[part])).reduce(0) { $0 + (song.plans[$1].bars ?? 0) }
  }

  func isOpen(part: Int) -> Bool { song.plans[parts[part]].isOpen }

  func name(ofPart part: Int) -> String { song.plans[parts[part]].name }

  /// The part that is played after another; nil where the song ends.
  func part(after part: Int) -> Int? {
    if part + 1 < parts.count { return part + 1 }
    let loop = song.loopStart.map { self.part(of: $0) }
    // An open ladder goes round in itself; who goes on leaves it.
    return isOpen(part: part) && loop == part ? nil : loop
  }

  /// What comes after a part.
  func nextName(after part: Int) -> String {
    if let next = self.part(after: part) { return name(ofPart: next) }
    return isLast ? "" : setlist.songs[index + 1].song.title
  }
}

/// A start that comes by itself: when a song is ready, or a pause between two is over.
struct AwaitedStart {
  /// The clock frame.
  let frame: Int64
  /// Whether the engine has been told.
  var isSent = false
}

extension SectionPlan {
  /// Bars that it has; nil where that depends on time.
  fileprivate var bars: Int? {
    switch length {
    case .bars(let bars): bars
    case .beats(let beats): (Rational(beats) * layout.beatUnit.length / layout.meter.barLength).roundedUp
    case .milliseconds, .open: nil
    }
  }
}

extension Tempo {
  /// A percentage of a tempo, as near as can be played.
  func scaled(percent: Int) -> Tempo { Tempo(clamping: (thousandths * percent + 50) / 100) }
}
