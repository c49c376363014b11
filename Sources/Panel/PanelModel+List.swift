import Control

/// What the keys do in the view *list*.
extension PanelModel {
  /// The line that the cursor is on; nil if there is nothing to choose.
  var listIndex: Int? {
    let content = ListContent(self)
    return list.selected.flatMap(content.index) ?? content.home
  }

  /// Whether a document of the session folder is the session that is open.
  func isOpen(_ name: String) -> Bool { snapshot.settings.session?.path.hasSuffix("/" + name) == true }

  /// Whether the list shows documents.
  var showsDocuments: Bool { view == .list && (progress == nil || list.showsDocuments) }

  /// Handles a key of the list.
  /// - Returns: nil if the list has no use for the key.
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

  /// From presets to documents and back, from a session's songs to documents and back.
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

  /// Where the music is, Enter is `go`, as in the other views: what plays is not started again.
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

  /// Goes to a line of the list: recalls, opens, or moves the music there.
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

  /// A session that plays is not ended by one wrong key.
  private mutating func open(_ name: String) -> Action? {
    guard !snapshot.isPlaying || progress == nil else {
      question = .open(name)
      return nil
    }
    return openNow(name)
  }

  mutating func openNow(_ name: String) -> Action? {
    if isOpen(name) { (list.selected, list.showsDocuments) = (nil, false) }
    // Its path: the user may have opened another of that name elsewhere.
    let folder = status.sessionFolder
    return .update(.open(path: folder.isEmpty ? name : "\(folder)/\(name)"))
  }
}
