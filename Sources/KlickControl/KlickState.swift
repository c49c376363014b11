import Control
import Engine
import MusicTime
import Realtime

/// klick's variables as its remote shows them: what the conductor has too follows it (see `heed`), the rest lives here.
///
/// What is changed here is asked of the conductor in orders; until they are carried out the wish counts as the value.
struct KlickState {
  /// klick's kinds of metronome: the settings, a session, and a transport that is followed.
  enum Kind: String, CaseIterable { case simple, map, jack }

  /// Something that is asked of the conductor.
  struct Order {
    var content: Request.Content
    /// nil: at once.
    var time: Instant?

    static func update(_ update: Update) -> Order { Order(content: .update(update)) }
    static func set(_ setting: Setting, at time: Instant? = nil) -> Order {
      Order(content: .update(.set(setting)), time: time)
    }
  }

  var kind = Kind.simple
  var isActive = false
  var simple = KlickSimple()
  var sound = KlickSound(.number(0))
  var isSilent = false
  var volumes: (accent: Float, beat: Float, master: Float) = (1, 1, 1)
  var filename = ""
  var preroll = -1
  var multiplier: Float = 1

  /// The map that was read last, and whether it plays rather than the settings.
  var song: KlickSong?
  var isOpen = false
  /// The map that an order needs, and that is to be read before.
  var wish: KlickMapWish?
  /// Whether the map has to be read again before it plays.
  var isMapStale = false
  /// Whether it is to start then.
  var startsMap = false
  /// What the conductor has been asked for and has not done yet.
  var wantsActive: Bool?
  var wantsSound: KlickSound?
  /// Whether that sound is to be heard when it has been read, which may fail: the mute lasts until then.
  var endsSilence = false
  /// The sound sets that it has been asked for and that it was not seen with yet, the last one being wanted (it may leave
  /// others out); and the one that it was seen with last.
  var askedSounds: [String] = []
  var seenSound = ""
  /// The tempo that it has been asked for last, and the one before: a beat is heard of before it sounds, and its tempo is
  /// in force only then.
  var asked = Tempo(clamping: 120_000)
  var former: Tempo?
  /// The trainer's next tempo, which is on its way, and when the next beat sounds.
  var step: Float?
  var nextBeat: Instant?
  /// When the last tempo takes effect that has got a date.
  var dated: Instant?
  /// The role before the transport was followed.
  var role = SyncMode.free

  // MARK: Starting and stopping

  /// - Throws: `InvalidValue` where what it begins with can't be played.
  mutating func start() throws -> [Order] {
    guard kind != .jack else { return click(true) }
    if kind == .map, isOpen, isMapStale {
      let stop = try reload()
      startsMap = true
      return stop
    }
    // klick begins anew where it plays already.
    let stop = isActive ? [Order.update(.stop)] : []
    wantsActive = true
    return stop + activate(true) + [.update(.start)]
  }

  mutating func stop() -> [Order] {
    guard kind != .jack else { return click(false) }
    wantsActive = false
    return [.update(.stop)] + activate(false)
  }

  /// A transport rolls for others too: klick only clicks along or doesn't.
  private mutating func click(_ clicks: Bool) -> [Order] {
    isActive = clicks
    return [.set(.mute(!clicks || isSilent))]
  }

  /// Begins or ends the training.
  mutating func activate(_ isActive: Bool) -> [Order] {
    self.isActive = isActive
    guard kind == .simple else { return [] }
    simple.current = isActive ? simple.first : 0
    (step, nextBeat) = (nil, nil)
    return play(isActive ? simple.first : simple.tempo)
  }

  // MARK: Tempo

  /// Plays a tempo from now on; nothing where it can't be played.
  mutating func play(_ quarters: Float) -> [Order] {
    guard let tempo = try? simple.tempo(quarters) else { return [] }
    // A tempo that is under way can't be taken back, but followed by another at its time.
    let correction = dated.flatMap { $0 > .now ? Order.set(.tempo(tempo), at: $0) : nil }
    guard tempo != asked || correction != nil else { return [] }
    (former, asked) = (asked, tempo)
    return [.set(.tempo(tempo))] + (correction.map { [$0] } ?? [])
  }

  /// The metronome's tempo is another.
  mutating func changeTempo(to quarters: Float) -> [Order] {
    simple.tempo = quarters
    guard kind == .simple, isActive else { return play(quarters) }
    simple.current = quarters
    return play(quarters) + train()
  }

  /// Has the trainer's next tempo take effect when the next beat sounds, as far as that is known.
  mutating func train() -> [Order] {
    guard kind == .simple, isActive, let nextBeat, nextBeat > .now else { return [] }
    return climb(at: nextBeat)
  }

  /// Has the trainer's next tempo take effect; at once where its time has passed.
  private mutating func climb(at time: Instant) -> [Order] {
    let next = simple.stepped
    guard step != nil || next != simple.current, let tempo = try? simple.tempo(next) else { return [] }
    (step, dated) = (next, time)
    return [.set(.tempo(tempo), at: time)]
  }

  /// A beat sounds.
  /// - Parameter time: when.
  mutating func hear(beatAt time: Instant) -> [Order] {
    guard kind == .simple, isActive else { return [] }
    if let step { simple.current = step }
    step = nil
    guard let tempo = try? simple.tempo(simple.current) else { return [] }
    if tempo != asked { (former, asked) = (asked, tempo) }
    let next = time + .nanoseconds(60_000_000_000_000 / tempo.thousandths)
    nextBeat = next
    return climb(at: next)
  }

  // MARK: Sound

  /// The sound set that a song is to have.
  var soundName: String { (wantsSound ?? sound).name }

  /// Takes another sound, or another pitch.
  mutating func use(_ next: KlickSound, keepingSilence: Bool = false) -> [Order] {
    let isHeard = isSilent && !keepingSilence
    // A session has its own sound; the map is read again with this one when it starts the next time.
    guard !isOpen else {
      sound = next
      isMapStale = true
      return isHeard ? unmute() : []
    }
    // Files may fail, and are shown when they have been read.
    var mayFail = false
    if case .files = next.source, next.source != sound.source { mayFail = true } else { sound = next }
    guard !askedSounds.isEmpty || next.name != seenSound else { return isHeard ? unmute() : [] }
    wantsSound = next
    askedSounds = askedSounds.suffix(31) + [next.name]
    let orders = [Order.set(.sound(next.name))]
    guard isHeard else { return orders }
    endsSilence = mayFail
    return mayFail ? orders : unmute() + orders
  }

  /// Ends the silence.
  mutating func unmute() -> [Order] {
    (isSilent, endsSilence) = (false, false)
    return kind != .jack || isActive ? [.set(.mute(false))] : []
  }

  /// Whether files are being read, so that the sound is another until it is known that they are good.
  var awaitsFiles: Bool { wantsSound.map { $0 != sound } ?? false }

  /// A sound set could not be had; returns the files that it was to be made of.
  mutating func loseSound(_ name: String) -> [String] {
    guard let wanted = wantsSound, wanted.name == name else { return [] }
    (wantsSound, askedSounds, endsSilence) = (nil, [], false)
    if case .files(let accent, let beat) = wanted.source { return [accent, beat] }
    return []
  }

  mutating func silence() -> [Order] {
    (isSilent, endsSilence) = (true, false)
    return [.set(.mute(true))]
  }
}
