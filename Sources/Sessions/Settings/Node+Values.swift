import Validation

extension Node {
  /// The scalar at a path of keys; nil if there is none.
  /// - Parameter parent: the keys above, for the error.
  /// - Throws: `InvalidValue` if the path contains something other than mappings.
  func text(at path: ArraySlice<String>, _ parent: String) throws(InvalidValue) -> String? {
    guard let key = path.first else {
      if case .scalar(let scalar) = self { return scalar.string }
      throw InvalidValue(parent, shown, allowed: "a single value")
    }
    guard case .mapping(let mapping) = self else {
      throw InvalidValue(parent.isEmpty ? "the file" : parent, shown, allowed: "keys and values")
    }
    guard let index = mapping.keys.firstIndex(where: { $0.string == key }) else { return nil }
    return try mapping.values[index].text(at: path.dropFirst(), parent.isEmpty ? key : "\(parent).\(key)")
  }

  /// - Throws: `InvalidValue` if the value is not a whole number.
  func integer(_ key: String) throws(InvalidValue) -> Int? {
    guard let text = try text(at: [key], "") else { return nil }
    guard let integer = Int(text) else { throw InvalidValue(key, quoted(text), allowed: "a whole number") }
    return integer
  }

  /// - Throws: `InvalidValue` if the value is not a number.
  func number(_ key: String) throws(InvalidValue) -> Double? {
    guard let text = try text(at: [key], "") else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw InvalidValue(key, quoted(text), allowed: "a number")
    }
    return number
  }

  /// The list under a key; empty if the key is missing.
  /// - Throws: `InvalidValue` if the value is not a list.
  func list(_ key: String) throws(InvalidValue) -> [Node] {
    guard case .mapping(let mapping) = self, let index = mapping.keys.firstIndex(where: { $0.string == key })
    else { return [] }
    return try mapping.values[index].items(key)
  }

  /// - Parameter name: the value's name, for the error.
  /// - Throws: `InvalidValue` if this is not a list.
  func items(_ name: String) throws(InvalidValue) -> [Node] {
    guard case .sequence(let list) = self else { throw InvalidValue(name, shown, allowed: "a list") }
    return list.items
  }

  /// The ports of Tactus with their peers.
  /// - Throws: `InvalidValue` if the connections are not keys and values.
  func ports() throws(InvalidValue) -> [(name: String, peers: Node)] {
    guard case .mapping(let root) = self,
      let index = root.keys.firstIndex(where: { $0.string == "connections" })
    else { return [] }
    guard case .mapping(let ports) = root.values[index] else {
      throw InvalidValue("connections", root.values[index].shown, allowed: "keys and values")
    }
    return zip(ports.keys, ports.values).map { ($0.string, $1) }
  }
}
