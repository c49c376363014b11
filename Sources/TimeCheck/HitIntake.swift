import Validation

/// What the inputs hear, on its way to the judge: less their calibrated lateness, under the names of drums, and without what is the
/// click itself.
///
/// A value without a clock or a thread.
struct HitIntake: Sendable {
  /// The most hits that wait.
  private static let limit = 1_024
  /// The peak below which a click is as good as not heard.
  private static let faint: Float = 0.001

  /// What has become of a hit.
  enum Outcome: Sendable {
    case played(Hit, isCalibrated: Bool)
    /// It does not count: a click sounded that is heard almost as loud.
    case hidden(from: HitSource)
    /// All that its input has heard may be the click.
    case suspected
  }

  private let setup: ListeningSetup
  private let sampleRate: Int
  private var policy = TimeChecker.Policy()
  private(set) var calibrations: [HitSource: Calibration] = [:]
  /// What clicks; nil until it is known.
  private var click: Calibration.Click?
  /// The ports of inputs that are connected to nothing.
  private(set) var unconnected: [String] = []
  /// The drum as which the next note is learned; nil for none.
  private(set) var learning: Drum?
  private var gate: HitGate
  /// Hits that were heard before all clicks near them were known.
  private var heard: [Hit] = []
  private var watches: ClickWatches
  private var bleedWatches: BleedWatches
  /// The sounds, other than the calibrated ones, that inputs were warned of.
  private var foreign: [HitSource: String] = [:]
  /// What was not told yet.
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
    if !policy.heedsBleed { watches.forget() }
    warnOfForeignSounds()
  }

  mutating func setCalibrations(_ calibrations: [HitSource: Calibration]) {
    let old = self.calibrations
    self.calibrations = calibrations
    watches.forget { calibrations[$0] != old[$0] }
    bleedWatches.forget { calibrations[$0] != old[$0] }
    warnOfForeignSounds()
  }

  mutating func setClick(_ click: Calibration.Click) {
    guard click != self.click else { return }
    self.click = click
    warnOfForeignSounds()
  }

  mutating func setUnconnected(_ ports: [String]) { unconnected = ports }

  /// Has the next note be a drum; nil for none.
  mutating func learn(_ drum: Drum?) { learning = drum }

  /// Takes over the circumstances of another intake, of another rate.
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

  /// What is to be told as a warning, once.
  mutating func takeWarnings() -> [String] {
    defer { warnings = [] }
    return warnings
  }

  // MARK: The click

  /// The peaks with which inputs hear the click, by their indices.
  var bleeds: [Int: Float] {
    setup.inputs.indices.reduce(into: [:]) { $0[$1] = bleed(of: .input($1)) }
  }

  private func bleed(of source: HitSource) -> Float {
    policy.heedsBleed && bleedWatches.hearsClick(source) ? calibrations[source]?.bleed(of: click) ?? 0 : 0
  }

  /// The peaks with which connected inputs would hear the click as in their calibrations, where it is not much softer now.
  private var expectedBleeds: [HitSource: Float] {
    guard policy.heedsBleed else { return [:] }
    return calibrations.reduce(into: [:]) { found, entry in
      let (source, calibration) = entry
      let bleed = calibration.bleed(of: click)
      guard bleed > HitIntake.faint, bleed >= calibration.bleed / 2,
        !unconnected.contains(setup.port(of: source))
      else { return }
      found[source] = bleed
    }
  }

  /// Notes a beat that clicks about as loud as the loudest, by the frame at which it leaves the speakers.
  mutating func note(click frame: Int64) { bleedWatches.note(click: frame) }

  /// Looks which inputs still hear the click.
  /// - Parameter rendered: the clock frame that is rendered.
  mutating func settle(rendered: Int64) {
    let changed = bleedWatches.settle(heardUpTo: rendered, expectedBleeds) {
      setup.mode(of: $0) == .trigger
    }
    guard !changed.isEmpty else { return }
    for source in changed where bleedWatches.hearsClick(source) {
      warnings.append(
        "\(setup.port(of: source)) hears the click again: the last hits may have been the click's")
    }
    warnOfForeignSounds()
  }

  /// Forgets which inputs were heard to hear the click.
  mutating func forgetClicks() { watches.forget() }

  /// Whether an input hears the click for certain instead of a player.
  var hearsClick: Bool { watches.haveFound }

  /// Whether all that an input has heard may be the click.
  func isSuspect(_ source: HitSource) -> Bool { watches.isSuspect(source) }

  /// Whether what an input hears is a player's, as far as is known.
  func isPlayer(_ source: HitSource) -> Bool {
    calibrations[source] == nil ? watches.isPlayer(source) : !watches.isSuspect(source)
  }

  // MARK: Hits

  /// Whether hits wait for clicks to be known.
  var isWaiting: Bool { !heard.isEmpty }

  /// Takes what was heard.
  /// - Returns: the note and its drum, if one was learned.
  mutating func take(_ hit: Hit) -> (note: UInt8, drum: Drum)? {
    guard heard.count < HitIntake.limit else { return nil }
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
    heard.append(hit)
    return learned
  }

  /// Lets those hits through near which all clicks are known.
  /// - Parameter clicks: those that sound near a frame.
  mutating func admit(where isKnown: (Hit) -> Bool, clicks: (Int64) -> [Int64]) -> [Outcome] {
    let hits = heard.filter(isKnown)
    heard.removeAll(where: isKnown)
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

  /// Looks whether a microphone hears the click: one that is not calibrated, or louder than it did in the calibration.
  private mutating func suspects(_ hit: Hit, _ clicks: [Int64]) -> Bool {
    guard policy.heedsBleed, setup.mode(of: hit.source) == .mic else { return false }
    let (isFound, isNews) = watches.note(
      hit, clicks: clicks, isCalibrated: calibrations[hit.source] != nil)
    if isNews {
      warnings.append("\(setup.port(of: hit.source)) hears the click itself. \(TimingWords.remedy)")
    }
    return isFound || watches.isSuspect(hit.source)
  }

  /// Forgets what was heard: the clock has jumped, or something else was listened for.
  mutating func reset() {
    heard = []
    gate.reset()
    watches.forget()
    bleedWatches.reset()
  }
}
