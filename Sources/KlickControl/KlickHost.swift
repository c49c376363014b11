import Control
import MusicTime

/// What klick's remote needs from modules that this one does not import.
package struct KlickHost: Sendable {
  /// Reads a tempo map; on a queue of its own.
  package var readMap: @Sendable (KlickMapWish) throws -> KlickSong
  /// The audio inputs of the JACK server.
  package var inputs: @Sendable () -> [String]
  /// Connects `out` to an input.
  /// - Returns: whether they are connected now.
  package var connect: @Sendable (_ input: String) -> Bool
  /// Connects `out` to the physical outputs.
  package var autoconnect: @Sendable () -> Void
  /// Removes all connections of `out`.
  package var disconnectAll: @Sendable () -> Void
  /// Ends the program.
  package var quit: @Sendable () -> Void

  package init(
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
package struct KlickMapWish: Sendable {
  /// As the sender names it.
  package var file: String
  /// Bars that count in; 0 for two beats, -1 for nothing.
  package var preroll: Int
  /// Multiplies every tempo.
  package var multiplier: Double
  /// The name of a sound set.
  package var sound: String
}

/// A tempo map that has been read.
package struct KlickSong: Sendable {
  /// The first bar of a map, which klick's simple metronome takes over from it.
  package struct Beginning: Sendable {
    /// Quarter notes a minute, before the multiplier.
    package var tempo: Double
    package var meter: Meter
    /// nil if the map does not say.
    package var accents: AccentPattern?

    package init(tempo: Double, meter: Meter, accents: AccentPattern?) {
      self.tempo = tempo
      self.meter = meter
      self.accents = accents
    }
  }

  package var setlist: Setlist
  package var place: SessionPlace
  package var beginning: Beginning

  package init(setlist: Setlist, place: SessionPlace, beginning: Beginning) {
    self.setlist = setlist
    self.place = place
    self.beginning = beginning
  }
}
