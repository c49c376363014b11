import Control
import Engine
import Realtime
import Synchronization
import TimeCheck

/// The panel thread's loop.
struct PanelLoop: ~Copyable {
  /// How long a beat flashes, how long a note is shown, and the time between two readings of the status.
  private static let flash = Duration.milliseconds(120)
  private static let noteTime = Duration.seconds(10)
  private static let pickUpTime = Duration.seconds(3)
  private static let statusInterval = Duration.seconds(1)

  private let panel: InstrumentPanel
  private let screen = Screen()
  private var model: PanelModel
  /// What the terminal shows. A click is meant for it, also where the terminal's size has just changed.
  private var drawn: (model: PanelModel, columns: Int, rows: Int, canvas: Canvas)?
  /// Whether the terminal must be drawn anew, whatever it shows.
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
      if let documents = panel.takeDocuments() { model.list.documents = documents }
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

  private mutating func take(_ reports: [Report]) {
    for report in reports {
      switch report {
      case .beat(let beat, let time): beats.append((time, beat))
      case .changed(let old, let new):
        model.snapshot = new
        if new.pickUp != old.pickUp, model.show(new.pickUp) { noteEnd = .now + PanelLoop.pickUpTime }
        // After a stop, turn the light off at the end of the last flash.
        if !new.isPlaying, flashEnd == .never { flashEnd = .distantPast }
      case .warning(let text), .guarded(let text, _): note(PanelModel.Note(text: text, isWarning: true))
      case .losses(let text): note(PanelModel.Note(text: text, isWarning: true, isLoss: true))
      case .host(.lost(let reason)):
        model.lostReason = reason
        (beats, model.light) = ([], nil)
        nextStatus = .distantPast
      case .host(.connected(let sampleRate)):
        if model.lostReason != nil {
          note(PanelModel.Note(text: "the JACK server is back, at \(sampleRate) Hz", isWarning: false))
        }
        model.lostReason = nil
        nextStatus = .distantPast
      case .timing(.take(let report)):
        let section = report.section.isEmpty ? [] : ["\(report.section):"]
        // A section that a coach ends is summed up a moment later.
        let advice = model.note.flatMap { $0.isAdvice ? [$0.text] : nil } ?? []
        let text = (advice + section + report.lines.prefix(5)).joined(separator: " ")
        note(PanelModel.Note(text: text, isWarning: false, summary: text))
      case .timing(.coached(let report)):
        note(PanelModel.Note(text: report.line, isWarning: false, isAdvice: true))
      case .timing(.quiet(let report)): note(PanelModel.Note(text: report.line, isWarning: false))
      case .timing(.learned(let number, let drum)):
        note(
          PanelModel.Note(text: "note \(number) is the \(drum.rawValue) from now on", isWarning: false))
      case .timing(.calibrating(let wish)): note(PanelModel.Note(text: wish, isWarning: false))
      case .timing(.calibrated(let calibration)):
        note(PanelModel.Note(text: calibration.lines.joined(separator: " "), isWarning: false))
      case .timing(.notCalibrated(let reason)):
        note(PanelModel.Note(text: "calibration: \(reason)", isWarning: true))
      case .timing(.hit), .foretold, .revoked, .finished: break
      }
    }
  }

  private mutating func note(_ note: PanelModel.Note) {
    if model.show(note) { noteEnd = .now + PanelLoop.noteTime }
  }

  private mutating func takeKeys() {
    while let key = screen.nextKey() {
      let arrival = Instant.now
      // The next key must see the effect of this one.
      if let snapshot = panel.look() { model.snapshot = snapshot }
      switch action(key) {
      case .update(let update): panel.push(update, arrival: arrival)
      case .pair: model.pairing = panel.makePairing()
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
      model.note = nil
      noteEnd = .never
    }
    if nextStatus <= now {
      model.status = panel.currentStatus()
      // While another client has them listed, the panel is refused.
      if model.showsDocuments, model.list.documents == nil { panel.listDocuments() }
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
    model.window = (columns, rows)
    if let drawn, !isStale, drawn.model == model, drawn.columns == columns, drawn.rows == rows { return }
    isStale = false
    let canvas = PanelDrawing.draw(model, columns: columns, rows: rows, screen.glyphs)
    screen.show(canvas)
    drawn = (model, columns, rows, canvas)
  }
}
