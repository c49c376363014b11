import Control

/// The state of the view *list*.
struct ListState: Equatable, Sendable {
  /// Whether the view is shown.
  var isShown = false
  /// The line under the cursor; nil if the cursor follows the music, or is on the current preset.
  var selected: ListContent.Line?
  /// Whether the documents are shown instead of a session's songs.
  var showsDocuments = false
  /// The documents of the session folder; nil until they have arrived.
  var documents: [DocumentSummary]?
}

/// The lines of the view *list*: the songs of a set with the sections of the current one, or the presets and the documents.
///
/// Lines are created on demand, because a song may have 100 000 sections.
struct ListContent {
  enum Line: Equatable, Sendable {
    /// The number of a song, from 1.
    case song(Int)
    /// The number of a section of the current song, from 1.
    case section(Int)
    /// The number of a preset, from 1.
    case preset(Int)
    /// The file name of a document.
    case document(String)
    /// A heading or a hint, which the cursor skips.
    case text(String)

    var isText: Bool { if case .text = self { true } else { false } }
  }

  private enum Part {
    case songs(SessionProgress, SessionOutline)
    case texts([String])
    case presets(Int)
    case documents([DocumentSummary])

    var count: Int {
      switch self {
      case .songs(_, let outline):
        outline.sections.count + (outline.songs.count > 1 ? outline.songs.count : 0)
      case .texts(let lines): lines.count
      case .presets(let count): count
      case .documents(let documents): documents.count
      }
    }
  }

  private let parts: [Part]
  /// The line of the current section, preset or document; nil if there is none.
  private let currentLine: Line?

  /// - Parameter isBrowser: whether presets and documents are listed; otherwise only songs and sections.
  init(_ model: PanelModel, isBrowser: Bool = true) {
    if let progress = model.progress, let outline = progress.outline,
      !isBrowser || !model.list.showsDocuments
    {
      parts = [.songs(progress, outline)]
      currentLine = .section(progress.sectionNumber)
      return
    }
    guard isBrowser else {
      (parts, currentLine) = ([], nil)
      return
    }
    let presets = model.snapshot.settings.presets
    let documents = model.list.documents ?? []
    var parts: [Part] = []
    if model.progress == nil {
      parts.append(
        presets.all.isEmpty
          ? .texts([
            "No presets yet. :save NAME keeps the present setting,", "F1 to F12 recall the first twelve.",
          ]) : .presets(presets.all.count))
    }
    parts.append(.texts(["Documents"]))
    if model.list.documents == nil {
      parts.append(.texts(["  being listed"]))
    } else if documents.isEmpty {
      parts.append(.texts(["  none in \(model.status.sessionFolder)"]))
    } else {
      parts.append(.documents(documents))
    }
    self.parts = parts
    currentLine =
      model.progress == nil
      ? presets.currentNumber.map { .preset($0) }
      : documents.first { model.isOpen($0.name) }.map { .document($0.name) }
  }

  var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// The index of the line under the cursor until the user moves it: the current line, otherwise the first; nil if no line can
  /// be chosen.
  var home: Int? {
    currentLine.flatMap(index) ?? (0..<count).first { !self[$0].isText }
  }

  subscript(index: Int) -> Line {
    var index = index
    for part in parts {
      guard index >= part.count else { return ListContent.line(index, of: part) }
      index -= part.count
    }
    return .text("")
  }

  private static func line(_ index: Int, of part: Part) -> Line {
    switch part {
    case .texts(let lines): return .text(lines[index])
    case .presets: return .preset(index + 1)
    case .documents(let documents): return .document(documents[index].name)
    case .songs(let progress, let outline):
      // The sections of the current song stand below its title.
      guard outline.songs.count > 1 else { return .section(index + 1) }
      if index < progress.song { return .song(index + 1) }
      let section = index - progress.song + 1
      return section <= outline.sections.count ? .section(section) : .song(index + 1 - outline.sections.count)
    }
  }

  /// The index of a line; nil if it is not listed.
  func index(of line: Line) -> Int? {
    var start = 0
    for part in parts {
      if let index = ListContent.index(of: line, in: part) { return start + index }
      start += part.count
    }
    return nil
  }

  private static func index(of line: Line, in part: Part) -> Int? {
    switch (part, line) {
    case (.presets(let count), .preset(let number)): return 1...count ~= number ? number - 1 : nil
    case (.documents(let documents), .document(let name)): return documents.firstIndex { $0.name == name }
    case (.songs(let progress, let outline), .section(let number)):
      guard outline.sections.indices.contains(number - 1) else { return nil }
      return number - 1 + (outline.songs.count > 1 ? progress.song : 0)
    case (.songs(let progress, let outline), .song(let number)):
      guard outline.songs.count > 1, outline.songs.indices.contains(number - 1) else { return nil }
      return number - 1 + (number > progress.song ? outline.sections.count : 0)
    default: return nil
    }
  }

  /// Whether a line is that of the current section, preset or document.
  func isCurrent(_ line: Line) -> Bool { line == currentLine }

  /// The index of the line that is `step` lines from another one, or of the next line that can be chosen: first in the same
  /// direction, then back.
  func index(_ step: Int, from start: Int) -> Int {
    let wanted = (start + step).clamped(to: 0...max(count - 1, 0))
    var index = wanted
    while (0..<count).contains(index), self[index].isText { index += step.signum() }
    if (0..<count).contains(index) { return index }
    index = wanted
    while index != start, self[index].isText { index -= step.signum() }
    return index
  }
}
