import Control
import MusicTime

/// Going from one kind of metronome to another. As in klick, what comes is new: stopped, and with the map's beginning.
extension KlickState {
  /// - Throws: `InvalidValue` for a map that can't be played simply.
  mutating func change(to next: Kind) throws -> [Order] {
    var orders = leave()
    switch next {
    case .simple:
      kind = .simple
      orders += try begin(song.map { KlickSimple($0.beginning) } ?? KlickSimple())
    case .map:
      kind = .map
      orders += try reload()
    case .jack:
      kind = .jack
      orders += [.set(.role(.follow)), .set(.mute(true))]
    }
    return orders
  }

  /// Stops, and goes back to the settings of a metronome that is its own master.
  private mutating func leave() -> [Order] {
    var orders: [Order] = []
    if kind == .jack {
      orders += [.set(.role(role)), .set(.mute(isSilent))]
    } else {
      orders += [.update(.stop)]
      wantsActive = false
    }
    isActive = false
    simple.current = 0
    if kind == .map, isOpen { orders.append(.update(.open(path: ""))) }
    isOpen = false
    return orders
  }

  /// Plays from the settings.
  private mutating func begin(_ simple: KlickSimple) throws -> [Order] {
    self.simple = simple
    let bar = try simple.bar().map { Order.set($0) }
    self.simple.beatLength = 4 / Double(simple.denominator)
    (step, asked) = (nil, try self.simple.tempo(simple.tempo))
    return bar + [.set(.tempo(asked))]
  }

  /// Has the map read anew; without one klick plays a plain bar.
  mutating func reload() throws -> [Order] {
    isMapStale = false
    isActive = false
    guard filename.isEmpty else {
      wish = KlickMapWish(
        file: filename, preroll: preroll, multiplier: Double("\(multiplier)")!, sound: soundName)
      return []
    }
    let close = isOpen ? [Order.update(.open(path: ""))] : []
    var plain = KlickSimple()
    plain.tempo *= multiplier
    (song, isOpen, wantsActive) = (nil, false, false)
    return [.update(.stop)] + close + (try begin(plain))
  }

  /// Opens the map that was wished for.
  mutating func open(_ song: KlickSong) -> [Order] {
    let starts = startsMap
    (wish, startsMap) = (nil, false)
    self.song = song
    (isOpen, isActive, wantsActive) = (true, starts, starts)
    return [Order(content: .session(song.setlist, song.place))] + (starts ? [.update(.start)] : [])
  }
}
