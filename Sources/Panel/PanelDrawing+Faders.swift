import Control
import Engine
import MusicTime
import TimeCheck

/// Draws the faders, the session's progress, and the states of JACK, OSC and MIDI.
extension PanelDrawing {
  private static let nameWidth = 11
  private static let patternRows = 9
  /// The rows of the layers' faders, below the progress of a session.
  private static let layerRows = 7..<9

  /// Draws the subdivisions and the swing, or the progress of a session instead.
  mutating func drawPattern(_ row: Int, column: Int, end: Int) {
    if let progress = model.progress {
      drawProgress(progress, row, column: column + 2, end: end)
      let rows = PanelDrawing.layerRows
      for (place, parameter) in zip(rows, model.layerFaders(rows: rows.count)) {
        put(String(repeating: " ", count: max(end - column, 0)), row: row + place, column: column)
        drawFader(parameter, row + place, column: column, end: end)
      }
      return
    }
    for (index, parameter) in model.patternFaders(rows: PanelDrawing.patternRows).enumerated() {
      drawFader(parameter, row + index, column: column, end: end)
    }
  }

  mutating func drawVolumes(_ row: Int, column: Int, end: Int) {
    for (index, parameter) in model.volumeFaders.enumerated() {
      drawFader(parameter, row + index, column: column, end: end)
    }
  }

  private mutating func drawFader(_ parameter: Parameter, _ row: Int, column: Int, end: Int) {
    let hasFocus = model.focus == parameter
    let style = hasFocus ? Style.focus : .plain
    if hasFocus { put(glyphs.pointer, row: row, column: column, style: style) }
    put(model.label(of: parameter), row: row, column: column + 2, style: hasFocus ? style : .label)
    let value = model.share(of: parameter)
    let start = column + 3 + PanelDrawing.nameWidth
    let swing = Parameters.swing.parameter
    let text = parameter == swing ? percent(model.snapshot.settings.swing.percent) : amount(value)
    let width = max(end - start - 8, 0)
    put(gauge(value, width: width), row: row, column: start, style: style)
    mark(
      .fader(parameter, gauge: start..<start + width), rows: row..<row + 1, columns: column..<max(end, column)
    )
    put(text, row: row, column: end - 1 - text.count, style: style)
  }

  /// - Parameter part: 0…1.
  private func gauge(_ part: Double, width: Int) -> String {
    guard width > 0 else { return "" }
    let full = part == 0 ? 0 : max(1, Int((part * Double(width)).rounded()))
    return String(repeating: glyphs.gauge.full, count: min(full, width))
      + String(repeating: glyphs.gauge.empty, count: max(0, width - full))
  }

  private func amount(_ value: Double) -> String {
    value == 0 ? "off" : percent(value * 100)
  }

  private func percent(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return (tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)") + " %"
  }

  /// The row of the stack that must be visible: the focused fader's. If another value has the focus, the first fader that is
  /// not at its standard, or the progress in a session.
  var focusRow: Int {
    let rows = PanelDrawing.layerRows
    if model.progress != nil, let row = model.layerFaders(rows: rows.count).firstIndex(of: model.focus) {
      return rows.lowerBound + row
    }
    let pattern = model.patternFaders(rows: PanelDrawing.patternRows)
    if let row = (pattern + model.volumeFaders).firstIndex(of: model.focus) { return row }
    let settings = model.snapshot.settings
    guard model.progress == nil else { return 0 }
    return pattern.firstIndex { settings[$0] != $0.standard } ?? 0
  }

  private mutating func drawProgress(_ progress: SessionProgress, _ row: Int, column: Int, end: Int) {
    guard !progress.isFinished else { return drawEnd(progress, row, column: column, end: end) }
    if let coach = CoachLines(model) {
      return drawCoached(progress, coach, row, column: column, end: end)
    }
    let place = [
      progress.section, ProgressText.bar(progress), ProgressText.cycle(progress),
      ProgressText.repeated(progress) ?? "",
    ]
    let words = place.filter { !$0.isEmpty }.joined(separator: glyphs.separator)
    put(words, row: row, column: column, style: .strong, end: end)
    put(gauge(ProgressText.share(progress), width: end - column - 1), row: row + 1, column: column)
    let left = [
      ProgressText.left(progress).map { "\($0) left" },
      progress.songLeft.map { "song \(ProgressText.time($0)) left" },
      ProgressText.wait(progress),
    ].compactMap { $0 }
    put(left.joined(separator: glyphs.separator), row: row + 2, column: column, end: end)
    if let then = ProgressText.then(progress) { put(then, row: row + 3, column: column, end: end) }
    let elapsed = [
      ProgressText.elapsed(progress.sectionElapsed, of: progress.sectionLength),
      progress.songElapsed.map { "song " + ProgressText.elapsed($0, of: progress.songLength) },
    ].compactMap { $0 }
    put(elapsed.joined(separator: glyphs.separator), row: row + 4, column: column, style: .label, end: end)
    drawSong(progress, row + 5, column: column, end: end)
  }

