import Control
import MIDI
import TimeCheck
import Validation

/// The content of the state file: the saved parameters by their keys, the session, and the MIDI bindings. Every key is
/// optional. Unknown keys, from a newer version or the user, are ignored and kept.
///
/// The mute is not saved, so that a newly started metronome is never silent for a reason that the user has to search for.
struct SettingsDocument {
  let settings: Settings
  private let table: ParameterTable

  init(_ settings: Settings, _ table: ParameterTable = .standard) {
    self.settings = settings
    self.table = table
  }

  // MARK: Writing

  /// The document as YAML, with its keys in a fixed order.
  /// - Parameter old: the document that this one replaces; its unknown keys are kept.
  /// - Throws: `YAMLEmitter.EmitError`.
  func yaml(replacing old: Node? = nil) throws(YAMLEmitter.EmitError) -> String {
    var root = SettingsTree()
    for parameter in table.parameters where !parameter.savedAs.isEmpty {
      root[parameter.savedAs[...]] = .value(settings[parameter], of: parameter)
    }
    if settings.leadsIfFree { root["role"] = .text(RequestedRole(of: settings).name) }
    if let session = settings.session { PlaceDocument(session).write(into: &root) }
    if !settings.places.isEmpty { root["places"] = .list(settings.places.map { PlaceDocument($0).tree }) }
    if !settings.connections.isEmpty {
      root["connections"] = .keys(settings.connections.mapValues { .list($0.map { .text($0) }) })
    }
    if !settings.feedback.urls.isEmpty {
      root["osc-feedback"] = .list(settings.feedback.urls.map { .text($0) })
    }
    if settings.listening.isOn {
      root[["listen", "inputs"]] = .text(settings.listening.text)
      root[["listen", "hits"]] = .scalar(settings.listening.hasNotes ? "true" : "false")
    }
    if !settings.calibrations.isEmpty {
      root["calibrations"] = .list(settings.calibrations.map { CalibrationDocument($0).tree })
    }
    if !settings.bindings.isEmpty {
      root["midi"] = .list(bindings(replacing: old))
    }
    if !settings.presets.all.isEmpty {
      root["presets"] = .list(PresetDocument.trees(settings.presets, table, replacing: old))
      root["preset"] = settings.presets.current.map { .text($0) }
    }
    if let old { root.keep(old, except: knownKeys) }
    return try YAMLEmitter.text(root)
  }

  /// All keys that this version reads.
  var knownKeys: KnownKeys {
    var keys = KnownKeys()
    for parameter in table.parameters where !parameter.savedAs.isEmpty { keys.insert(parameter.savedAs[...]) }
    let others = ["places", "connections", "midi", "presets", "preset", "calibrations", "osc-feedback"]
    for key in PlaceDocument.keys + others { keys.insert([key]) }
    for key in ["inputs", "hits"] { keys.insert(["listen", key]) }
    return keys
  }

  /// Each binding, with the unknown keys of the old document's binding of the same control and gesture.
  private func bindings(replacing old: Node?) -> [SettingsTree] {
    var known: [String: Node] = [:]
    for node in (try? old?.list("midi")) ?? [] {
      guard let source = try? MIDISource(text: node.text(at: ["control"], "") ?? "") else { continue }
      let key = "\(source) \((try? node.text(at: ["gesture"], "")) ?? Gesture.press.rawValue)"
      // Of two, the first is used.
      known[key] = known[key] ?? node
    }
    return settings.bindings.map { binding in
      var tree = BindingDocument(binding).tree
      if let old = known["\(binding.source) \(binding.action.gesture.rawValue)"] {
        tree.keep(old, except: BindingDocument.knownKeys)
      }
      return tree
    }
  }

  // MARK: Reading

  /// - Throws: `InvalidValue` for the first value that is not allowed.
  init(_ root: Node, _ table: ParameterTable = .standard) throws(InvalidValue) {
    var faults = LeftOutValues()
    self.init(root, table, leavingOut: &faults)
    if let first = faults.first { throw first }
  }

