import Control
import Engine
import MusicTime

/// Draws the state, tempo, meter and bar.
extension PanelDrawing {
  mutating func drawHeader(_ row: Int) {
    let isWide = canvas.columns >= 60
    put(String(repeating: " ", count: canvas.columns), row: row, column: 0, style: .header)
    let column = put("\(state)  \(role)\(isWide ? preset : "")", row: row, column: 1, style: .header)
    if let reason = model.lostReason {
      put(isWide ? "! \(reason): waiting for it" : "! no JACK", row: row, column: column + 3, style: .warning)
    } else if isWide {
      let place = "\(model.status.client) on \(model.status.server), \(model.snapshot.sampleRate) Hz"
      let start = canvas.columns - canvas.width(of: place) - 1
      if start > column + 2 { put(place, row: row, column: start, style: .header) }
    }
  }

  /// The preset that was recalled or saved last, and whether its values have changed since.
  private var preset: String {
    guard model.progress == nil, let name = model.snapshot.settings.presets.current else { return "" }
    return "  preset \(name)\(model.snapshot.settings.isPresetChanged ? ", changed" : "")"
  }

  private var state: String {
    if model.lostReason != nil, model.snapshot.isPlaying { return "\(glyphs.playing) no sound" }
    if let time = model.progress?.startsIn { return "\(glyphs.playing) starts in \(ProgressText.time(time))" }
    if model.snapshot.isFading { return "\(glyphs.playing) fading out" }
    if model.snapshot.stopsAtBar { return "\(glyphs.playing) to the bar's end" }
    if model.snapshot.state == .countingIn { return "\(glyphs.playing) counting in" }
    if model.snapshot.isPlaying { return "\(glyphs.playing) playing" }
    if model.progress?.isFinished == true { return "\(glyphs.stopped) finished" }
    return model.progress?.isPaused == true ? "\(glyphs.paused) paused" : "\(glyphs.stopped) stopped"
  }

  private var role: String {
    let snapshot = model.snapshot
    switch snapshot.role {
    case .follow where snapshot.settings.role == .lead: return "follows until it can lead"
    case .follow where model.snapshot.leader != nil: return "follows a leader"
    case .follow: return "follow, no leader"
    case .midiClock: return "\(model.snapshot.leader == nil ? "waits for" : "follows") a MIDI clock"
    case .link: return "link, \(count(model.snapshot.peers, "peer"))"
    default: return "role \(snapshot.role.rawValue)"
    }
  }

  mutating func drawTempo(_ size: LargeText.Size, _ row: Int) {
    let digits = LargeText.rows(model.tempo, size, glyphs)
    if model.focus == Parameters.tempo.parameter {
      put(glyphs.pointer, row: row + size.rows / 2, column: 0, style: .focus)
    }
    mark(.tempo, rows: row..<row + size.rows, columns: 0..<2 + canvas.width(of: digits[0]))
    for (index, line) in digits.enumerated() { put(line, row: row + index, column: 2, style: .strong) }
    let column = 2 + canvas.width(of: digits[0]) + (size == .text ? 1 : 4)
    let unit = model.beatUnit.map { "BPM in \($0)" } ?? "BPM"
    let place = self.place
    switch size {
    case .text:
      // Beside the meter there may be room only for numbers.
      let isNarrow = canvas.columns < 40
      let short = model.currentLight.map { "\($0.bar).\($0.beat)" } ?? ""
      var end = put(isNarrow ? " " : "\(unit)  ", row: row, column: column)
      end = put(meter, row: row, column: end, style: .strong)
      // Without it nobody knows why nothing is heard.
      if !mutes.isEmpty { end = put("  \(mutes)", row: row, column: end, style: .warning) }
      put("  \(isNarrow ? short : place)", row: row, column: end)
    case .halved:
      put("\(unit)   \(meter)", row: row, column: column, style: .strong)
      put(place, row: row + 1, column: column)
      put(
        mutes.isEmpty ? pattern : mutes, row: row + 2, column: column,
        style: mutes.isEmpty ? .plain : .warning)
    case .times, .slim:
      put(unit, row: row, column: column)
      put(meter, row: row + 1, column: column, style: .strong)
      put(place, row: row + 2, column: column)
      put(pattern, row: row + 3, column: column)
      put(mutes, row: row + 4, column: column, style: .warning)
      let right = max(column + 24, canvas.columns / 2 + 1)
      drawChoices(row, column: right)
      drawNames(row, rows: size.rows, column: right)
    }
  }

  /// Draws beat unit, groups, gap, sound and profile, if there is room.
  private mutating func drawChoices(_ row: Int, column: Int) {
    guard model.progress == nil, column + 26 <= canvas.columns else { return }
    for (index, parameter) in PanelModel.listedChoices.enumerated() {
      let (row, hasFocus) = (row + index, model.focus == parameter)
      if hasFocus { put(glyphs.pointer, row: row, column: column, style: .focus) }
      put(
        PanelModel.choiceName(parameter), row: row, column: column + 2, style: hasFocus ? .focus : .label)
      put(model.choiceText(parameter), row: row, column: column + 14, style: hasFocus ? .focus : .plain)
      mark(.choice(parameter), rows: row..<row + 1, columns: column..<canvas.columns)
    }
  }

  /// Draws the section and the song in large letters beside digits of ten rows and more.
  private mutating func drawNames(_ row: Int, rows: Int, column: Int) {
    guard let progress = model.progress, rows >= 10 else { return }
    let names = [progress.section, progress.title].filter { !$0.isEmpty }
    var row = row
    for name in names {
      let size = LargeText.largest(
        name, columns: canvas.columns - column - 2, rows: (rows - 1) / 2, glyphs)
      // The progress below shows a name in small letters.
      guard size != .text else { continue }
      for line in LargeText.rows(name, size, glyphs) {
        put(line, row: row, column: column, style: .strong)
        row += 1
      }
      row += 1
    }
  }

  private var meter: String { model.meter.description }

  /// Bar and beat, or the time until the next song.
  private var place: String {
    if let time = model.progress?.startsIn { return "starts in \(ProgressText.time(time))" }
    if let progress = model.progress, progress.isFinished { return ProgressText.end(progress) }
    if let light = model.light { return "bar \(light.bar)  beat \(light.beat)" }
    return model.snapshot.standing.map { "at bar \($0.bar)  beat \($0.beat)" } ?? ""
  }

  private var pattern: String {
    let settings = model.snapshot.settings
    guard model.progress == nil else { return "" }
    let groups = settings.groups?.sizes.map(String.init).joined(separator: "+")
    return [settings.accents?.description ?? groups, settings.sound].compactMap { $0 }
      .joined(separator: glyphs.separator)
  }

  /// The active mutes; in a silent bar, how many are left.
  private var mutes: String {
    let settings = model.snapshot.settings
    if !settings.isMuted, let light = model.light, light.isSilent {
      return light.silence.barsLeft.map { "SILENT, \(count($0, "bar")) left" } ?? "SILENT"
    }
    let gap = model.snapshot.gap
    let roles = ClickRole.allCases.filter { settings[Parameters.mute($0)] }.map(\.name)
    return [
      settings.isMuted ? "MUTED" : nil, roles.isEmpty ? nil : "\(roles.joined(separator: ", ")) MUTED",
      gap != .off ? "gap \(gap)" : nil,
    ].compactMap { $0 }.joined(separator: glyphs.separator)
  }
}
