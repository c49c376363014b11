import Control
import MusicTime

/// The keys of the panel. Nearly every action also has an OSC message.
extension PanelModel {
  enum Action: Equatable, Sendable {
    case update(Update)
    /// Makes a key for a remote and shows it.
    case pair
    /// Lists the documents of the session folder.
    case listDocuments
    case quit
  }

  /// The list of keys that `?` shows.
  static let help = [
    ("space", "start, stop (a session pauses); Ctrl-Space also while you type"),
    ("enter", "go: start what waits, and nothing else"),
    ("arrows", "change the focused value: up/down 1, right/left 10, shift 0.1"),
    ("+ -", "change the tempo (in a session its speed) by 1"),
    ("tab", "next value: tempo (or session speed), pattern, choices, volumes"),
    ("a", "accents: right/left moves over the beats, up/down changes; X x o ."),
    ("t", "tap the tempo"),
    ("0-9", "type a tempo, or with a slash a meter; Enter sets it, Esc cancels"),
    (":", "type any parameter or command: sound cowbell, stop/bar, open FILE"),
    ("F1-F12", "recall presets 1 to 12"),
    ("f b", "fade out and stop; stop at the bar's end (a session pauses)"),
    ("m g", "mute the mix; silence every other bar, on and off"),
    ("n p", "next, previous section; Page Down, Page Up too"),
    ("N P", "next, previous song"),
    ("h B", "repeat the section; repeat bars: B in the first and the last, B ends"),
    ("v", "view: practice, stage, list (arrows, Enter choose; Tab documents)"),
    ("l", "bind a MIDI control to the focused value; again, or Esc, to cancel"),
    ("L", "MIDI controls: what they can learn, have learned, and do"),
    ("C W", "calibrate an input: keep silent; QR code for a phone as a remote"),
    ("s S R", "save the settings; the song's nudged tempo; read the edited document"),
    ("mouse", "wheel on a value, click on a fader, beat, section; :mouse off"),
    ("?", "show these keys; arrows scroll"),
    ("q", "quit; asks if a session plays"),
  ]

  /// The list of keys for a screen. A long text has several rows, of which only the first has its keys.
  static func helpRows(columns: Int) -> [(keys: String, text: String)] {
    help.flatMap { keys, text in
      let lines = NoteLines(text, columns: columns - PanelModel.helpColumn + 2, rows: .max).lines
      return lines.enumerated().map { ($0.offset == 0 ? keys : "", $0.element) }
    }
  }

  /// The column of the texts in the list of keys.
  static let helpColumn = 10

  /// Handles a key.
  /// - Returns: the key's action outside the panel; nil if it has none.
  mutating func press(_ key: Key) -> Action? {
    typing.notePress(key)
    let action = handle(key)
    if let action, note == nil { note = explanation(of: action) }
    return action
  }

  /// Why a tempo that is set is not heard: another program gives the tempo. nil for other actions.
  private func explanation(of action: Action) -> Note? {
    guard progress == nil, case .update(let update) = action else { return nil }
    switch update {
    case .nudge, .tap: break
    case .set(let setting) where setting.parameter == Parameters.tempo.parameter: break
    default: return nil
    }
    switch snapshot.role {
    case .follow where snapshot.leader != nil:
      return Note(
        text: "the leader gives the tempo: yours is kept, and plays when the leader has left",
        isWarning: false)
    case .midiClock:
      return Note(text: "the MIDI clock gives the tempo: yours is kept for other roles", isWarning: false)
    default: return nil
    }
  }

