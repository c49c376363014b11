import Control

/// klick's metronome `map`: which map it plays, and how.
struct KlickMapMode {
  private(set) var filename = ""
  /// Bars that count in; 0 for two beats, −1 for nothing.
  private(set) var preroll = -1
  private(set) var multiplier: Float = 1
  /// The map that was read last.
  private(set) var song: KlickSong?
  /// Whether the map plays, rather than the settings.
  private(set) var isOpen = false
  /// The map that an order needs, and that is to be read before.
  private(set) var wish: KlickMapWish?
  /// Whether the map has to be read again before it plays.
  private(set) var isStale = false
  /// Whether it is to start when it has been read.
  private var startsWhenRead = false

  mutating func load(_ filename: String) { self.filename = filename }

  mutating func setPreroll(_ bars: Int) { preroll = bars }

  mutating func setMultiplier(_ factor: Float) { multiplier = factor }

  /// Notes that the map is to have another sound: it is read again when it starts the next time.
  mutating func invalidate() { isStale = true }

  /// Wishes for the map.
  /// - Parameter sound: the name of a sound set.
  /// - Returns: whether there is a map to be read.
  mutating func reload(sound: String) -> Bool {
    isStale = false
    guard !filename.isEmpty else { return false }
    // The factor that was meant: 1.1, not the 1.100000023841858 that is nearest to it among floats.
    wish = KlickMapWish(file: filename, preroll: preroll, multiplier: multiplier.asWritten, sound: sound)
    return true
  }

  mutating func startWhenRead() { startsWhenRead = true }

  /// Plays the map that was wished for.
  /// - Returns: whether it is to start.
  mutating func open(_ song: KlickSong) -> Bool {
    defer { (wish, startsWhenRead) = (nil, false) }
    self.song = song
    isOpen = true
    return startsWhenRead
  }

  /// Leaves the map, which stays the one that was read last.
  /// - Returns: the orders that close it, if it is open.
  mutating func close() -> [KlickOrder] {
    defer { isOpen = false }
    return isOpen ? [.update(.open(path: ""))] : []
  }

  mutating func forget() { song = nil }

  /// Takes over what the conductor has open.
  mutating func adopt(_ place: SessionPlace?) {
    if let place, place.path != song?.place.path {
      (song, filename, preroll, multiplier) = (nil, place.path, -1, 1)
    }
    isOpen = place != nil
  }
}
