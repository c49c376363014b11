import Control
import Engine
import MusicTime
import Realtime
import Validation

/// klick's variables as its remote shows them. What the conductor has too follows it (see `adopt`); the rest lives here.
///
/// What is changed here is asked of the conductor in orders. Until they are carried out, what was asked for counts as the value.
struct KlickState {
  /// klick's kinds of metronome: the settings, a session, and a transport that is followed.
  enum Kind: String, CaseIterable { case simple, map, jack }

  private(set) var kind = Kind.simple
  private(set) var simple = KlickSimple()
  private(set) var map = KlickMapMode()
  private(set) var volumes: (accent: Float, beat: Float, master: Float) = (1, 1, 1)
  private var transport = KlickTransport()
  private var trainer = SpeedTrainer()
  private var choice = KlickSoundChoice()
  /// The role before the transport was followed.
  private var role = SyncMode.free

  var isActive: Bool { transport.isActive }
  /// The tempo that plays, in quarters a minute; 0 while nothing does.
  var currentTempo: Float { trainer.current }
  var sound: KlickSound { choice.sound }
  var isSilent: Bool { choice.isSilent }
  /// Whether sound files are being read, so that the sound is another until it is known that they are good.
  var awaitsFiles: Bool { choice.awaitsFiles }

  // MARK: Starting and stopping

  /// - Throws: `InvalidValue` if what it begins with can't be played.
  mutating func start(at now: Instant) throws -> [KlickOrder] {
    guard kind != .jack else { return click(true) }
    if kind == .map, map.isOpen, map.isStale {
      let stop = try reload()
      map.startWhenRead()
      return stop
    }
    // klick begins anew if it plays already.
    let stop = isActive ? [KlickOrder.update(.stop)] : []
    transport.ask(for: true)
    return stop + activate(true, at: now) + [.update(.start)]
  }

  mutating func stop(at now: Instant) -> [KlickOrder] {
    guard kind != .jack else { return click(false) }
    transport.ask(for: false)
    return [.update(.stop)] + activate(false, at: now)
  }

  /// A transport rolls for others too: klick only clicks along or doesn't.
  private mutating func click(_ clicks: Bool) -> [KlickOrder] {
    transport.show(clicks)
    return [.set(.mute(!clicks || isSilent))]
  }

  /// Begins or ends the training.
  private mutating func activate(_ isActive: Bool, at now: Instant) -> [KlickOrder] {
    transport.show(isActive)
    guard kind == .simple else { return [] }
    return isActive ? trainer.start(simple, at: now) : trainer.stop(simple, at: now)
  }

  // MARK: The kind of metronome

  /// Goes from one kind of metronome to another. As in klick, what comes is new: stopped, and with the map's beginning.
  /// - Throws: `InvalidValue` for a map that can't be played simply.
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

  /// Stops, and goes back to the settings of a metronome that follows nobody.
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

  /// Plays from the settings.
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

  /// Has the map read anew; without one klick plays a plain bar.
  private mutating func reload() throws -> [KlickOrder] {
    transport.show(false)
    guard !map.reload(sound: choice.latest.name) else { return [] }
    let close = map.close()
    map.forget()
    transport.ask(for: false)
    return [.update(.stop)] + close + (try begin(KlickSimple(tempoMultiplier: map.multiplier)))
  }

  /// Opens the map that was wished for.
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
    // The quarters stay as long as they are, whatever the beats are now.
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

  /// Whether the metronome is not stopped by the mute, as klick's metronome `jack` is.
  private var clicks: Bool { kind != .jack || isActive }

  mutating func silence() -> [KlickOrder] { choice.silence() }

  /// Handles that a sound set could not be had.
  /// - Returns: the files of which it was to be made.
  mutating func loseSound(_ name: String) -> [String] { choice.lose(name) }

  // MARK: The conductor

  /// Takes over what others have changed, once all that was ordered has been done.
  /// - Returns: what follows from that for the conductor.
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
