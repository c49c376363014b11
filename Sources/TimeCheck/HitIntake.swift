import MusicTime
import Validation

/// Prepares hits for the judge: subtracts the calibration offset, finds the drums of notes, and removes hits that the click
/// caused.
///
/// It has no clock and no thread.
struct HitIntake: Sendable {
  /// The most hits that wait.
  private static let limit = 1_024
  /// A click with a lower peak counts as not heard.
  private static let faint: Float = 0.001

  /// The result for a hit.
  enum Outcome: Sendable {
    /// A stroke of the player.
    case played(Hit, isCalibrated: Bool)
    /// A stroke that does not count, because the input hears a click almost as loud at that time.
    case hidden(from: HitSource)
    /// All hits of its input may be the click.
    case suspected
  }

  private let setup: ListeningSetup
  private let sampleRate: Int
  private var policy = TimeChecker.Policy()
  private(set) var calibrations: [HitSource: Calibration] = [:]
  /// The present click; nil until it is known.
  private var click: Calibration.Click?
  /// The ports of inputs without a connection.
  private(set) var unconnected: [String] = []
  /// The drum that is assigned to the next note; nil if no note is learned.
  private(set) var learning: Drum?
  private var gate: HitGate
  /// Hits near which not all clicks are known yet.
  private var waiting: [Hit] = []
  private var watches: ClickWatches
  private var bleedWatches: BleedWatches
  /// For each input, the last sound for which a warning was given because the input was calibrated with another one.
  private var foreign: [HitSource: String] = [:]
  /// Warnings that have not been taken yet.
  private var warnings: [String] = []

  init(_ setup: ListeningSetup, sampleRate: Int) {
    (self.setup, self.sampleRate) = (setup, sampleRate)
    gate = HitGate(sampleRate: sampleRate)
    watches = ClickWatches(sampleRate: sampleRate)
    bleedWatches = BleedWatches(sampleRate: sampleRate)
  }

  // MARK: Circumstances

  mutating func setPolicy(_ policy: TimeChecker.Policy) {
    self.policy = policy
    if !policy.usesBleed { watches.forget() }
    warnOfForeignSounds()
  }

  /// Sets the calibrations of the inputs that have one.
  mutating func setCalibrations(_ calibrations: [HitSource: Calibration]) {
    let old = self.calibrations
    self.calibrations = calibrations
    watches.forget { calibrations[$0] != old[$0] }
    bleedWatches.forget { calibrations[$0] != old[$0] }
    warnOfForeignSounds()
  }

  /// Sets the volume and sound of the present click.
  mutating func setClick(_ click: Calibration.Click) {
    guard click != self.click else { return }
    self.click = click
    warnOfForeignSounds()
  }

  /// Sets the ports of inputs without a connection.
  mutating func setUnconnected(_ ports: [String]) { unconnected = ports }

  /// Assigns the next note to a drum; nil ends learning.
  mutating func learn(_ drum: Drum?) { learning = drum }

  /// Copies the policy, calibrations, click and pending warnings of another intake, whose sample rate may differ.
  mutating func take(circumstancesOf other: HitIntake) {
    (click, unconnected, learning, warnings) = (
      other.click, other.unconnected, other.learning, other.warnings
    )
    setPolicy(other.policy)
    setCalibrations(other.calibrations)
  }

  private mutating func warnOfForeignSounds() {
    for index in setup.inputs.indices {
      let source = HitSource.input(index)
      guard let sound = calibrations[source]?.click?.sound, let click, sound != click.sound,
        bleed(of: source) > HitIntake.faint, foreign[source] != click.sound
      else { continue }
      foreign[source] = click.sound
      warnings.append(
        "\(setup.port(of: source)) was calibrated with another sound (\(printable(sound))): how loud it hears this one is not known. "
          + "Calibrate again, or set listen/bleed to 0 if it does not hear the click.")
    }
  }

