import Control
import MusicTime

/// Functions of modules that this module does not import. Each may block, except `quit`.
package struct KlickHost: Sendable {
  /// Reads a tempo map. Thread: the queue `tactus.klick.maps`
  package var readMap: @Sendable (KlickMapRequest) throws -> KlickSong
  /// The names of the JACK server's audio inputs. Thread: the queue `tactus.klick`, as for all that follow but `quit`
  package var inputs: @Sendable () -> [String]
  /// Connects `out` to an input.
  /// - Returns: whether it is connected now.
  package var connect: @Sendable (_ input: String) -> Bool
  /// Connects `out` to the physical outputs.
  package var autoconnect: @Sendable () -> Void
  /// Removes all connections of `out`.
  package var disconnectAll: @Sendable () -> Void
  /// Ends the program. Thread: osc, or `tactus.klick.maps`
  package var quit: @Sendable () -> Void

  package init(
    readMap: @escaping @Sendable (KlickMapRequest) throws -> KlickSong,
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

/// A request to read a tempo map, and how to play it.
package struct KlickMapRequest: Sendable {
  /// The name or path that the sender gave.
  package var file: String
  /// Bars of the count-in; 0 for two beats, -1 for none.
  package var preroll: Int
  /// A factor for all tempos, 0.01…100.
  package var multiplier: Double
  /// The name of a sound set.
  package var sound: String
}

/// A tempo map that has been read.
package struct KlickSong: Sendable {
  /// The first bar of a map, with which klick's simple metronome continues after it.
  package struct Beginning: Sendable {
    /// In quarter notes a minute, without the multiplier.
    package var tempo: Double
    package var meter: Meter
    /// nil if the map specifies none.
    package var accents: AccentPattern?

    package init(tempo: Double, meter: Meter, accents: AccentPattern?) {
      self.tempo = tempo
      self.meter = meter
      self.accents = accents
    }
  }

  /// The map as a setlist for the conductor.
  package var setlist: Setlist
  /// The file.
  package var place: SessionPlace
  /// The first bar.
  package var beginning: Beginning

  package init(setlist: Setlist, place: SessionPlace, beginning: Beginning) {
    self.setlist = setlist
    self.place = place
    self.beginning = beginning
  }
}
