import Control
import Engine
import Foundation
import MusicTime

@testable import Panel

/// The width of a character depends on the locale.
let unicode: Glyphs = {
  setlocale(LC_CTYPE, "C.UTF-8")
  return .unicode
}()

func model() -> PanelModel { model { _ in } }

/// A metronome that plays, changed.
func model(_ change: (inout PanelModel) throws -> Void) rethrows -> PanelModel {
  var snapshot = Snapshot(settings: Settings())
  snapshot.isPlaying = true
  snapshot.sampleRate = 48_000
  var model = PanelModel(snapshot)
  try change(&model)
  return model
}

extension PanelModel {
  /// Changes a setting; a role is granted.
  mutating func set(_ setting: Setting) throws {
    try snapshot.settings.set(setting)
    snapshot.role = snapshot.settings.role
  }

  /// Shows a view.
  mutating func show(_ view: View) {
    list.isShown = view == .list
    // A flag has no invalid values.
    if view != .list { try! set(.stageView(view == .stage)) }
  }

  mutating func press(_ keys: Key...) -> Action? {
    var last: Action?
    for key in keys { last = press(key) }
    return last
  }

  mutating func type(_ text: String) { for character in text { _ = press(.character(character)) } }

  func lines(_ columns: Int = 80, _ rows: Int = 24, _ glyphs: Glyphs = unicode) -> [String] {
    PanelDrawing.draw(self, columns: columns, rows: rows, glyphs).lines
  }
}

/// A session's progress in the middle of a song.
func progress(_ change: (inout SessionProgress) -> Void = { _ in }) throws -> SessionProgress {
  var progress = SessionProgress(layout: try BarLayout(meter: Meter(3, 4)))
  (progress.song, progress.songs, progress.title) = (2, 3, "Blue Rondo")
  (progress.section, progress.bar, progress.bars) = ("Verse", 4, 16)
  (progress.sectionLeft, progress.songLeft, progress.next) = (65, 130, "Chorus")
  (progress.sectionElapsed, progress.sectionLength) = (15, 80)
  (progress.songElapsed, progress.songLength) = (60, 190)
  progress.tempo = try Tempo(90)
  change(&progress)
  return progress
}