  /// Draws the goal, the player's progress and the next step, then the position of the music.
  private mutating func drawCoached(
    _ progress: SessionProgress, _ coach: CoachLines, _ row: Int, column: Int, end: Int
  ) {
    put(coach.asked, row: row, column: column, end: end)
    put(coach.reached(width: end - column), row: row + 1, column: column, style: .strong, end: end)
    put(coach.next, row: row + 2, column: column, end: end)
    let part = Double(coach.standing?.bars ?? 0) / Double(coach.coaching.goal.bars)
    put(gauge(part, width: end - column - 1), row: row + 3, column: column)
    let place = [progress.section, ProgressText.bar(progress), ProgressText.repeated(progress) ?? ""]
    put(
      place.filter { !$0.isEmpty }.joined(separator: glyphs.separator), row: row + 4, column: column,
      style: .strong, end: end)
    drawSong(progress, row + 5, column: column, end: end)
  }

  private mutating func drawSong(_ progress: SessionProgress, _ row: Int, column: Int, end: Int) {
    let song = progress.songs > 1 ? "\(progress.song)/\(progress.songs)  " : ""
    put(song + progress.title, row: row, column: column, style: .strong, end: end)
    put("speed \(progress.speed) %\(ProgressText.nudge(progress))", row: row + 1, column: column, end: end)
  }

  /// Draws the end of a session.
  private mutating func drawEnd(_ progress: SessionProgress, _ row: Int, column: Int, end: Int) {
    put(ProgressText.end(progress), row: row, column: column, style: .strong, end: end)
    put(gauge(1, width: end - column - 1), row: row + 1, column: column)
    put(
      "space plays \(progress.songs > 1 ? "its last song" : "it") again", row: row + 2, column: column,
      end: end)
    drawSong(progress, row + 5, column: column, end: end)
  }

  /// Draws three rows: the states of JACK, OSC and MIDI, or the time check if there is one.
  mutating func drawStatus(_ row: Int, column: Int) {
    if let timing = model.snapshot.timing { return drawTiming(timing, row, column: column + 2) }
    for (index, (name, text)) in states.enumerated() {
      put(name, row: row + index, column: column + 2, style: .label)
      put(text, row: row + index, column: column + 7)
    }
  }

  /// Draws the last hits, their mean and spread, and the counts of the take, in three rows.
  private mutating func drawTiming(_ timing: TimingState, _ row: Int, column: Int) {
    let lane = TimeLane(timing: timing, glyphs: glyphs)
    let width = canvas.columns - column - 1
    put(lane.scale(width: width), row: row, column: column)
    put(lane.words, row: row + 1, column: column, style: .strong)
    put(lane.counts(width: width), row: row + 2, column: column, style: .label)
  }

  /// The states of JACK, OSC and MIDI in one row.
  var status: String { states.map { "\($0.name) \($0.text)" }.joined(separator: glyphs.separator) }

  private var states: [(name: String, text: String)] {
    let snapshot = model.snapshot
    // The load comes from the server, and may not be a number.
    let percent = model.status.load.flatMap { Int(exactly: $0.rounded()) }.map(String.init) ?? "?"
    let load = model.status.hasServer ? "\(percent) %" : "no server"
    let port = model.status.oscPort.map { ", port \($0)" } ?? ""
    let bound = snapshot.settings.bindings.count
    return [
      ("JACK", "\(load), xruns \(snapshot.health.xruns)"),
      ("OSC", "\(count(model.status.oscPeers, "peer"))\(port)"),
      (
        "MIDI",
        snapshot.learning.map { "move a control: \($0)" }
          ?? "\(bound) learned, in \(light(model.status.receivesMIDI)) out \(light(model.status.sendsMIDI))"
      ),
    ]
  }

  private func light(_ isLit: Bool) -> String { glyphs.light(.beat, isLit: isLit) }

  /// A number with its noun: `1 peer`, `2 peers`.
  func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }
}
