import Control

/// klick's sound: what plays, what it is to be, and whether it is silent.
///
/// The conductor reads a sound set before it plays it, and may fail to. Until it has, a set of files is wanted and not shown.
struct KlickSoundChoice {
  private(set) var sound = KlickSound(.number(0))
  private(set) var isSilent = false
  /// The sound that the conductor was asked for and does not play yet.
  private var wanted: KlickSound?
  /// Whether the silence ends when that sound has been read. That may fail: the mute lasts until then.
  private var endsSilence = false
  /// The names that the conductor was asked for and was not seen with yet, the last one being wanted. It may leave others out.
  private var asked: [String] = []
  /// The name that the conductor was seen with last.
  private var seen = ""

  /// What is wanted, or else what plays.
  var latest: KlickSound { wanted ?? sound }

  /// Whether files are being read, so that the sound is another until it is known that they are good.
  var awaitsFiles: Bool { wanted.map { $0 != sound } ?? false }

  /// Chooses another sound, or another pitch.
  /// - Parameters:
  ///   - keepsSilence: whether silence lasts.
  ///   - clicks: whether the mute ends with the silence.
  mutating func choose(_ next: KlickSound, keepsSilence: Bool, clicks: Bool) -> [KlickOrder] {
    let isHeard = isSilent && !keepsSilence
    // Files may fail, and are shown when they have been read.
    var mayFail = false
    if case .files = next.source, next.source != sound.source { mayFail = true } else { sound = next }
    guard !asked.isEmpty || next.name != seen else { return isHeard ? unmute(clicks: clicks) : [] }
    wanted = next
    asked = asked.suffix(31) + [next.name]
    let orders = [KlickOrder.set(.sound(next.name))]
    guard isHeard else { return orders }
    endsSilence = mayFail
    return mayFail ? orders : unmute(clicks: clicks) + orders
  }

  /// Chooses the sound of the next map, which plays with a sound of its own.
  mutating func chooseForMap(_ next: KlickSound, keepsSilence: Bool, clicks: Bool) -> [KlickOrder] {
    sound = next
    return isSilent && !keepsSilence ? unmute(clicks: clicks) : []
  }

  mutating func silence() -> [KlickOrder] {
    (isSilent, endsSilence) = (true, false)
    return [.set(.mute(true))]
  }

  private mutating func unmute(clicks: Bool) -> [KlickOrder] {
    (isSilent, endsSilence) = (false, false)
    return clicks ? [.set(.mute(false))] : []
  }

  /// Handles that a sound set could not be had.
  /// - Returns: the files of which it was to be made.
  mutating func lose(_ name: String) -> [String] {
    guard let wanted, wanted.name == name else { return [] }
    (self.wanted, asked, endsSilence) = (nil, [], false)
    if case .files(let accent, let beat) = wanted.source { return [accent, beat] }
    return []
  }

  /// Takes over whether the conductor is muted.
  mutating func adopt(isMuted: Bool) { isSilent = isMuted }

  /// Takes over the conductor's sound.
  /// - Parameters:
  ///   - isMap: whether a map plays, which has a sound of its own.
  ///   - clicks: whether the mute ends with the silence.
  mutating func adopt(_ name: String, isMap: Bool, clicks: Bool) -> [KlickOrder] {
    let isNew = name != seen
    seen = name
    guard isNew || asked.isEmpty, !isMap else { return [] }
    guard let index = asked.firstIndex(of: name) else {
      if name != sound.name { sound = KlickSound(name: name) }
      (wanted, asked, endsSilence) = (nil, [], false)
      return []
    }
    asked.removeFirst(index + 1)
    let isThere = wanted?.name == name
    if isThere, let wanted { sound = wanted }
    if asked.isEmpty { wanted = nil }
    return isThere && endsSilence ? unmute(clicks: clicks) : []
  }
}
