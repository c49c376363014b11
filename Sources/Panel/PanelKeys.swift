import Control
import MusicTime

/// What the keys do: each what an OSC message would.
extension PanelModel {
  enum Action: Equatable, Sendable {
    case update(Update)
    case quit
  }

  /// The keys, for people.
  static let help = [
    ("space", "start, stop; a session pauses"),
    ("arrows", "what has the focus: up, down by 1; right, left by 10; shift by 0.1"),
    ("tab", "the focus: tempo (a session's speed), subdivisions, swing, volumes"),
    ("t", "tap the tempo"),
    ("0-9 /", "type a meter, as 7/8 or 7; Enter sets it, Esc doesn't"),
    ("m", "mute the mix"),
    ("g", "have every other bar silent; again: all sound"),
    ("n p", "next, previous section"),
    ("N P", "next, previous song"),
    ("h", "hold the section, let it go on"),
    ("l", "have a MIDI control learn what has the focus; again: don't"),
    ("s", "save the settings"),
    ("?", "these keys"),
    ("q", "quit"),
  ]

  /// Takes a key.
  /// - Returns: what is to be done beyond the panel.
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
    case " ": progress == nil ? .toggle : snapshot.isPlaying ? .pause : .start
    case "t": .tap(seconds: nil)
    case "m": .set(.mute(!snapshot.settings.isMuted))
    case "g": .set(.gap(snapshot.settings.gap.toggled))
    case "n": .go(.next)
    case "p": .go(.previous)
    case "N": .go(.nextSong)
    case "P": .go(.previousSong)
    case "h": .hold(progress?.isHeld != true)
    // A parameter needs nothing beside it.
    case "l": .learn(snapshot.learning == nil ? try? MIDIAction(.parameter(focus)) : nil)
    default: nil
    }
  }

  private mutating func moveFocus(by step: Int) {
    let index = fields.firstIndex(of: focus) ?? 0
    focus = fields[(index + step + fields.count) % fields.count]
  }

  /// Moves what has the focus.
  private func turn(_ direction: Key.Direction, _ isShifted: Bool) -> Action? {
    // In tenths of a beat a minute, or of a percent.
    let size = isShifted ? 1 : direction == .up || direction == .down ? 10 : 100
    let tenths = direction == .up || direction == .right ? size : -size
    if focus == .tempo {
      guard let speed = progress?.speed else { return .update(.nudge(thousandths: 100 * tenths)) }
      let percent = speed + (isShifted ? tenths : tenths / 10)
      return .update(.speed(percent: min(max(percent, 10), 400)))
    }
    let thousandths = (focus.value(in: snapshot.settings) * 1_000).rounded() + Double(tenths)
    let value = min(max(thousandths / 1_000, 0), 1)
    return (try? focus.setting(value)).map { .update(.set($0)) }
  }

  /// Takes a key of the meter that is being typed.
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
