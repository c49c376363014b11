import Control
import Engine
import Realtime
import Synchronization

/// The panel thread's loop.
struct PanelLoop: ~Copyable {
  /// How long a beat flashes.
  private static let flash = Duration.milliseconds(120)
  /// How long a note is shown.
  private static let noteTime = Duration.seconds(10)
  /// How long a note about picking up a fader is shown.
  private static let pickUpTime = Duration.seconds(3)
  /// The time between two readings of the status.
  private static let statusInterval = Duration.seconds(1)

  private let panel: InstrumentPanel
  private let screen = Screen()
  private var model: PanelModel
  /// What the terminal shows. Clicks refer to it, even if the terminal's size has just changed.
  private var drawn: (model: PanelModel, columns: Int, rows: Int, canvas: Canvas)?
  /// Whether the terminal must be redrawn, even if the model has not changed.
  private var isStale = false
  /// Reported beats that don't sound yet.
  private var beats: [(time: Instant, beat: Event.Beat)] = []
  private var flashEnd = Instant.never
  private var noteEnd = Instant.never
  private var nextStatus = Instant.distantPast

  init(panel: InstrumentPanel, model: PanelModel) {
    self.panel = panel
    self.model = model
  }

  mutating func run(until isStopping: borrowing Atomic<Bool>) {
    while !isStopping.load(ordering: .acquiring) {
      handleSignals()
      // There is no event when Tactus comes to the foreground, so check.
      let isShown = screen.isShown || screen.isInForeground
      if isShown { screen.enter() }
      take(panel.takeReports())
      if let documents = panel.takeDocuments() { model.receive(documents) }
      if isShown { takeKeys() }
      pass()
      if isShown { draw() }
      guard PanelWakeup.wait(milliseconds: isShown ? pause : 500, forKeys: isShown) else {
        panel.askToQuit()
        break
      }
    }
    screen.leave()
  }

  private mutating func handleSignals() {
    let signals = PanelWakeup.takeSignals()
    if signals.stop {
      screen.leave()
      PanelWakeup.stopProcess()
    }
    // Another program may have used the terminal.
    if signals.resumed { screen.leave() }
    if signals.resized, screen.isShown { screen.follow() }
    if signals.stop || signals.resumed || signals.resized { isStale = true }
  }

  private mutating func take(_ reports: [PanelReport]) {
    for report in reports {
      let news: PanelModel.News?
      switch report {
      case .report(let report):
        note(report)
        news = model.receive(report)
      case .refusal(let reason, let entry): news = model.receive(refusal: reason, of: entry)
      }
      switch news {
      case .note: noteEnd = .now + PanelLoop.noteTime
      case .pickUp: noteEnd = .now + PanelLoop.pickUpTime
      case nil: break
      }
    }
  }

  private mutating func note(_ report: Report) {
    switch report {
    case .beat(let beat, let time): beats.append((time, beat))
    // After a stop, turn the light off at the end of the last flash.
    case .changed(_, let new): if !new.isPlaying, flashEnd == .never { flashEnd = .distantPast }
    case .host(.lost):
      beats = []
      nextStatus = .distantPast
    case .host(.connected): nextStatus = .distantPast
    default: break
    }
  }

  private mutating func takeKeys() {
    while let key = screen.nextKey() {
      let arrival = Instant.now
      // The next key must see the effect of this one.
      if let snapshot = panel.look() { model.follow(snapshot) }
      switch action(key) {
      case .update(let update): panel.push(update, arrival: arrival, of: model.typing.submitted)
      case .pair: model.show(panel.makePairing())
      case .listDocuments: panel.listDocuments()
      case .quit: panel.askToQuit()
      case nil: break
      }
      noteEnd = model.note == nil ? .never : arrival + PanelLoop.noteTime
    }
  }

  private mutating func action(_ key: Key) -> PanelModel.Action? {
    guard case .mouse(let mouse) = key else { return model.press(key) }
    return model.point(mouse, at: drawn?.canvas.spot(row: mouse.row, column: mouse.column))
  }

  /// Handles everything that is due.
  private mutating func pass() {
    let now = Instant.now
    while let next = beats.first, next.time <= now {
      beats.removeFirst()
      model.sound(next.beat)
      flashEnd = next.time + PanelLoop.flash
    }
    if flashEnd <= now {
      model.dim()
      flashEnd = .never
    }
    if noteEnd <= now {
      model.dropNote()
      noteEnd = .never
    }
    if nextStatus <= now {
      model.receive(panel.currentStatus())
      // The last request may have been refused: this repeats it.
      if model.lacksDocuments { panel.listDocuments() }
      nextStatus = now + PanelLoop.statusInterval
    }
  }

  /// Milliseconds until the next deadline, rounded up.
  private var pause: Int32 {
    let time = min(beats.first?.time ?? .never, flashEnd, noteEnd, nextStatus)
    let now = Instant.now
    return time <= now ? 0 : Int32(clamping: ((time - now).nanoseconds + 999_999) / 1_000_000)
  }

  private mutating func draw() {
    screen.takeMouse(model.snapshot.settings[Parameters.mouse])
    let (columns, rows) = screen.size
    model.fit(columns: columns, rows: rows)
    if let drawn, !isStale, drawn.model == model, drawn.columns == columns, drawn.rows == rows { return }
    isStale = false
    let canvas = PanelDrawing.draw(model, columns: columns, rows: rows, screen.glyphs)
    screen.show(canvas)
    drawn = (model, columns, rows, canvas)
  }
}
