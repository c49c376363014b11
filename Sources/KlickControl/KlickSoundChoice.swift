import Control

/// klick's sound: the one that plays, the one that was requested, and whether it is silent.
///
/// The conductor reads a sound set before it plays it, and may fail. A set of files is therefore not shown as the sound until
/// it has been read.
struct KlickSoundChoice {
  private(set) var sound = KlickSound(.number(0))
  private(set) var isSilent = false
  /// The requested sound that the conductor does not play yet.
  private var wanted: KlickSound?
  /// Whether the silence ends when that sound has been read. The mute lasts until then, because reading may fail.
  private var endsSilence = false
  /// The names that were requested from the conductor and not yet seen in a snapshot; the last one is the wanted one. The
  /// conductor may skip others.
  private var asked: [String] = []
  /// The name in the conductor's last snapshot.
  private var seen = ""

  /// The requested sound, or else the one that plays.
  var latest: KlickSound { wanted ?? sound }

  /// Whether files are being read. Until they are known to be good, `sound` is the previous one.
  var awaitsFiles: Bool { wanted.map { $0 != sound } ?? false }

  /// Chooses another sound or another pitch.
  /// - Parameters:
  ///   - keepsSilence: whether the sound stays silent.
  ///   - clicks: whether the end of the silence ends the mute.
  mutating func choose(_ next: KlickSound, keepsSilence: Bool, clicks: Bool) -> [KlickOrder] {
    let isHeard = isSilent && !keepsSilence
    // Reading files may fail, so they are shown only when they have been read.
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

  /// Chooses the sound of the map, which is applied when the map is read again.
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

  /// Handles that a sound set could not be read.
  /// - Returns: the files that it consists of.
  mutating func lose(_ name: String) -> [String] {
    guard let wanted, wanted.name == name else { return [] }
    (self.wanted, asked, endsSilence) = (nil, [], false)
    if case .files(let accent, let beat) = wanted.source { return [accent, beat] }
    return []
  }

  /// Adopts the conductor's mute.
  mutating func adopt(isMuted: Bool) { isSilent = isMuted }

  /// Adopts the conductor's sound.
  /// - Parameters:
  ///   - isMap: whether a map is open, which has its own sound.
  ///   - clicks: whether the end of the silence ends the mute.
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
