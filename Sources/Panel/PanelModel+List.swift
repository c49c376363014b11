import Control

/// The keys in the view *list*.
extension PanelModel {
  /// The index of the line under the cursor; nil if no line can be chosen.
  var listIndex: Int? {
    let content = ListContent(self)
    return list.selected.flatMap(content.index) ?? content.home
  }

  /// Whether a document of the session folder is the open session.
  func isOpen(_ name: String) -> Bool { snapshot.settings.session?.path.hasSuffix("/" + name) == true }

  /// Whether the list shows documents.
  var showsDocuments: Bool { view == .list && (progress == nil || list.showsDocuments) }

  /// Handles a key of the list.
  /// - Returns: nil if the key has no special function in the list; otherwise its action, if it has one outside the panel.
  mutating func pressInList(_ key: Key) -> Action?? {
    switch key {
    case .arrow(.up, _): moveInList(by: -1)
    case .arrow(.down, _): moveInList(by: 1)
    case .pageUp: moveInList(by: -10)
    case .pageDown: moveInList(by: 10)
    case .arrow, .backspace, .delete: break
    case .enter: return .some(chooseInList())
    case .tab, .backTab: return .some(changeList())
    case .escape: (list.selected, list.showsDocuments) = (nil, false)
    default: return nil
    }
    return .some(nil)
  }

  private mutating func moveInList(by step: Int) {
    guard let index = listIndex else { return }
    let content = ListContent(self)
    list.selected = content[content.index(step, from: index)]
  }

  /// Moves from presets, or from a session's songs, to documents and back.
  private mutating func changeList() -> Action? {
    if progress != nil {
      (list.selected, list.showsDocuments) = (nil, !list.showsDocuments)
    } else if case .document? = list.selected {
      list.selected = nil
    } else {
      list.selected = list.documents?.first.map { .document($0.name) }
    }
    return showsDocuments ? .listDocuments : nil
  }

  /// Handles Enter. On the current section it is `go`, as in the other views, so that the section is not started again.
  private mutating func chooseInList() -> Action? {
    guard let index = listIndex else { return .update(.advance) }
    let content = ListContent(self)
    let line = content[index]
    if case .section = line, content.isCurrent(line) {
      list.selected = nil
      return .update(.advance)
    }
    return choose(line)
  }

  /// Handles the choice of a line: goes to a song or section, recalls a preset, or opens a document.
  mutating func choose(_ line: ListContent.Line) -> Action? {
    switch line {
    case .song(let number):
      list.selected = nil
      return .update(.go(.song(number)))
    case .section(let number):
      list.selected = nil
      return .update(.go(.section(number)))
    case .preset(let number):
      list.selected = line
      return .update(.preset(.recall(.number(number))))
    case .document(let name):
      list.selected = line
      return open(name)
    case .text: return nil
    }
  }

  /// Opens a document; asks first while a session plays, because one wrong key must not end it.
  private mutating func open(_ name: String) -> Action? {
    guard !snapshot.isPlaying || progress == nil else {
      question = .open(name)
      return nil
    }
    return openNow(name)
  }

  mutating func openNow(_ name: String) -> Action? {
    if isOpen(name) { (list.selected, list.showsDocuments) = (nil, false) }
    // The path is needed, because a document with this name may be open from another folder.
    let folder = status.sessionFolder
    return .update(.open(path: folder.isEmpty ? name : "\(folder)/\(name)"))
  }
}
