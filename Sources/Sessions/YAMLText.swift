import MusicTime
import Yams

/// Turns YAML into a tree of nodes with bounded time and memory, whatever the text.
enum YAMLText {
  /// The deepest nesting of lists and mappings in a document.
  static let depthLimit = 16
  /// The most commas, colons, dashes and brackets that may separate values: with them grows the tree, 150 bytes and
  /// more for each value.
  static let separatorLimit = 1_500_000

  /// The tree of a text's only document; nil, and faults in the log, where there is none.
  static func compose(_ text: String, _ log: FaultLog) -> Node? {
    guard isHarmless(text, log) else { return nil }
    do {
      // Without rules for types: they are regular expressions, and take most of the time. Our own readers know
      // what they expect.
      guard let root = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot() else {
        log.report(line: 1, column: 1, "empty document", allowed: "a session: at least `sections` or `songs`")
        return nil
      }
      return node(root, depth: 1, log)
    } catch {
      report(error, text, log)
    }
    return nil
  }

  /// Refuses what would take too much time or memory in the parser: too many values, keys that are trees, and aliases,
  /// which can multiply a small text a billionfold. (Depth is libyaml's to refuse: it gives up at 1000 levels.)
  private static func isHarmless(_ text: String, _ log: FaultLog) -> Bool {
    var separators = 0
    var line = 1
    var lineStart = 0
    var previous = UInt8(ascii: "\n")
    var anchors: Set<String> = []
    let fault: (line: Int, column: Int, what: String, allowed: String)? = text.utf8.withContiguousStorage {
      bytes in
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "\n"):
          line += 1
          lineStart = index + 1
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"):
          separators += 1
        case UInt8(ascii: "-"):
          if index + 1 == bytes.count || isBlank(bytes[index + 1]) { separators += 1 }
        case UInt8(ascii: "?"):
          // Keys of this form can be trees, which Yams compares again on every level.
          guard index + 1 == bytes.count || isBlank(bytes[index + 1]) else { break }
          let before = bytes[lineStart..<index].last { !isBlank($0) }
          guard before.map({ ",:[]{}-?".utf8.contains($0) }) ?? true else { break }
          return (line, column(bytes[lineStart..<index]), "explicit key ?", "written as `key: value`")
        case UInt8(ascii: "&"), UInt8(ascii: "*"):
          // Words of a text look the same, but hardly as `&name` and again as `*name`.
          guard isBlank(previous) || ",:[{-?".utf8.contains(previous) else { break }
          let name = name(in: bytes[(index + 1)...])
          if byte == UInt8(ascii: "&") {
            anchors.insert(name)
          } else if !name.isEmpty, anchors.contains(name) {
            return (line, column(bytes[lineStart..<index]), "alias *\(name)", "written out: no aliases")
          }
        default: break
        }
        if separators > separatorLimit {
          let column = column(bytes[lineStart..<index])
          return (line, column, "more than \(separatorLimit) values", "at most \(separatorLimit) values")
        }
        previous = byte
      }
      return nil
    }
    guard let fault else { return true }
    log.report(line: fault.line, column: fault.column, fault.what, allowed: fault.allowed)
    return false
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t")].contains(byte)
  }

  /// The name of an anchor or alias as libyaml reads it.
  private static func name(in bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    let name = bytes.prefix { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return String(decoding: name.prefix(64), as: UTF8.self)
  }

  private static func column(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.count + 1
  }

  /// Our own tree of Yams's. The recursion ends at libyaml's limit at the latest.
  /// - Returns: nil, and a fault in the log, where it is nested too deeply.
  private static func node(_ node: Yams.Node, depth: Int, _ log: FaultLog) -> Node? {
    let mark = node.mark.map { Mark(line: $0.line, column: $0.column) }
    switch node {
    case .scalar(let scalar):
      return .scalar(Node.Scalar(string: scalar.string, isPlain: scalar.style == .plain, mark: mark))
    case .alias:
      log.report(mark, "alias", allowed: "written out: no aliases")
      return nil
    case .sequence, .mapping:
      guard depth <= depthLimit else {
        log.report(mark, "nesting", allowed: "at most \(depthLimit) levels deep")
        return nil
      }
    }
    if case .sequence(let list) = node {
      var items: [Node] = []
      items.reserveCapacity(list.count)
      for item in list {
        guard let item = self.node(item, depth: depth + 1, log) else { return nil }
        items.append(item)
      }
      return .sequence(Node.List(items: items, mark: mark))
    }
    guard case .mapping(let mapping) = node else { return nil }
    var keys: [Node.Scalar] = []
    var values: [Node] = []
    keys.reserveCapacity(mapping.count)
    values.reserveCapacity(mapping.count)
    for (key, value) in mapping {
      guard let key = self.node(key, depth: depth + 1, log),
        let value = self.node(value, depth: depth + 1, log)
      else { return nil }
      // What is no text can't be a known key, and is refused as an unknown one.
      if case .scalar(let name) = key {
        keys.append(name)
      } else {
        keys.append(Node.Scalar(string: key.shown, isPlain: false, mark: key.mark))
      }
      values.append(value)
    }
    return .mapping(Node.Mapping(keys: keys, values: values, mark: mark))
  }

  private static func report(_ error: any Error, _ text: String, _ log: FaultLog) {
    let allowed = "valid YAML"
    switch error {
    case YamlError.scanner(_, let problem, let place, _), YamlError.parser(_, let problem, let place, _):
      let mark = Mark(line: place.line, column: place.column)
      if problem.hasPrefix("Maximum nesting") {
        log.report(mark, "nesting", allowed: "at most \(depthLimit) levels deep")
      } else {
        log.report(mark, "YAML: \(problem)", allowed: allowed)
      }
    case YamlError.composer(_, let problem, let place, _):
      log.report(
        Mark(line: place.line, column: place.column), "YAML: \(problem)",
        allowed: "one document without aliases")
    case YamlError.reader(let problem, let offset, _, _):
      let before = text.utf8.prefix(offset ?? 0)
      let line = before.count { $0 == 0x0A } + 1
      let start = before.lastIndex(of: 0x0A).map { text.utf8.index(after: $0) } ?? before.startIndex
      let column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
      log.report(line: line, column: column, "YAML: \(problem)", allowed: allowed)
    case YamlError.duplicatedKeysInMapping(let keys, let context):
      let mark = Mark(line: context.mark.line, column: context.mark.column)
      log.report(mark, "key \(quoted(keys.first ?? "")) twice", allowed: "there once")
    default:
      log.report(line: 1, column: 1, "YAML: \(error)", allowed: allowed)
    }
  }
}

extension String.UTF8View {
  /// The bytes as they lie in memory; a native string has them in one piece.
  fileprivate func withContiguousStorage<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    if let result = withContiguousStorageIfAvailable(body) { return result }
    return Array(self).withUnsafeBufferPointer(body)
  }
}
