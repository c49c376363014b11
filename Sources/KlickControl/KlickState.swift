import Control
import Engine
import MusicTime
import Realtime
import Validation

/// klick's variables. Those that the conductor has, too, follow it (see `adopt`); the others are stored only here.
///
/// A change here is also requested from the conductor, in orders. Until these are carried out, the requested value counts as
/// the value.
struct KlickState {
  /// klick's kinds of metronome. They correspond to the settings, a session, and a transport that is followed.
  enum Kind: String, CaseIterable { case simple, map, jack }

  private(set) var kind = Kind.simple
  private(set) var simple = KlickSimple()
  private(set) var map = KlickMapMode()
  private(set) var volumes: (accent: Float, beat: Float, master: Float) = (1, 1, 1)
  private var transport = KlickTransport()
  private var trainer = SpeedTrainer()
  private var choice = KlickSoundChoice()
  /// The last role other than `follow`.
  private var role = SyncMode.free

  var isActive: Bool { transport.isActive }
  /// The tempo that plays, in quarter notes a minute; 0 while nothing plays.
  var currentTempo: Float { trainer.current }
  var sound: KlickSound { choice.sound }
  var isSilent: Bool { choice.isSilent }
  /// Whether sound files are being read. Until they are known to be good, `sound` is the previous one.
  var awaitsFiles: Bool { choice.awaitsFiles }

  // MARK: Starting and stopping

  /// Starts the metronome, or restarts it if it plays.
  /// - Throws: `InvalidValue` if a plain bar in place of a missing map can't be played.
  mutating func start(at now: Instant) throws -> [KlickOrder] {
    guard kind != .jack else { return click(true) }
    if kind == .map, map.isOpen, map.isStale {
      let stop = try reload()
      map.startWhenRead()
      return stop
    }
    // klick restarts if it already plays.
    let stop = isActive ? [KlickOrder.update(.stop)] : []
    transport.ask(for: true)
    return stop + activate(true, at: now) + [.update(.start)]
  }

  mutating func stop(at now: Instant) -> [KlickOrder] {
    guard kind != .jack else { return click(false) }
    transport.ask(for: false)
    return [.update(.stop)] + activate(false, at: now)
  }

  /// Other clients use the transport, too, so in `jack` start and stop only end and begin the mute.
  private mutating func click(_ clicks: Bool) -> [KlickOrder] {
    transport.show(clicks)
    return [.set(.mute(!clicks || isSilent))]
  }

  /// Starts or stops the training.
  private mutating func activate(_ isActive: Bool, at now: Instant) -> [KlickOrder] {
    transport.show(isActive)
    guard kind == .simple else { return [] }
    return isActive ? trainer.start(simple, at: now) : trainer.stop(simple, at: now)
  }

  // MARK: The kind of metronome

  /// Changes the kind of metronome. As in klick, the new one is stopped; `simple` begins with the first bar of the last map.
  /// - Throws: `InvalidValue` for a map whose first bar `simple` can't play.
  mutating func change(to next: Kind) throws -> [KlickOrder] {
    var orders = leave()
    kind = next
    switch next {
    case .simple: orders += try begin(map.song.map { KlickSimple($0.beginning) } ?? KlickSimple())
    case .map: orders += try reload()
    case .jack: orders += [.set(.role(.follow)), .set(.mute(true))]
    }
    return orders
  }

  /// Stops the metronome and restores the role and the mute.
  private mutating func leave() -> [KlickOrder] {
    var orders: [KlickOrder] = []
    if kind == .jack {
      orders += [.set(.role(role)), .set(.mute(isSilent))]
    } else {
      orders += [.update(.stop)]
      transport.ask(for: false)
    }
    transport.show(false)
    trainer.leave()
    let close = map.close()
    return kind == .map ? orders + close : orders
  }

  /// Applies a simple metronome to the settings.
  private mutating func begin(_ simple: KlickSimple) throws -> [KlickOrder] {
    self.simple = simple
    let bar = try simple.bar().map { KlickOrder.set($0) }
    self.simple.countMeterNotes()
    return bar + [try trainer.begin(self.simple)]
  }

  // MARK: The map

  mutating func load(_ filename: String) throws -> [KlickOrder] {
    map.load(filename)
    return try reload()
  }

  mutating func setPreroll(_ bars: Int) throws -> [KlickOrder] {
    map.setPreroll(bars)
    return try reload()
  }

  mutating func setMultiplier(_ factor: Float) throws -> [KlickOrder] {
    map.setMultiplier(factor)
    return try reload()
  }

  /// Requests that the map be read again. Without a map, klick plays a plain bar.
  private mutating func reload() throws -> [KlickOrder] {
    transport.show(false)
    guard !map.reload(sound: choice.latest.name) else { return [] }
    let close = map.close()
    map.forget()
    transport.ask(for: false)
    return [.update(.stop)] + close + (try begin(KlickSimple(tempoMultiplier: map.multiplier)))
  }

  /// Opens the requested map.
  mutating func open(_ song: KlickSong) -> [KlickOrder] {
    let starts = map.open(song)
    transport.show(starts)
    transport.ask(for: starts)
    return [KlickOrder(content: .session(song.setlist, song.place))] + (starts ? [.update(.start)] : [])
  }

  // MARK: The simple metronome

