import Control
import Validation

/// The presets in the state file: a list of names, with the settings' keys for the values that differ from the defaults.
enum PresetDocument {
  /// - Parameter old: the document that is replaced; the unknown keys of its presets are kept.
  static func trees(_ presets: PresetList, _ table: ParameterTable, replacing old: Node?) -> [SettingsTree] {
    var known: [String: Node] = [:]
    for node in (try? old?.list("presets")) ?? [] {
      if let name = try? node.text(at: ["name"], "") { known[name] = node }
    }
    let keys = knownKeys(table)
    return presets.all.map { preset in
      var tree = SettingsTree()
      tree["name"] = .text(preset.name)
      for parameter in parameters(table) where preset[parameter] != parameter.standard {
        tree[parameter.savedAs[...]] = .value(preset[parameter], of: parameter)
      }
      if let old = known[preset.name] { tree.keep(old, except: keys) }
      return tree
    }
  }

  /// Reads a preset with all values that are allowed.
  /// - Parameter report: receives the faults of the others.
  /// - Throws: `InvalidValue` if it has no valid name.
  static func preset(
    _ node: Node, _ table: ParameterTable, leavingOut report: (InvalidValue) -> Void
  ) throws(InvalidValue) -> Preset {
    guard let name = try node.text(at: ["name"], "") else {
      throw InvalidValue("name", "missing", allowed: "given")
    }
    return try Preset(name, of: Settings(parameters(table), in: node, leavingOut: report))
  }

  private static func parameters(_ table: ParameterTable) -> [Parameter] {
    table.parameters.filter { $0.isInPresets && !$0.savedAs.isEmpty }
  }

  static func knownKeys(_ table: ParameterTable) -> KnownKeys {
    var keys = KnownKeys()
    keys.insert(["name"])
    for parameter in parameters(table) { keys.insert(parameter.savedAs[...]) }
    return keys
  }
}
