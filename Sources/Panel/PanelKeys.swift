import Control
import MusicTime

/// Key bindings. Each key does what an OSC message can do.
extension PanelModel {
  enum Action: Equatable, Sendable {
    case update(Update)
    case quit
  }

  /// The list of keys that `?` shows.
  static let help = [
    ("space", "start, stop (a session pauses)"),
    ("arrows", "change the focused value: up/down 1, right/left 10, shift 0.1"),
    ("tab", "next value: tempo (or session speed), subdivisions, swing, volumes"),
    ("t", "tap the tempo"),
    ("0-9 /", "type a meter, such as 7/8 or 7; Enter sets it, Esc cancels"),
    ("m", "mute the mix"),
    ("g", "silence every other bar, on and off"),
    ("n p", "next, previous section"),
    ("N P", "next, previous song"),
    ("h", "repeat the current section, on and off"),
    ("l", "bind a MIDI control to the focused value; again to cancel"),
    ("s", "save the settings"),
    ("?", "show these keys"),
    ("q", "quit"),
  ]

  /// Handles a key.
  /// - Returns: an action outside the panel, if the key has one.
  mutating func press(_ key: Key) -> Action? {
    if showsHelp {
      showsHelp = false
      return key == .character("q") ? .quit : nil
    }
    note = nil
    if entry != nil { return type(key) }
    switch key {
    case .tab: moveFocus(by: 1)
    case .backTab: moveFocus(by: -1)
    case .arrow(let direction, let isShifted): return turn(direction, isShifted)
    case .character("?"): showsHelp = true
    case .character("q"): return .quit
    case .character("s"):
      note = Note(text: "saving the settings", isWarning: false)
      return .update(.save)
    case .character(let digit) where "1"..."9" ~= digit: entry = String(digit)
    case .character(let letter): return update(letter).map { .update($0) }
    case .enter, .escape, .backspace: break
    }
    return nil
  }

  private func update(_ letter: Character) -> Update? {
    switch letter {
    case " ": .toggle
    case "t": .tap(seconds: nil)
    case "m": .set(.mute(!snapshot.settings.isMuted))
    case "g": .set(.gap(snapshot.settings.gap.toggled))
    case "n": .go(.next)
    case "p": .go(.previous)
    case "N": .go(.nextSong)
    case "P": .go(.previousSong)
    case "h": .hold(progress?.isHeld != true)
    // These targets need no argument, so this doesn't throw.
    case "l": .learn(snapshot.learning == nil ? try? MIDIAction(focusedTarget) : nil)
    default: nil
    }
  }

  /// What a control that moves is to change. In a session the first value is its speed.
  private var focusedTarget: MIDITarget {
    progress != nil && focus == Parameters.tempo.parameter ? .speed(nil) : .parameter(focus)
  }

  private mutating func moveFocus(by step: Int) {
    let index = fields.firstIndex(of: focus) ?? 0
    focus = fields[(index + step + fields.count) % fields.count]
  }

  /// Changes the focused value.
  private func turn(_ direction: Key.Direction, _ isShifted: Bool) -> Action? {
    // In tenths of a beat per minute, or of a percent.
    let size = isShifted ? 1 : direction == .up || direction == .down ? 10 : 100
    let tenths = direction == .up || direction == .right ? size : -size
    if focus == Parameters.tempo.parameter {
      guard let speed = progress?.speed else { return .update(.nudge(thousandths: 100 * tenths)) }
      let percent = speed + (isShifted ? tenths : tenths / 10)
      return .update(.speed(percent: min(max(percent, 10), 400)))
    }
    let share = ((share(of: focus) * 1_000).rounded() + Double(tenths)) / 1_000
    let bounds = focus.bounds
    let value = bounds.lowerBound + min(max(share, 0), 1) * (bounds.upperBound - bounds.lowerBound)
    return (try? Setting(focus, .number(value))).map { .update(.set($0)) }
  }

  /// Handles a key while a meter is being typed.
  private mutating func type(_ key: Key) -> Action? {
    switch key {
    case .character(let character) where "0"..."9" ~= character || character == "/":
      if entry!.count < 5 { entry!.append(character) }
    case .backspace:
      entry!.removeLast()
      if entry!.isEmpty { entry = nil }
    case .enter:
      defer { entry = nil }
      do {
        let text = entry!.contains("/") ? entry! : "\(entry!)/\(snapshot.settings.meter.unit)"
        return .update(.set(.meter(try Meter(text: text))))
      } catch {
        note = Note(text: "\(error)", isWarning: true)
      }
    case .escape: entry = nil
    default: break
    }
    return nil
  }
}
