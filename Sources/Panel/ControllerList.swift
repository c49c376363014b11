import Control

/// The list of MIDI controllers: the bindings of controls, and all targets that a control can learn.
struct ControllerList: Equatable, Sendable {
  enum Row: Equatable, Sendable {
    case binding(MIDIBinding)
    case target(Learnable)
  }

  /// The search text; only rows that contain all its words are listed.
  private(set) var search = ""
  /// The selected row, from 0.
  private(set) var row: Int
  /// How a control sets the selected target: the index in `MIDIAction.ways(of:)`.
  private(set) var way = 0

  /// - Parameter row: the row that is selected first.
  init(row: Int) { self.row = row }

  mutating func select(_ row: Int) { (self.row, way) = (row, 0) }

  mutating func changeWay(by step: Int, of count: Int) {
    if count > 0 { way = (way + step + count) % count }
  }

  mutating func type(_ character: Character) {
    if search.count < 100 { search.append(character) }
    select(0)
  }

  /// Removes the last character of the search text, or all of it.
  mutating func erase(all: Bool) {
    if all { search = "" } else if !search.isEmpty { search.removeLast() }
    select(0)
  }

  fileprivate func contains(_ text: String) -> Bool {
    let text = text.lowercased()
    return search.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
  }
}

/// The keys in the list of controllers.
extension PanelModel {
  /// The listed rows: bindings, then targets. A search text that is itself a target is one of them.
  var controllerRows: [ControllerList.Row] {
    guard let list = controllers else { return [] }
    let bindings = snapshot.settings.bindings.filter { list.contains("\($0)") }
    let found = learnables.filter { list.contains("\($0.target) \($0.help)") }
    let typed = [typed(list.search)].compactMap { $0 }
    let isHalf = typed.contains { typed in
      found.contains { "\($0.target)".lowercased().hasPrefix("\(typed.target)".lowercased()) }
    }
    return bindings.map { .binding($0) } + (isHalf ? found + typed : typed + found).map { .target($0) }
  }

  /// The search text as a target, if it is one that is not listed; otherwise nil. Presets are listed, so other presets don't
  /// exist.
  private func typed(_ text: String) -> Learnable? {
    guard let target = try? MIDITarget(text: text, among: table) else { return nil }
    if case .preset(.name) = target { return nil }
    // The case of letters does not matter.
    let isListed = learnables.contains { "\($0.target)".lowercased() == "\(target)".lowercased() }
    return isListed ? nil : Learnable(target, "as typed")
  }

  private var learnables: [Learnable] { Learnable.all(snapshot, table, sounds: sounds) }

  /// The action that the next moved control learns after Enter; nil if nothing is selected.
  var selectedAction: MIDIAction? {
    let rows = controllerRows
    guard let list = controllers, rows.indices.contains(list.row) else { return nil }
    switch rows[list.row] {
    case .binding(let binding): return binding.action
    case .target(let learnable):
      let ways = MIDIAction.ways(of: learnable.target)
      return ways.indices.contains(list.way) ? ways[list.way] : ways.first
    }
  }

  mutating func openControllers() {
    controllers = ControllerList(row: snapshot.settings.bindings.count)
  }

  /// Handles a key in the list.
  mutating func pressInControllers(_ key: Key) -> Action? {
    switch key {
    case .arrow(.up, _): move(by: -1)
    case .arrow(.down, _): move(by: 1)
    case .pageUp: move(by: -10)
    case .pageDown: move(by: 10)
    case .arrow(let direction, _):
      let count = selectedAction.map { MIDIAction.ways(of: $0.target).count } ?? 0
      controllers?.changeWay(by: direction == .right ? 1 : -1, of: count)
    case .enter: return learnSelected()
    case .delete: return removeSelected()
    case .escape: return leaveControllers()
    case .backspace: controllers?.erase(all: false)
    // Space starts and stops here, too, unless it separates the words of a search text.
    case .character(" ") where controllers?.search.isEmpty != false: return .update(.toggle)
    // Ctrl-U clears the search text.
    case .eraseText: controllers?.erase(all: true)
    case .character(let character):
      controllers?.type(character)
    case .home: move(by: -controllerRows.count)
    case .end: move(by: controllerRows.count)
    case .tab, .backTab, .function, .mouse, .controlSpace, .eraseWord: break
    }
    return nil
  }

  private mutating func move(by step: Int) {
    guard let list = controllers else { return }
    let last = max(controllerRows.count - 1, 0)
    controllers?.select((list.row + step).clamped(to: 0...last))
  }

  private mutating func learnSelected() -> Action? {
    guard let action = selectedAction else { return nil }
    return .update(.learn(snapshot.learning == action ? nil : action))
  }

  private mutating func removeSelected() -> Action? {
    let rows = controllerRows
    guard let list = controllers, rows.indices.contains(list.row) else { return nil }
    switch rows[list.row] {
    case .binding(let binding): return .update(.unbind(binding))
    case .target(let learnable): return .update(.unlearn(learnable.target))
    }
  }

  /// Cancels learning; otherwise clears the search text; otherwise closes the list.
  private mutating func leaveControllers() -> Action? {
    if snapshot.learning != nil { return .update(.learn(nil)) }
    if controllers?.search.isEmpty == false {
      controllers?.erase(all: true)
    } else {
      controllers = nil
    }
    return nil
  }
}
