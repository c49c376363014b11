import Control

/// Draws the view *stage*, to be read from two metres: tempo and beat, section, bars and time left, song and next section. Each
/// line is as large as its share of the rows allows.
struct StageView: ~Copyable {
  let model: PanelModel

  /// Draws the lines between two rows.
  /// - Parameter rows: the rows between the header and the last line.
  func draw(on canvas: inout Canvas, rows: Range<Int>) {
    let lines = lines(canvas.glyphs)
    let box =
      canvas.columns >= 40 && rows.count >= 16
      ? BeatLights.Box.largest(model.beats.count, columns: canvas.columns, rows: 3) : nil
    let lights = box?.rows ?? (rows.count > 2 ? 1 : 0)
    var row = rows.lowerBound
    let left = rows.upperBound - lights
    for (index, line) in lines.enumerated() where row < left {
      // The following lines share the rows that a line does not need.
      let weight = lines[index...].reduce(0) { $0 + $1.weight }
      let share = max(1, (left - row) * line.weight / max(weight, 1))
      row += draw(line, on: &canvas, row: row, rows: share)
    }
    guard lights > 0 else { return }
    let beats = BeatLights(beats: model.beats, light: model.shownLight, glyphs: canvas.glyphs)
    let top = min(row, rows.upperBound - lights)
    guard box != nil else { return beats.drawSmall(on: &canvas, row: top) }
    // The boxes take the rows that the lines do not need.
    let free = rows.upperBound - top
    if let box = BeatLights.Box.largest(model.beats.count, columns: canvas.columns, rows: free) {
      beats.draw(box, on: &canvas, row: top)
    }
  }

  /// A line, and its share of the rows.
  private struct Line {
    let text: String
    let weight: Int
    var style = Style.strong
  }

  private func lines(_ glyphs: Glyphs) -> [Line] {
    var lines = [Line(text: "\(model.tempo)  \(beat)", weight: 5)]
    if let timing = model.snapshot.timing, timing.isCalibrating {
      lines.append(Line(text: TimeLane(timing: timing, glyphs: glyphs).words, weight: 4, style: .warning))
      return lines
    }
    guard model.lostReason == nil else {
      lines.append(Line(text: "no sound", weight: 5, style: .warning))
      if let progress = model.progress {
        lines.append(Line(text: progress.section, weight: 3))
        lines.append(Line(text: song(progress), weight: 2, style: .plain))
      }
      return lines
    }
    if let reason = silentReason { lines.append(Line(text: reason, weight: 5, style: .warning)) }
    guard let progress = model.progress else {
      lines.append(Line(text: bar, weight: 4, style: model.light?.isSilent == true ? .warning : .strong))
      return lines
    }
    guard !progress.isFinished else {
      lines.append(Line(text: ProgressText.end(progress), weight: 4))
      lines.append(Line(text: song(progress), weight: 3, style: .plain))
      return lines
    }
    lines.append(Line(text: progress.section.isEmpty ? bar : progress.section, weight: 4))
    if let coach = CoachLines(model) {
      lines.append(Line(text: coach.reachedInShort, weight: 4))
      lines.append(Line(text: coach.asked, weight: 2, style: .plain))
      lines.append(Line(text: coach.next, weight: 2, style: .label))
      return lines
    }
    if let light = model.light, light.isSilent, model.snapshot.isPlaying {
      lines.append(Line(text: silence(light), weight: 4, style: .warning))
    } else {
      lines.append(Line(text: left(progress), weight: 4))
    }
    lines.append(Line(text: song(progress), weight: 3, style: .plain))
    // Bars that repeat have no next section.
    if let loop = loop(progress) {
      lines.append(Line(text: loop, weight: 3))
    } else if let then = ProgressText.then(progress) {
      lines.append(Line(text: then, weight: 3, style: .label))
    }
    return lines
  }

  /// Why nothing is heard while the music plays; nil if it is heard.
  private var silentReason: String? {
    let settings = model.snapshot.settings
    return settings.isMuted ? "muted" : settings[Parameters.volume(.master)] == .off ? "volume 0 %" : nil
  }

  /// The number of the beat, or the state while none sounds.
  private var beat: String {
    if let time = model.progress?.startsIn { return "in \(ProgressText.time(time))" }
    if let light = model.shownLight, model.snapshot.isPlaying { return "\(light.beat)" }
    if model.snapshot.isPlaying { return "" }
    return model.progress?.isPaused == true
      ? "paused" : model.progress?.isFinished == true ? "finished" : "stopped"
  }

  /// The meter and the bar of the metronome, or how long it is silent.
  private var bar: String {
    let meter = model.meter.description
    guard let light = model.light else {
      return model.snapshot.standing.map { "\(meter)  bar \($0.bar)" } ?? meter
    }
    guard light.isSilent else { return "\(meter)  bar \(light.bar)" }
    return silence(light)
  }

  private func silence(_ light: PanelModel.Light) -> String {
    light.silence.barsLeft.map { "silent, \($0) left" } ?? "silent"
  }

  /// The bars left, including this one, and the time left.
  private func left(_ progress: SessionProgress) -> String {
    if let repeated = ProgressText.repeated(progress) {
      // A loop has a line of its own.
      let words = [
        progress.bar > 0 ? ProgressText.bar(progress) : nil, loop(progress) == nil ? repeated : nil,
      ]
      return words.compactMap { $0 }.joined(separator: "  ")
    }
    var words: [String] = []
    if progress.bars > 0 {
      let left = progress.bars - max(progress.bar, 1) + 1
      words.append(left > 1 ? "\(left) bars" : progress.bar > 0 ? "last bar" : "1 bar")
    }
    if let time = progress.sectionLeft { words.append(ProgressText.time(time)) }
    if words.isEmpty { words.append("until you go on") }
    return words.joined(separator: "  ")
  }

  /// The bars that repeat, or the first of them; nil if none do.
  private func loop(_ progress: SessionProgress) -> String? {
    progress.isHeld ? nil : ProgressText.repeated(progress)
  }

  private func song(_ progress: SessionProgress) -> String {
    progress.songs > 1 ? "\(progress.song)/\(progress.songs) \(progress.title)" : progress.title
  }

  /// Draws a line in the largest size that fits.
  /// - Returns: the rows used, including an empty one after the line if there is room.
  private func draw(_ line: Line, on canvas: inout Canvas, row: Int, rows: Int) -> Int {
    guard !line.text.isEmpty else { return 0 }
    let size = LargeText.largest(
      line.text, columns: canvas.columns - 4, rows: max(rows - (rows > 3 ? 1 : 0), 1), canvas.glyphs)
    for (index, text) in LargeText.rows(line.text, size, canvas.glyphs).enumerated() {
      canvas.put(text, row: row + index, column: 2, style: line.style)
    }
    return size.rows + (rows > size.rows ? 1 : 0)
  }
}
