import Control
import Validation

/// Reads the entries of a setlist, without opening the songs.
struct SetlistReader {
  let log: FaultLog

  struct Song {
    let file: String
    let mark: Mark
    let after: AfterSong
  }

  func songs(_ fields: Fields) -> (title: String, songs: [Song])? {
    let title = fields["title"].flatMap { node in
      log.read(at: node.mark) { () throws(InvalidValue) in try readText(node, "title") }
    }
    guard let node = fields["songs"], case .sequence(let list) = node,
      1...SessionLimits.songs ~= list.items.count
    else {
      let node = fields["songs"]
      log.report(
        node?.mark ?? fields.mark, "songs \(node?.shown ?? "(nothing)")",
        allowed: "a list of 1…\(SessionLimits.songs) files")
      return nil
    }
    return (title ?? "", list.items.compactMap(song))
  }

  private func song(_ node: Node) -> Song? {
    guard case .mapping = node else {
      return file(node).map { Song(file: $0, mark: node.mark, after: .wait) }
    }
    guard let fields = Fields(node, of: "song", known: DocumentKeys.entry, log) else { return nil }
    guard let path = fields["file"] else {
      log.report(fields.mark, "missing key file", allowed: "the path of a document")
      return nil
    }
    let after = fields["then"].map(after) ?? .wait
    guard let file = file(path), let after else { return nil }
    return Song(file: file, mark: path.mark, after: after)
  }

  private func file(_ node: Node) -> String? {
    log.read(at: node.mark) { () throws(InvalidValue) in try readText(node, "file", limit: 4_096) }
  }

  private func after(_ node: Node) -> AfterSong? {
    if case .scalar(let scalar) = node, scalar.string == "wait" { return .wait }
    return log.read(at: node.mark) { () throws(InvalidValue) in
      do throws(InvalidValue) {
        return .pause(milliseconds: try readMilliseconds(node, "then", 0...3_600_000))
      } catch {
        throw InvalidValue(error.name, error.value, allowed: "wait, or " + error.allowed)
      }
    }
  }
}
