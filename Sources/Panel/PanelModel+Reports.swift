import Control
import TimeCheck

/// The model's input other than keys.
extension PanelModel {
  /// The kinds of notes that a report can cause. They are shown for different times.
  enum News {
    case note
    case pickUp
  }

  /// Receives a report. Beats come through `sound` when they sound.
  /// - Returns: the kind of the new note; nil if there is none.
  mutating func receive(_ report: Report) -> News? {
    switch report {
    case .changed(let old, let new):
      snapshot = new
      // The prompt for the control has gone: without this note nobody knows whether it was learned.
      if old.learning != nil, new.learning == nil,
        let binding = new.settings.bindings.first(where: { !old.settings.bindings.contains($0) })
      {
        let before = old.settings.bindings.filter { !new.settings.bindings.contains($0) }
          .map { "\($0.action)" }
        let lost = before.isEmpty ? "" : ", no longer \(before.joined(separator: ", "))"
        return receive(Note(text: "\(binding.source): \(binding.action)\(lost)", isWarning: false))
      }
      if let loss = PanelModel.lostPattern(from: old.settings, to: new.settings) {
        return receive(Note(text: loss, isWarning: false))
      }
      return new.pickUp != old.pickUp && show(new.pickUp) ? .pickUp : nil
    case .warning(let text), .guarded(let text, _):
      return receive(Note(text: text, isWarning: true, warnings: [text]))
    case .losses(let text): return receive(Note(text: text, isWarning: true, isLoss: true))
    case .host(.lost(let reason)):
      (lostReason, light) = (reason, nil)
      if note?.isReturn == true { note = nil }
      return nil
    case .host(.connected(let sampleRate)):
      guard lostReason != nil else { return nil }
      lostReason = nil
      var note = Note(text: "the JACK server is back, at \(sampleRate) Hz", isWarning: false)
      note.isReturn = true
      return receive(note)
    case .timing(let news): return receive(news)
    case .beat, .predicted, .withdrawn, .finished: return nil
    }
  }

  /// What a new meter or beat unit has taken from the pattern; nil if nothing.
  private static func lostPattern(from old: Settings, to new: Settings) -> String? {
    // A preset has a pattern of its own.
    guard (old.meter, old.effectiveBeatUnit) != (new.meter, new.effectiveBeatUnit), old.presets == new.presets
    else { return nil }
    func fits(_ setting: Setting) -> Bool {
      var settings = new
      return (try? settings.set(setting)) != nil
    }
    let lost = [
      new.accents == nil ? old.accents.flatMap { fits(.accents($0)) ? nil : "accents \($0)" } : nil,
      new.groups == nil ? old.groups.flatMap { fits(.groups($0)) ? nil : "groups \($0)" } : nil,
    ].compactMap { $0 }
    guard !lost.isEmpty else { return nil }
    return "\(lost.joined(separator: " and ")) dropped: they do not fit \(new.meter)"
  }

  /// Shows why the conductor refused a request.
  /// - Parameter text: the typed text that meant the request; nil if it was a key. It can be corrected, unless something has
  ///   been pressed since.
  mutating func receive(refusal reason: String, of text: PanelEntry?) -> News? {
    if let text { typing.bringBack(text) }
    return receive(Note(text: reason, isWarning: true, warnings: [reason]))
  }

  private mutating func receive(_ news: TimingNews) -> News? {
    switch news {
    case .take(let report):
      let section = report.section.isEmpty ? [] : ["\(report.section):"]
      // If a coach ends a section, its summary follows a moment later: show both.
      let advice = note.flatMap { $0.isAdvice ? [$0.text] : nil } ?? []
      let text = (advice + section + report.lines.prefix(5)).joined(separator: " ")
      return receive(Note(text: text, isWarning: false, summary: text))
    case .coached(let report): return receive(Note(text: report.line, isWarning: false, isAdvice: true))
    case .quiet(let report): return receive(Note(text: report.line, isWarning: false))
    case .learned(let number, let drum):
      return receive(Note(text: "note \(number) is now the \(drum.rawValue)", isWarning: false))
    case .calibrating(let prompt): return receive(Note(text: prompt, isWarning: false))
    case .calibrated(let calibration):
      return receive(Note(text: calibration.lines.joined(separator: " "), isWarning: false))
    case .notCalibrated(let reason):
      return receive(Note(text: "calibration: \(reason)", isWarning: true))
    case .hit: return nil
    }
  }

  private mutating func receive(_ note: Note) -> News? { show(note) ? .note : nil }

  /// Receives the state that the conductor does not report.
  mutating func receive(_ status: PanelStatus) { self.status = status }

  /// Receives the documents of the session folder.
  mutating func receive(_ documents: [DocumentSummary]) { list.documents = documents }

  /// Whether documents must be shown that have not arrived yet.
  var lacksDocuments: Bool { showsDocuments && list.documents == nil }

  /// Receives the present state.
  mutating func follow(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// Shows how a phone becomes a remote.
  mutating func show(_ pairing: PairingCard) { self.pairing = pairing }

  /// Removes the note.
  mutating func dropNote() { note = nil }

  /// Notes the size of the screen.
  mutating func fit(columns: Int, rows: Int) { window = (columns, rows) }
}
