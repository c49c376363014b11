import Control
import Foundation
import JACKClient
import MusicTime
import OSCControl
import Realtime
import Sessions

/// What klick's remote needs of the other rooms.
extension PlaySession {
  /// - Parameter folder: where maps are looked for that are named over the network.
  static func klickHost(_ host: JACKHost, folder: String, end: MonotonicSemaphore) -> KlickHost {
    KlickHost(
      readMap: { try readMap($0, folder: folder) }, inputs: { host.audioInputs },
      connect: { host.connectOut(to: $0) }, autoconnect: { host.connectOutToPhysical() },
      disconnectAll: { host.disconnectOut() }, quit: { end.signal() })
  }

  private static func readMap(_ wish: KlickMapWish, folder: String) throws -> KlickSong {
    // klick's users write whole paths; those into the folder are as good as names in it.
    let roots = [folder, (folder as NSString).resolvingSymlinksInPath].map { $0 + "/" }
    let root = roots.first { wish.file.hasPrefix($0) } ?? ""
    guard !root.isEmpty || !wish.file.hasPrefix("/") else {
      throw InvalidValue("map", quoted(wish.file), allowed: "in the session folder \(folder)")
    }
    let name = String(wish.file.dropFirst(root.count))
    let path = try SessionFolder(path: folder).resolve(name)
    let map = try KlickMap(path: path)
    let countIn: SectionLength? =
      switch wish.preroll {
      case ..<0: nil
      case 0: .beats(2)
      default: .bars(wish.preroll)
      }
    let song = try map.plan(countIn: countIn, multiplier: wish.multiplier, sound: wish.sound)
    let beginning = map.beginning
    return KlickSong(
      setlist: Setlist(title: song.title, songs: [Setlist.Entry(song: song)]),
      place: SessionPlace(path: path),
      beginning: KlickSong.Beginning(
        tempo: beginning.tempo, meter: beginning.meter, accents: beginning.accents))
  }
}
