/// The sizes of the panel's parts.
struct PanelLayout: Equatable {
  enum Body: Equatable {
    /// Pattern or session on the left, volumes and state on the right.
    case columns
    /// One column with this number of rows. If not all fit, the rows around the focus and one row of state are shown.
    case stack(Int)

    fileprivate var rows: Int { if case .stack(let rows) = self { rows } else { 9 } }
  }

  /// The number of rows of the complete stack.
  static let stack = 17
  /// The rows of a list of sections below everything else.
  private static let list = 8

  private(set) var gap = 1
  private(set) var tempo: LargeText.Size
  /// The boxes of the beats; nil for one row of symbols.
  private(set) var lights: BeatLights.Box?
  private(set) var body: Body
  private(set) var hasHint = true

  /// Chooses the largest parts that fit.
  init(_ model: PanelModel, columns: Int, rows: Int, _ glyphs: Glyphs) {
    // The text beside the tempo needs room too.
    let sizes = LargeText.Size.all.filter {
      LargeText.isPossible(model.tempo, $0, glyphs) && LargeText.width(model.tempo, $0) + 22 <= columns
    }
    tempo = sizes.first ?? .text
    let beats = model.beats.count
    lights = BeatLights.Box.largest(beats, columns: columns, rows: 3)
    body = columns >= 60 ? .columns : .stack(PanelLayout.stack)

    // Digits of more than five rows take only free room; a session needs room for its list.
    let list = model.progress?.outline == nil ? 0 : PanelLayout.list
    // Larger digits also leave room for larger boxes.
    let growth = BeatLights.Box.largest(beats, columns: columns, rows: 5).map { $0.rows - 3 } ?? 0
    for size in sizes where height + list + growth > rows && tempo.rows > 5 { tempo = size }
    if height > rows { gap = 0 }
    if height > rows, let smaller = sizes.first(where: { $0.rows < 5 }) { tempo = smaller }
    if height > rows { lights = nil }
    if height > rows { shorten(rows, least: 3) }
    if height > rows { tempo = .text }
    if height > rows { hasHint = false }
    if height > rows { shorten(rows, least: 1) }
    // Boxes grow into the remaining room.
    if let lights {
      let free = rows - height - (body == .columns ? list : 0)
      self.lights = BeatLights.Box.largest(beats, columns: columns, rows: lights.rows + max(free, 0))
    }
  }

  private var height: Int {
    1 + tempo.rows + (lights?.rows ?? 1) + body.rows + 4 * gap + (hasHint ? 2 : 1)
  }

  /// Shortens the body to a stack that fits.
  private mutating func shorten(_ rows: Int, least: Int) {
    body = .stack(min(max(rows - (height - body.rows), least), PanelLayout.stack))
  }
}
