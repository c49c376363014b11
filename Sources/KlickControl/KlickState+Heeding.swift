import Control
import MusicTime

/// Taking over what others have changed.
extension KlickState {
  /// Takes over how things stand, where all that was ordered has been done.
  /// - Returns: what follows from that for the conductor.
  mutating func heed(_ now: Snapshot) -> [Order] {
    let settings = now.settings
    heedKind(settings)
    if kind != .jack, settings.role != .follow { role = settings.role }
    volumes = (
      settings.volume(.accent).gain, settings.volume(.beat).gain, settings.volume(.master).gain
    )
    var orders = heedSound(settings)
    let isUnitNew = heedBar(settings)
    if !isOpen, isUnitNew || ![asked, former, stepTempo].contains(settings.tempo) {
      asked = settings.tempo
      orders += changeTempo(to: simple.quarters(settings.tempo))
    }
    return orders + heedActivity(now)
  }

  private var stepTempo: Tempo? { step.flatMap { try? simple.tempo($0) } }

  private mutating func heedKind(_ settings: Settings) {
    if let place = settings.session {
      if place.path != song?.place.path {
        (song, filename, preroll, multiplier) = (nil, place.path, -1, 1)
      }
      (kind, isOpen) = (.map, true)
    } else {
      if isOpen || (kind == .jack && settings.role != .follow) { kind = .simple }
      isOpen = false
      if settings.role == .follow { kind = .jack }
    }
  }

  private mutating func heedSound(_ settings: Settings) -> [Order] {
    // klick's metronome `jack` is stopped by the mute.
    if kind != .jack || !settings.isMuted { isSilent = settings.isMuted }
    let isNew = settings.sound != seenSound
    seenSound = settings.sound
    guard isNew || askedSounds.isEmpty, !isOpen else { return [] }
    guard let index = askedSounds.firstIndex(of: settings.sound) else {
      if settings.sound != sound.name { sound = KlickSound(name: settings.sound) }
      (wantsSound, askedSounds, endsSilence) = (nil, [], false)
      return []
    }
    askedSounds.removeFirst(index + 1)
    let isThere = wantsSound?.name == settings.sound
    if isThere { sound = wantsSound! }
    if askedSounds.isEmpty { wantsSound = nil }
    return isThere && endsSilence ? unmute() : []
  }

  /// Returns whether the beat is another note than before.
  private mutating func heedBar(_ settings: Settings) -> Bool {
    guard !isOpen else { return false }
    let old = simple.beatLength
    if (try? simple.meter()) != settings.meter {
      (simple.beats, simple.denominator) = (settings.meter.count, settings.meter.unit)
    }
    if (try? simple.accents()) != settings.accents {
      // One beat without an accent is a pattern of its own, where it has an accent no longer.
      if simple.beats == 0, settings.accents == nil { simple.beats = 1 }
      simple.pattern = KlickSimple.pattern(settings.accents)
    }
    let length = settings.effectiveBeatUnit.length
    simple.beatLength = 4 * Double(length.numerator) / Double(length.denominator)
    return simple.beatLength != old
  }

  private mutating func heedActivity(_ now: Snapshot) -> [Order] {
    if kind == .jack {
      if !isSilent { isActive = !now.settings.isMuted }
      return []
    }
    if wantsActive == now.isPlaying { wantsActive = nil }
    let isPlaying = wantsActive ?? now.isPlaying
    return isPlaying == isActive ? [] : activate(isPlaying)
  }
}
