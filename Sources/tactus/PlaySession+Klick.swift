import Control
import JACKClient
import KlickControl
import Realtime
import Sessions

/// The functions of other modules for klick's OSC interface.
extension PlaySession {
  static func klickHost(
    _ host: JACKHost, noting opening: OpeningNote, end: MonotonicSemaphore
  ) -> KlickHost {
    KlickHost(
      readMap: { try readMap($0, noting: opening) }, inputs: { host.audioInputs },
      connect: { host.connectOut(to: $0) }, autoconnect: { host.connectOutToPhysical() },
      disconnectAll: { host.disconnectOut() }, quit: { end.signal() })
  }

  private static func readMap(_ request: KlickMapRequest, noting opening: OpeningNote) throws -> KlickSong {
    let path = try SessionReading.documents.path(of: request.file)
    return try opening.reading(path) {
      let map = try KlickMap(path: path)
      let song = try map.plan(preroll: request.preroll, multiplier: request.multiplier, sound: request.sound)
      let beginning = map.beginning
      return KlickSong(
        setlist: Setlist(title: song.title, songs: [Setlist.Entry(song: song)]),
        place: SessionPlace(path: path),
        beginning: KlickSong.Beginning(
          tempo: beginning.tempo, meter: beginning.meter, accents: beginning.accents))
    }
  }
}