  /// Returns the new warnings and forgets them.
  mutating func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings
  }

  // MARK: The click

  /// The peaks with which audio inputs hear the click, by their indices; 0 if they don't.
  var bleeds: [Int: Float] {
    setup.inputs.indices.reduce(into: [:]) { $0[$1] = bleed(of: .input($1)) }
  }

  private func bleed(of source: HitSource) -> Float {
    policy.usesBleed && bleedWatches.hearsClick(source) ? calibrations[source]?.bleed(of: click) ?? 0 : 0
  }

  /// The peaks with which connected inputs would hear the click as in their calibrations. Inputs are omitted if the click is
  /// now less than half as loud.
  private var expectedBleeds: [HitSource: Float] {
    guard policy.usesBleed else { return [:] }
    return calibrations.reduce(into: [:]) { found, entry in
      let (source, calibration) = entry
      let bleed = calibration.bleed(of: click)
      guard bleed > HitIntake.faint, bleed >= calibration.bleed / 2,
        !unconnected.contains(setup.port(of: source))
      else { return }
      found[source] = bleed
    }
  }

  /// Notes a beat whose click is about as loud as the loudest.
  /// - Parameter frame: the clock frame at which it leaves the speakers.
  mutating func note(click frame: ClockFrame) { bleedWatches.note(click: frame) }

  /// Finds out which inputs still hear the click.
  /// - Parameter rendered: the clock frame up to which the engine has rendered.
  mutating func settle(rendered: ClockFrame) {
    let changed = bleedWatches.settle(heardUpTo: rendered, expectedBleeds) {
      setup.mode(of: $0) == .trigger
    }
    guard !changed.isEmpty else { return }
    for source in changed where bleedWatches.hearsClick(source) {
      warnings.append(
        "\(setup.port(of: source)) hears the click again: the last hits may have been clicks")
    }
    warnOfForeignSounds()
  }

  /// Forgets which inputs hear the click instead of a player.
  mutating func forgetClicks() { watches.forget() }

  /// Whether an input certainly hears the click instead of a player.
  var hearsClick: Bool { watches.haveFound }

  /// Whether all hits of an input may be the click.
  func isSuspect(_ source: HitSource) -> Bool { watches.isSuspect(source) }

  /// Whether the hits of an input are a player's, as far as is known.
  func isPlayer(_ source: HitSource) -> Bool {
    calibrations[source] == nil ? watches.isPlayer(source) : !watches.isSuspect(source)
  }

  // MARK: Hits

  /// Whether hits wait until all clicks near them are known.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Receives a hit.
  /// - Returns: the note and its drum if this hit was learned; otherwise nil.
  mutating func take(_ hit: Hit) -> (note: UInt8, drum: Drum)? {
    guard waiting.count < HitIntake.limit else { return nil }
    var (hit, learned) = (hit, (note: UInt8, drum: Drum)?.none)
    if let note = hit.note {
      hit.drum = policy.notes.drum(of: note)
      if let drum = learning {
        (hit.drum, learning, learned) = (drum, nil, (note, drum))
      }
    }
    if let calibration = calibrations[hit.source] {
      hit.frame -= Int64((calibration.offset / 1_000 * Double(sampleRate)).rounded())
    }
    if hit.source != .notes { bleedWatches.note(hit) }
    waiting.append(hit)
    return learned
  }

  /// Processes waiting hits.
  /// - Parameters:
  ///   - isKnown: whether all clicks near a hit are known; other hits continue to wait.
  ///   - clicks: returns the clock frames of the clicks that sound near a frame.
  mutating func admit(where isKnown: (Hit) -> Bool, clicks: (ClockFrame) -> [ClockFrame]) -> [Outcome] {
    let hits = waiting.filter(isKnown)
    waiting.removeAll(where: isKnown)
    var outcomes: [Outcome] = []
    for hit in hits {
      let (near, isCalibrated) = (clicks(hit.frame), calibrations[hit.source] != nil)
      let bleed = bleed(of: hit.source)
      let heeded = bleed > 0 ? near : []
      if !isCalibrated, suspects(hit, near) { outcomes.append(.suspected) }
      guard
        gate.admits(hit, clicks: heeded, bleed: bleed, isTrigger: setup.mode(of: hit.source) == .trigger)
      else {
        if gate.hides(hit, behind: heeded, bleed: bleed) { outcomes.append(.hidden(from: hit.source)) }
        continue
      }
      if isCalibrated, suspects(hit, near) { outcomes.append(.suspected) }
      outcomes.append(.played(hit, isCalibrated: isCalibrated))
    }
    return outcomes
  }

  /// Whether a microphone hears the click: one that is not calibrated, or one that hears it louder than in its calibration.
  private mutating func suspects(_ hit: Hit, _ clicks: [ClockFrame]) -> Bool {
    guard policy.usesBleed, setup.mode(of: hit.source) == .mic else { return false }
    let (isFound, isNews) = watches.note(
      hit, clicks: clicks, isCalibrated: calibrations[hit.source] != nil)
    if isNews {
      warnings.append("\(setup.port(of: hit.source)) hears the click itself. \(TimingWords.remedy)")
    }
    return isFound || watches.isSuspect(hit.source)
  }

  /// Forgets all hits. Call it when the clock has jumped, or after a calibration.
  mutating func reset() {
    waiting = []
    gate.reset()
    watches.forget()
    bleedWatches.reset()
  }
}