  private mutating func handle(_ key: Key) -> Action? {
    // Ctrl-Space starts and stops in every state of the panel.
    if key == .controlSpace { return .update(.toggle) }
    if turnsPage(key) { return nil }
    note = nil
    let asked = question
    question = nil
    switch asked {
    case .quit? where "qQyY".contains { key == .character($0) }: return .quit
    case .open(let name)? where key == .enter: return openNow(name)
    case .replace(let name)? where key == .enter: return .update(.preset(.save(name)))
    case .close? where key == .enter: return .update(.open(path: ""))
    // It answers no, and does not go to the next section.
    case .some where key == .character("n") || key == .character("N"): return nil
    default: break
    }
    if showsHelp, !isHelpKey(key) { return nil }
    if pairing != nil {
      pairing = nil
      // Space always stops.
      guard key == .character(" ") else { return nil }
    }
    if typing.entry != nil { return type(key) }
    if controllers != nil { return pressInControllers(key) }
    if view == .stage { return pressOnStage(key) }
    if view == .list, let action = pressInList(key) { return action }
    switch key {
    case .tab: moveFocus(by: 1)
    case .backTab: moveFocus(by: -1)
    case .arrow(let direction, let isShifted): return turn(direction, isShifted)
    case .enter: return .update(.advance)
    case .pageUp: return .update(.go(.previous))
    case .pageDown: return .update(.go(.next))
    case .function(let number): return .update(.preset(.recall(.number(number))))
    case .character("?"): (showsHelp, helpRow) = (true, 0)
    case .character("L"): openControllers()
    case .character("W"): return .pair
    case .character("a"):
      guard progress == nil else { return nil }
      focus = Parameters.accents.parameter
      return showPractice()
    case .backspace, .delete: return editsAccents ? .update(.set(.accents(nil))) : nil
    case .character(let letter) where editsAccents && Accent(rawValue: letter) != nil:
      return typeAccent(letter)
    case .character("q"): return quit()
    case .character("v"): return changeView()
    case .character("s"):
      note = Note(text: "saving the settings", isWarning: false)
      return .update(.save)
    case .character("R"):
      if progress != nil { note = Note(text: "reading the document again", isWarning: false) }
      return .update(.reload)
    case .character("S"):
      if progress?.nudge ?? 0 != 0 { note = .savingNudge }
      return .update(.keepNudge)
    case .character("+"): return step(by: 1)
    case .character("-"): return step(by: -1)
    case .character(let character) where PanelEntry.begins(with: character):
      typing.entry = PanelEntry(text: String(character), isInSession: progress != nil)
    case .character(let letter): return update(letter).map { .update($0) }
    case .mouse, .controlSpace, .home, .end, .eraseText, .eraseWord: break
    case .escape where snapshot.learning != nil: return .update(.learn(nil))
    case .escape where snapshot.timing?.isCalibrating == true: return .update(.stop)
    case .escape: if choices.contains(focus) { focus = Parameters.tempo.parameter }
    }
    return nil
  }

  private func update(_ letter: Character) -> Update? {
    switch letter {
    case " ": .toggle
    case "t": .tap(seconds: nil)
    case "f": .fade(milliseconds: FadeTime.standard)
    case "b": .stopAtBar
    case "m": .set(.mute(!snapshot.settings.isMuted))
    case "g": .set(.gap(snapshot.gap.toggled))
    case "n": .go(.next)
    case "p": .go(.previous)
    case "N": .go(.nextSong)
    case "P": .go(.previousSong)
    case "C": .calibrate("")
    case "h": .hold(progress?.isHeld != true)
    case "B": .loop(.mark)
    // These targets need no argument, so this doesn't throw.
    case "l": .learn(snapshot.learning == nil ? try? MIDIAction(focusedTarget) : nil)
    default: nil
    }
  }

  /// Handles a key in the view *stage*, where only a few keys work.
  private mutating func pressOnStage(_ key: Key) -> Action? {
    switch key {
    case .character(" "): return .update(.toggle)
    case .enter: return .update(.advance)
    case .character("n"), .pageDown: return .update(.go(.next))
    case .character("v"): return changeView()
    default: break
    }
    return nil
  }

  /// Whether saving under a name replaces a preset that is not the current one.
  private func replacesAnother(_ name: String) -> Bool {
    let presets = snapshot.settings.presets
    return presets.number(of: name).map { $0 != presets.currentNumber } ?? false
  }

  /// Shows the next view: practice, stage, list. The list is shown instead of the view that comes back at the next start.
  private mutating func changeView() -> Action? {
    list.selected = nil
    switch view {
    case .practice: return .update(.set(.stageView(true)))
    case .stage:
      list.isShown = true
      // The session folder may have changed.
      return showsDocuments ? .listDocuments : nil
    case .list: return showPractice()
    }
  }

  private mutating func showPractice() -> Action? {
    list.isShown = false
    return view == .stage ? .update(.set(.stageView(false))) : nil
  }

  /// Turns the pages of a note that does not fit on the screen.
  /// - Returns: whether the key has done that.
  private mutating func turnsPage(_ key: Key) -> Bool {
    guard var note, !showsHelp, pairing == nil else { return false }
    let pages = NoteLines(
      note.text, columns: window.columns, rows: window.rows - firstNoteRow(of: window.rows)
    ).pages
    guard pages > 1 else { return false }
    switch key {
    // Page Down keeps its function, because pedals send it.
    case .arrow(.down, _): note.page = min(note.page + 1, pages - 1)
    case .arrow(.up, _): note.page = max(note.page - 1, 0)
    default: return false
    }
    self.note = note
    return true
  }

  // MARK: Help and quitting