  /// Reads all values that are allowed.
  /// - Parameter faults: receives the others. Of the lists, only presets are used without some of their values; other entries are
  ///   left out as a whole.
  init(_ root: Node, _ table: ParameterTable = .standard, leavingOut faults: inout LeftOutValues) {
    func attempt<T>(_ read: () throws(InvalidValue) -> T) -> T? {
      do throws(InvalidValue) { return try read() } catch {
        faults.append(error)
        return nil
      }
    }
    // `hasKeys`: whether an entry is a mapping; then errors name its key. An entry that throws is left out as a whole.
    func forEach(
      in name: String, hasKeys: Bool = true,
      _ read: (Node, _ report: (InvalidValue) -> Void) throws(InvalidValue) -> Void
    ) {
      let items = attempt { () throws(InvalidValue) in try root.list(name) }
      for (index, item) in (items ?? []).enumerated() {
        func report(_ error: InvalidValue) {
          faults.append(
            error.name.isEmpty
              ? InvalidValue(sentence: "\(name).\(index): \(error.allowed)")
              : InvalidValue(
                "\(name).\(index)" + (hasKeys ? ".\(error.name)" : ""), error.value, allowed: error.allowed))
        }
        do throws(InvalidValue) { try read(item, report) } catch { report(error) }
      }
    }

    let role = Parameters.role.parameter
    let requested = (try? root.text(at: role.savedAs[...], "")).flatMap { try? RequestedRole(text: $0) }
    let leadsIfFree = requested?.isConditional == true
    let parameters = table.parameters.filter { !$0.savedAs.isEmpty && !($0 == role && leadsIfFree) }
    var settings = Settings(parameters, in: root) { faults.append($0) }
    if leadsIfFree { settings.leadIfFree() }
    settings.session = attempt { () throws(InvalidValue) in try PlaceDocument(root)?.place } ?? nil
    forEach(in: "places") { item, _ throws(InvalidValue) in
      if let place = try PlaceDocument(item)?.place { settings.keep(place) }
    }
    let ports = attempt { () throws(InvalidValue) in try root.ports() }
    for (port, peers) in ports ?? [] {
      let name = "connections.\(port)"
      guard let items = attempt({ () throws(InvalidValue) in try peers.items(name) }) else { continue }
      let names = items.compactMap { item in
        attempt { () throws(InvalidValue) in try item.text(at: [], name) } ?? nil
      }
      // A port without peers is one that the user has disconnected.
      if !names.isEmpty || items.isEmpty { settings.connections[port] = names }
    }
    forEach(in: "osc-feedback", hasKeys: false) { item, _ throws(InvalidValue) in
      if let url = try item.text(at: [], "") { try settings.feed(.add(url: url)) }
    }
    let listening = attempt { () throws(InvalidValue) in
      ListeningSetup(
        inputs: try ListeningSetup.inputs(text: root.text(at: ["listen", "inputs"], "") ?? "off"),
        hasNotes: try root.text(at: ["listen", "hits"], "") == "true")
    }
    if let listening { settings.listen(to: listening) }
    forEach(in: "calibrations") { item, _ throws(InvalidValue) in
      settings.keep(try CalibrationDocument(item).calibration)
    }
    forEach(in: "midi") { item, _ throws(InvalidValue) in
      let binding = try BindingDocument(item).binding()
      // `bind` would replace the other one.
      guard !settings.hasBinding(like: binding) else {
        throw InvalidValue("control", quoted("\(binding.source)"), allowed: "bound once for each gesture")
      }
      try settings.bind(binding)
    }
    forEach(in: "presets") { item, report throws(InvalidValue) in
      try settings.add(PresetDocument.preset(item, table, leavingOut: report))
    }
    let preset = attempt { () throws(InvalidValue) in try root.text(at: ["preset"], "") } ?? nil
    if let preset { settings.noteCurrentPreset(preset) }
    self.settings = settings
    self.table = table
  }
}

extension Setting {
  /// - Parameter key: the parameter's key in the file, for the error.
  /// - Throws: `InvalidValue`.
  init(_ parameter: Parameter, text: String, at key: String) throws(InvalidValue) {
    do { try self.init(parameter, text: text) } catch {
      throw InvalidValue(key, error.value, allowed: error.allowed)
    }
  }
}

extension Settings {
  /// The settings with all values of a document that are allowed and fit each other; the first ones are used.
  /// - Parameter report: receives the faults of the others.
  init(_ parameters: [Parameter], in node: Node, leavingOut report: (InvalidValue) -> Void) {
    self.init()
    var changes: [Setting] = []
    for parameter in parameters {
      do throws(InvalidValue) {
        guard let text = try node.text(at: parameter.savedAs[...], "") else { continue }
        changes.append(try Setting(parameter, text: text, at: parameter.savedAs.joined(separator: ".")))
      } catch {
        report(error)
      }
    }
    do { try restore(changes) } catch {
      report(error)
      var fitting: [Setting] = []
      for change in changes {
        var next = Settings()
        guard (try? next.restore(fitting + [change])) != nil else { continue }
        fitting.append(change)
        self = next
      }
    }
  }
}