  /// - Throws: `InvalidValue` for a tempo that can't be played.
  mutating func setTempo(_ quarters: Float, at now: Instant) throws -> [KlickOrder] {
    _ = try simple.tempo(quarters)
    return changeTempo(to: quarters, at: now)
  }

  private mutating func changeTempo(to quarters: Float, at now: Instant) -> [KlickOrder] {
    simple.setTempo(quarters)
    return kind == .simple && isActive
      ? trainer.continueTraining(from: quarters, simple, at: now) : trainer.play(quarters, simple, at: now)
  }

  mutating func setIncrement(_ quarters: Float, at now: Instant) -> [KlickOrder] {
    simple.setIncrement(quarters)
    return train(at: now)
  }

  mutating func setTrainingStart(_ quarters: Float, at now: Instant) throws -> [KlickOrder] {
    try simple.setStart(quarters)
    return train(at: now)
  }

  mutating func setTrainingLimit(_ quarters: Float, at now: Instant) throws -> [KlickOrder] {
    try simple.setLimit(quarters)
    return train(at: now)
  }

  private mutating func train(at now: Instant) -> [KlickOrder] {
    kind == .simple && isActive ? trainer.train(simple, at: now) : []
  }

  /// - Throws: `InvalidValue` for a meter that can't be played.
  mutating func setMeter(_ beats: Int, _ denominator: Int, at now: Instant) throws -> [KlickOrder] {
    let bar = try simple.setMeter(beats, denominator)
    // The length of a quarter note stays the same, whichever note is the beat.
    let playing = isActive ? currentTempo : simple.tempo
    _ = try simple.tempo(playing)
    return bar.map { .set($0) } + trainer.play(playing, simple, at: now) + train(at: now)
  }

  mutating func setPattern(_ text: String) throws -> [KlickOrder] {
    try simple.setPattern(text)
    return [.set(.groups(nil)), .set(.accents(try simple.accents()))]
  }

  /// Handles a beat.
  /// - Parameter time: when it sounds.
  mutating func handle(beatAt time: Instant) -> [KlickOrder] {
    kind == .simple && isActive ? trainer.handle(beatAt: time, simple) : []
  }

  // MARK: Sound

  mutating func setVolumes(accent: Volume, beat: Volume) -> [KlickOrder] {
    (volumes.accent, volumes.beat) = (accent.gain, beat.gain)
    return [.set(.volume(.accent, accent)), .set(.volume(.beat, beat))]
  }

  mutating func setVolume(_ volume: Volume) -> [KlickOrder] {
    volumes.master = volume.gain
    return [.set(.volume(.master, volume))]
  }

  /// Chooses another sound, and ends the silence.
  mutating func choose(_ source: KlickSound.Source) -> [KlickOrder] {
    choose(KlickSound(source, pitch: sound.pitch), keepsSilence: false)
  }

  mutating func setPitch(accent: Float, beat: Float) -> [KlickOrder] {
    choose(KlickSound(choice.latest.source, pitch: (accent, beat)), keepsSilence: true)
  }

  private mutating func choose(_ next: KlickSound, keepsSilence: Bool) -> [KlickOrder] {
    guard map.isOpen else { return choice.choose(next, keepsSilence: keepsSilence, clicks: clicks) }
    map.invalidate()
    return choice.chooseForMap(next, keepsSilence: keepsSilence, clicks: clicks)
  }

  /// Whether the mute is not in use as the stop of klick's metronome `jack`.
  private var clicks: Bool { kind != .jack || isActive }

  mutating func silence() -> [KlickOrder] { choice.silence() }

  /// Handles that a sound set could not be read.
  /// - Returns: the files that it consists of.
  mutating func loseSound(_ name: String) -> [String] { choice.lose(name) }

  // MARK: The conductor

  /// Adopts changes that others made. Called when all orders have been carried out.
  /// - Returns: orders that follow from these changes.
  mutating func adopt(_ snapshot: Snapshot, at now: Instant) -> [KlickOrder] {
    let settings = snapshot.settings
    adoptKind(settings)
    if kind != .jack, settings.role != .follow { role = settings.role }
    volumes = (
      settings.volume(.accent).gain, settings.volume(.beat).gain, settings.volume(.master).gain
    )
    if kind != .jack || !settings.isMuted { choice.adopt(isMuted: settings.isMuted) }
    var orders = choice.adopt(settings.sound, isMap: map.isOpen, clicks: clicks)
    if !map.isOpen {
      let isUnitNew = simple.adopt(settings)
      if trainer.adopt(settings.tempo, simple, isForced: isUnitNew) {
        orders += changeTempo(to: simple.quarters(settings.tempo), at: now)
      }
    }
    return orders + adoptActivity(snapshot, at: now)
  }

  private mutating func adoptKind(_ settings: Settings) {
    let wasOpen = map.isOpen
    map.adopt(settings.session)
    if map.isOpen {
      kind = .map
    } else {
      if wasOpen || (kind == .jack && settings.role != .follow) { kind = .simple }
      if settings.role == .follow { kind = .jack }
    }
  }

  private mutating func adoptActivity(_ snapshot: Snapshot, at now: Instant) -> [KlickOrder] {
    if kind == .jack {
      if !isSilent { transport.show(!snapshot.settings.isMuted) }
      return []
    }
    return transport.adopt(isPlaying: snapshot.isPlaying).map { activate($0, at: now) } ?? []
  }
}
