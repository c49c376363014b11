import MusicTime

/// The volumes and the level of the sound set, as reported or announced, and so the allowed sound.
struct Loudness {
  /// The possible levels of a sound set.
  static let levels: ClosedRange<Float> = 0.4...0.9

  /// The volumes of the roles, followed by those of the layers.
  private var buses =
    ClickRole.allCases.map { _ in Recently<Float>(1) } + LayerPattern.numbers.map { _ in Recently(0.4) }
  private var master = Recently<Float>(1)
  private var level = Recently<Float>(0.9)
  /// When cycles were last judged; and since when, and until when, changes may be inaudible: without a server there is no
  /// sound.
  private var lastCycle: UInt64 = 0
  private var unheard: (since: UInt64, until: UInt64) = (0, 0)

  /// Notes a new life of the program.
  mutating func forget() {
    let fresh = Loudness()
    (buses, master, level) = (fresh.buses, fresh.master, fresh.level)
  }

  /// Notes what is reported.
  mutating func note(_ subscriber: Subscriber, at now: UInt64) {
    let ports = ClickRole.allCases.map(\.name) + LayerPattern.numbers.map { "layer-\($0)" }
    for (index, port) in ports.enumerated() {
      if let value = subscriber.number("volume/\(port)") { buses[index].change(to: Float(value), at: now) }
    }
    if let value = subscriber.number("volume"), let mute = subscriber.integer("mute") {
      master.change(to: mute == 1 ? 0 : Float(value), at: now)
    }
    if let name = subscriber.text("sound"),
      let value = ClipLibrary.level(of: subscriber.isSession ? "sine" : name)
    {
      level.change(to: value, at: now)
    }
  }

  /// Allows a volume that was sent with a date: it may sound, and be replaced, before it is reported.
  mutating func expectVolume(_ message: Deed.Message, until time: UInt64) {
    guard message.address == "/tactus/volume", case .float(let value)? = message.arguments.first else {
      return
    }
    master.mayBe(value, until: time)
  }

  /// Allows a fade-out, which does not change the volume setting. The volume returns when all sound has ended, or when the
  /// music continues.
  mutating func expectFade(until time: UInt64) { master.mayBe(0, until: time) }

  /// The allowed sound in the cycles since the last turn.
  /// - Parameters:
  ///   - rendered: when the first of them was rendered; nil if that is unknown.
  ///   - waiting: since when, and until when, changes may wait for their line.
  ///   - soundWait: nanoseconds for which another sound may wait for a line.
  mutating func bounds(
    at now: UInt64, periodTime: UInt64, rendered: UInt64?, waiting: (since: UInt64, until: UInt64),
    soundWait: UInt64
  ) -> SoundJudge.Bounds {
    if now > lastCycle + 500_000_000 { unheard = (lastCycle, now + 1_000_000_000 + 3 * periodTime) }
    lastCycle = now
    let delay = 350_000_000 + 3 * periodTime
    var first = now < unheard.until ? min(unheard.since, now) : now
    // At rest the conductor has a turn every half second: what was rendered since has not been judged yet.
    if let rendered { first = min(first, rendered) }
    let time = first - min(first, delay)
    let change =
      now < waiting.until + 1_000_000_000 ? min(time, waiting.since - min(waiting.since, delay)) : time
    return SoundJudge.Bounds(
      buses: buses.indices.map { buses[$0].range(since: time) }, master: master.range(since: time),
      level: level.range(since: change - min(change, soundWait)))
  }
}
