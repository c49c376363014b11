import Control
import Validation

/// A place in a session, in the state file: keys at the top for the open session, an entry of `places` for another one.
struct PlaceDocument {
  static let keys = ["session", "song", "section", "step", "bar", "lap"]

  let place: SessionPlace

  init(_ place: SessionPlace) { self.place = place }

  func write(into tree: inout SettingsTree) {
    tree["session"] = .text(place.path)
    tree["song"] = .number(place.song)
    tree["section"] = .number(place.section)
    let bar = [("step", place.step), ("bar", place.bar), ("lap", place.lap)]
    for (key, number) in bar where number > 0 { tree[key] = .number(number) }
  }

  var tree: SettingsTree {
    var tree = SettingsTree()
    write(into: &tree)
    return tree
  }

  /// - Returns: nil without a session.
  /// - Throws: `InvalidValue`.
  init?(_ node: Node) throws(InvalidValue) {
    guard let path = try node.text(at: ["session"], "") else { return nil }
    place = SessionPlace(
      path: path, song: try node.integer("song") ?? 0, section: try node.integer("section") ?? 0,
      step: try node.integer("step") ?? 0, bar: try node.integer("bar") ?? 0,
      lap: try node.integer("lap") ?? 0)
  }
}
