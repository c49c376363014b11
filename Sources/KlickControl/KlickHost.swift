import Control
import MusicTime

/// What klick's remote needs from modules that this one does not import.
public struct KlickHost: Sendable {
  /// Reads a tempo map; on a queue of its own.
  public var readMap: @Sendable (KlickMapWish) throws -> KlickSong
  /// The audio inputs of the JACK server.
  public var inputs: @Sendable () -> [String]
  /// Connects `out` to an input.
  /// - Returns: whether they are connected now.
  public var connect: @Sendable (_ input: String) -> Bool
  /// Connects `out` to the physical outputs.
  public var autoconnect: @Sendable () -> Void
  /// Removes all connections of `out`.
  public var disconnectAll: @Sendable () -> Void
  /// Ends the program.
  public var quit: @Sendable () -> Void

  public init(
    readMap: @escaping @Sendable (KlickMapWish) throws -> KlickSong,
    inputs: @escaping @Sendable () -> [String], connect: @escaping @Sendable (String) -> Bool,
    autoconnect: @escaping @Sendable () -> Void, disconnectAll: @escaping @Sendable () -> Void,
    quit: @escaping @Sendable () -> Void
  ) {
    self.readMap = readMap
    self.inputs = inputs
    self.connect = connect
    self.autoconnect = autoconnect
    self.disconnectAll = disconnectAll
    self.quit = quit
  }
}

/// A tempo map that is to be read, and how it is to be played.
public struct KlickMapWish: Sendable {
  /// As the sender names it.
  public var file: String
  /// Bars that count in; 0 for two beats, -1 for nothing.
  public var preroll: Int
  /// Multiplies every tempo.
  public var multiplier: Double
  /// The name of a sound set.
  public var sound: String
}

/// A tempo map that has been read.
public struct KlickSong: Sendable {
  /// The first bar of a map, which klick's simple metronome takes over from it.
  public struct Beginning: Sendable {
    /// Quarter notes a minute, before the multiplier.
    public var tempo: Double
    public var meter: Meter
    /// nil if the map does not say.
    public var accents: AccentPattern?

    public init(tempo: Double, meter: Meter, accents: AccentPattern?) {
      self.tempo = tempo
      self.meter = meter
      self.accents = accents
    }
  }

  public var setlist: Setlist
  public var place: SessionPlace
  public var beginning: Beginning

  public init(setlist: Setlist, place: SessionPlace, beginning: Beginning) {
    self.setlist = setlist
    self.place = place
    self.beginning = beginning
  }
}
