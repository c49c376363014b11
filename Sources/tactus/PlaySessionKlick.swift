import Control
import JACKClient
import OSCControl
import Realtime
import Sessions

/// What klick's remote needs of the other rooms.
extension PlaySession {
  /// - Parameter folder: where maps are looked for that are named over the network.
  static func klickHost(_ host: JACKHost, folder: String, end: MonotonicSemaphore) -> KlickHost {
    KlickHost(
      readMap: { try readMap($0, in: SessionFolder(path: folder)) }, inputs: { host.audioInputs },
      connect: { host.connectOut(to: $0) }, autoconnect: { host.connectOutToPhysical() },
      disconnectAll: { host.disconnectOut() }, quit: { end.signal() })
  }

  private static func readMap(_ wish: KlickMapWish, in folder: SessionFolder) throws -> KlickSong {
    let path = try folder.resolveMap(wish.file)
    let map = try KlickMap(path: path)
    let song = try map.plan(preroll: wish.preroll, multiplier: wish.multiplier, sound: wish.sound)
    let beginning = map.beginning
    return KlickSong(
      setlist: Setlist(title: song.title, songs: [Setlist.Entry(song: song)]),
      place: SessionPlace(path: path),
      beginning: KlickSong.Beginning(
        tempo: beginning.tempo, meter: beginning.meter, accents: beginning.accents))
  }
}
