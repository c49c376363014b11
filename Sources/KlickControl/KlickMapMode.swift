import Control

/// klick's metronome `map`: which map it plays, and how.
struct KlickMapMode {
  private(set) var filename = ""
  /// Bars of the count-in, up to 99; 0 for two beats, −1 for none.
  private(set) var preroll = -1
  private(set) var multiplier: Float = 1
  /// The map that was read last; nil if there is none, or if the conductor has opened another session.
  private(set) var song: KlickSong?
  /// Whether the map is open, so that it plays and not the settings.
  private(set) var isOpen = false
  /// The map to read first. The change's requests to the conductor wait for it; nil for none.
  private(set) var request: KlickMapRequest?
  /// Whether the map must be read again before it starts.
  private(set) var isStale = false
  /// Whether the map starts when it has been read.
  private var startsWhenRead = false

  mutating func load(_ filename: String) { self.filename = filename }

  mutating func setPreroll(_ bars: Int) { preroll = bars }

  mutating func setMultiplier(_ factor: Float) { multiplier = factor }

  /// Records that the map's sound has changed: it is read again when it starts the next time.
  mutating func invalidate() { isStale = true }

  /// Requests that the map be read.
  /// - Parameter sound: the name of a sound set.
  /// - Returns: whether there is a map to read.
  mutating func reload(sound: String) -> Bool {
    isStale = false
    guard !filename.isEmpty else { return false }
    // The factor that the sender wrote: 1.1, and not 1.100000023841858, the exact value of the nearest float.
    request = KlickMapRequest(
      file: filename, preroll: preroll, multiplier: multiplier.asWritten, sound: sound)
    return true
  }

  mutating func startWhenRead() { startsWhenRead = true }

  /// Opens the requested map.
  /// - Returns: whether it must start.
  mutating func open(_ song: KlickSong) -> Bool {
    defer { (request, startsWhenRead) = (nil, false) }
    self.song = song
    isOpen = true
    return startsWhenRead
  }

  /// Closes the map. `song` stays.
  /// - Returns: the orders that close it; empty if it is not open.
  mutating func close() -> [KlickOrder] {
    defer { isOpen = false }
    return isOpen ? [.update(.open(path: ""))] : []
  }

  mutating func forget() { song = nil }

  /// Adopts the session that the conductor has open.
  mutating func adopt(_ place: SessionPlace?) {
    if let place, place.path != song?.place.path {
      (song, filename, preroll, multiplier) = (nil, place.path, -1, 1)
    }
    isOpen = place != nil
  }
}
