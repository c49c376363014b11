import Control
import MusicTime
import Realtime

/// The tempo of klick's simple metronome, and its speed trainer, which changes the tempo with each beat.
///
/// Tempos are quarter notes a minute, as in `KlickSimple`. The conductor reports a beat before it sounds. The trainer requests
/// its next tempo for the time of the beat after it.
struct SpeedTrainer {
  /// The tempo that plays; 0 while nothing plays.
  private(set) var current: Float = 0
  /// The tempo that was last requested from the conductor.
  private var asked = Tempo(clamping: 120_000)
  /// The tempo that was requested before it: a beat's tempo is in force only once the beat sounds.
  private var former: Tempo?
  /// The trainer's next tempo, which was requested from the conductor.
  private var step: Float?
  /// When the next beat sounds; nil if that is not known.
  private var nextBeat: Instant?
  /// When the last tempo that was requested for a later time takes effect.
  private var dated: Instant?

  /// Resets the trainer to the tempo of a metronome that does not play yet.
  /// - Returns: the order for that tempo.
  /// - Throws: `InvalidValue` for a tempo that can't be played.
  mutating func begin(_ simple: KlickSimple) throws -> KlickOrder {
    (current, step, asked) = (0, nil, try simple.tempo(simple.tempo))
    return .set(.tempo(asked))
  }

  /// Starts with the first tempo of the training.
  mutating func start(_ simple: KlickSimple, at now: Instant) -> [KlickOrder] {
    current = simple.first
    (step, nextBeat) = (nil, nil)
    return play(simple.first, simple, at: now)
  }

  /// Stops, and returns to the set tempo.
  mutating func stop(_ simple: KlickSimple, at now: Instant) -> [KlickOrder] {
    current = 0
    (step, nextBeat) = (nil, nil)
    return play(simple.tempo, simple, at: now)
  }

  /// Handles a change to another kind of metronome.
  mutating func leave() { current = 0 }

  /// Plays a tempo from now on; no orders if it can't be played.
  mutating func play(_ quarters: Float, _ simple: KlickSimple, at now: Instant) -> [KlickOrder] {
    guard let tempo = try? simple.tempo(quarters) else { return [] }
    // A tempo that was requested for later can't be cancelled. It is replaced by another one at the same time.
    let correction = dated.flatMap { $0 > now ? KlickOrder.set(.tempo(tempo), at: $0) : nil }
    guard tempo != asked || correction != nil else { return [] }
    (former, asked) = (asked, tempo)
    return [.set(.tempo(tempo))] + (correction.map { [$0] } ?? [])
  }

  /// Changes the tempo of a playing metronome, and continues the training from it.
  mutating func continueTraining(from quarters: Float, _ simple: KlickSimple, at now: Instant) -> [KlickOrder]
  {
    current = quarters
    return play(quarters, simple, at: now) + train(simple, at: now)
  }

  /// Requests the trainer's next tempo for the next beat, if its time is known.
  mutating func train(_ simple: KlickSimple, at now: Instant) -> [KlickOrder] {
    guard let nextBeat, nextBeat > now else { return [] }
    return climb(simple, at: nextBeat)
  }

  /// Handles a beat.
  /// - Parameter time: when it sounds.
  mutating func handle(beatAt time: Instant, _ simple: KlickSimple) -> [KlickOrder] {
    if let step { current = step }
    step = nil
    guard let tempo = try? simple.tempo(current) else { return [] }
    if tempo != asked { (former, asked) = (asked, tempo) }
    let next = time + .nanoseconds(60_000_000_000_000 / tempo.thousandths)
    nextBeat = next
    return climb(simple, at: next)
  }

  /// Requests the trainer's next tempo.
  private mutating func climb(_ simple: KlickSimple, at time: Instant) -> [KlickOrder] {
    let next = simple.step(after: current)
    guard step != nil || next != current, let tempo = try? simple.tempo(next) else { return [] }
    (step, dated) = (next, time)
    return [.set(.tempo(tempo), at: time)]
  }

  /// Adopts the conductor's tempo, unless it was requested here.
  /// - Parameter isForced: whether to adopt it anyway.
  /// - Returns: whether it was adopted.
  mutating func adopt(_ tempo: Tempo, _ simple: KlickSimple, isForced: Bool) -> Bool {
    let ours = [asked, former, step.flatMap { try? simple.tempo($0) }]
    guard isForced || !ours.contains(tempo) else { return false }
    asked = tempo
    return true
  }
}
