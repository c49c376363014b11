import Control
import Validation

/// The content to write: mappings, lists of mappings, and scalars.
enum SettingsTree {
  case scalar(String, isQuoted: Bool = false)
  case list([SettingsTree])
  case keys([String: SettingsTree])

  init() { self = .keys([:]) }

  static func text(_ text: String) -> SettingsTree { .scalar(text, isQuoted: YAMLScalar.needsQuotes(text)) }
  static func number(_ number: Int) -> SettingsTree { .scalar("\(number)") }
  static func number(_ number: Double) -> SettingsTree { .scalar("\(number)") }

  static func value(_ value: ParameterValue, of parameter: Parameter) -> SettingsTree {
    switch value {
    case .number, .integer: .scalar(parameter.text(value))
    case .flag(let flag): .scalar(flag ? "true" : "false")
    case .text, .pair: .text(parameter.text(value))
    }
  }

  subscript(key: String) -> SettingsTree? {
    get { if case .keys(let keys) = self { keys[key] } else { nil } }
    set {
      guard case .keys(var keys) = self else { return }
      keys[key] = newValue
      self = .keys(keys)
    }
  }

  /// - Precondition: the path contains only mappings.
  subscript(path: ArraySlice<String>) -> SettingsTree? {
    get { path.first.flatMap { self[$0]?[path.dropFirst()] } ?? (path.isEmpty ? self : nil) }
    set {
      guard let key = path.first else { return }
      if path.count == 1 {
        self[key] = newValue
        return
      }
      var inner = self[key] ?? SettingsTree()
      inner[path.dropFirst()] = newValue
      self[key] = inner
    }
  }
}

// MARK: - Unknown keys

/// The keys of a document that this version reads. Everything under a key without keys of its own is known, too.
struct KnownKeys {
  private var keys: [String: KnownKeys] = [:]

  mutating func insert(_ path: ArraySlice<String>) {
    guard let key = path.first else { return }
    keys[key, default: KnownKeys()].insert(path.dropFirst())
  }

  /// What is known under a key; nil if the key is unknown.
  subscript(key: String) -> KnownKeys? { keys[key] }

  var isEmpty: Bool { keys.isEmpty }

  /// The maximum number of unknown keys of a mapping, and of entries of a list, that are compared. A hostile file could have
  /// 100 000.
  static let compared = 1_000

  /// The unknown keys of a document that resemble known keys which are missing there, and these.
  func misspelled(in node: Node) -> [(key: String, known: String)] {
    guard case .mapping(let mapping) = node, !isEmpty else { return [] }
    let present = Set(mapping.keys.map(\.string))
    let missing = keys.keys.filter { !present.contains($0) }.sorted()
    var found: [(key: String, known: String)] = []
    for key in mapping.keys.lazy.map(\.string).filter({ keys[$0] == nil }).prefix(KnownKeys.compared) {
      if let known = Spelling.corrected(key, among: missing) { found.append((key, known)) }
    }
    for (key, value) in zip(mapping.keys, mapping.values) {
      guard let inner = keys[key.string] else { continue }
      found += inner.misspelled(in: value).map { ("\(key.string).\($0)", "\(key.string).\($1)") }
    }
    return found
  }
}

extension SettingsTree {
  /// Adds the values of another document whose keys are unknown to this version.
  mutating func keep(_ node: Node, except known: KnownKeys) {
    guard case .mapping(let mapping) = node else { return }
    for (key, value) in zip(mapping.keys, mapping.values) {
      if let known = known[key.string] {
        guard !known.isEmpty else { continue }
        var inner = self[key.string] ?? SettingsTree()
        inner.keep(value, except: known)
        self[key.string] = inner
      } else if self[key.string] == nil {
        self[key.string] = SettingsTree(value)
      }
    }
  }

  /// A value as it was read. It keeps its quotes, so that a text remains a text.
  private init(_ node: Node) {
    switch node {
    case .scalar(let scalar): self = scalar.isPlain ? .scalar(scalar.string) : .text(scalar.string)
    case .sequence(let list): self = .list(list.items.map(SettingsTree.init))
    case .mapping(let mapping):
      let pairs = zip(mapping.keys, mapping.values).map { ($0.string, SettingsTree($1)) }
      self = .keys(Dictionary(pairs) { first, _ in first })
    }
  }
}