  /// Handles a key while the list of keys is shown: arrows scroll it, every other key closes it.
  /// - Returns: whether the key also has its usual function: space, q and Enter do.
  private mutating func isHelpKey(_ key: Key) -> Bool {
    switch key {
    case .arrow(.down, _), .pageDown:
      helpRow = min(helpRow + 1, PanelModel.helpRows(columns: window.columns).count - 1)
    case .arrow(.up, _), .pageUp: helpRow = max(helpRow - 1, 0)
    case .arrow: break
    case .character(" "), .character("q"), .enter:
      showsHelp = false
      return true
    default: showsHelp = false
    }
    return false
  }

  /// Quits; asks first while a session plays, because one wrong key must not end it.
  private mutating func quit() -> Action? {
    guard snapshot.isPlaying, progress != nil else { return .quit }
    question = .quit
    return nil
  }

  // MARK: Values

  /// The target that a control learns for the focused value. In a session the first value is its speed.
  private var focusedTarget: MIDITarget {
    if progress != nil, focus == Parameters.tempo.parameter { return .speed(nil) }
    if focus == Parameters.gap.parameter { return .gap }
    // For a choice, a press sets its present value.
    guard focus.control == nil, let now = try? Setting(focus, snapshot.settings[focus]) else {
      return .parameter(focus)
    }
    return .set(now)
  }

  private mutating func moveFocus(by step: Int) {
    let index = fields.firstIndex(of: focus) ?? 0
    focus = fields[(index + step + fields.count) % fields.count]
  }

  /// Changes the tempo by one BPM, or a session's speed by one percent.
  private func step(by step: Int) -> Action {
    guard let speed = progress?.speed else { return .update(.nudge(thousandths: 1_000 * step)) }
    return .update(.speed(percent: (speed + step).clamped(to: SessionSpeed.range)))
  }

  /// Changes the focused value.
  private mutating func turn(_ direction: Key.Direction, _ isShifted: Bool) -> Action? {
    if choices.contains(focus) { return choose(direction) }
    // In tenths of a BPM, or of a percent.
    let size = isShifted ? 1 : direction == .up || direction == .down ? 10 : 100
    let tenths = direction == .up || direction == .right ? size : -size
    if focus == Parameters.tempo.parameter {
      guard progress != nil else { return .update(.nudge(thousandths: 100 * tenths)) }
      // With shift the song's tempo changes by one BPM, otherwise its speed in percent.
      return isShifted ? .update(.nudge(thousandths: 1_000 * tenths)) : step(by: tenths / 10)
    }
    // Swing is shown in percent of a pair of parts; its range 0…1 is 25 of these percent.
    let thousandths = focus == Parameters.swing.parameter ? 4 * tenths : tenths
    let share = ((share(of: focus) * 1_000).rounded() + Double(thousandths)) / 1_000
    let bounds = focus.bounds
    let value = bounds.lowerBound + min(max(share, 0), 1) * (bounds.upperBound - bounds.lowerBound)
    return (try? Setting(focus, .number(value))).map { .update(.set($0)) }
  }

  /// Handles a key while something is typed.
  private mutating func type(_ key: Key) -> Action? {
    switch key {
    // No entry begins with a space, and numbers contain none: space starts and stops here.
    case .character(" ") where typing.entry?.takesSpace == false:
      typing.entry = nil
      return .update(.toggle)
    // Page turners send these keys, so they work while the user types. In the list they move the cursor.
    case .pageUp where view != .list: return .update(.go(.previous))
    case .pageDown where view != .list: return .update(.go(.next))
    case .character(let character): typing.entry?.insert(character)
    case .backspace: if typing.entry?.erase() == false { typing.entry = nil }
    case .delete: typing.entry?.eraseNext()
    case .arrow(.left, _): typing.entry?.move(by: -1)
    case .arrow(.right, _): typing.entry?.move(by: 1)
    case .home: typing.entry?.move(by: -PanelEntry.limit)
    case .end: typing.entry?.move(by: PanelEntry.limit)
    case .eraseText: typing.entry?.eraseBefore(word: false)
    case .eraseWord: typing.entry?.eraseBefore(word: true)
    case .enter:
      do {
        guard let update = try typing.entry?.update(snapshot, table) else { return nil }
        typing.submit()
        switch update {
        case .preset(.save(let name)) where replacesAnother(name): question = .replace(name)
        case .open(path: "") where snapshot.isPlaying && progress != nil: question = .close
        case .set(let setting):
          // Most switches are not shown.
          if case .flag(let isOn) = setting.value {
            note = Note(text: "\(setting.parameter.name): \(isOn ? "on" : "off")", isWarning: false)
          }
          return .update(update)
        default: return .update(update)
        }
      } catch {
        typing.refuse()
        note = Note(text: "\(error)", isWarning: true)
      }
    case .escape: typing.entry = nil
    default: break
    }
    return nil
  }
}
