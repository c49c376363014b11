import CNcurses
import Glibc

/// The terminal, through curses. Only this type calls curses.
///
/// - Thread: panel
final class Screen {
  private var hasBegun = false
  private(set) var isShown = false
  /// What the terminal shows; nil if unknown.
  private var shown: Canvas?
  private var attributes: [Style: (attr_t, Int16)] = [:]
  /// Whether the terminal reports the mouse.
  private var takesMouse = false
  /// Events of the mouse that `nextKey` has not returned yet, oldest first.
  private var mouse: [Mouse] = []

  /// Whether standard input and output are a terminal that curses supports. Call it before starting threads: it sets the
  /// locale's character type.
  static var isPossible: Bool {
    guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else { return false }
    setlocale(LC_CTYPE, "")
    var error: Int32 = 0
    guard setupterm(nil, STDOUT_FILENO, &error) == OK else { return false }
    // tigetstr returns -1 if the capability is not a string.
    guard let move = tigetstr("cup") else { return false }
    return Int(bitPattern: move) != -1
  }

  /// The name and version of the loaded ncurses.
  static var libraryVersion: String { String(cString: curses_version()) }

  var glyphs: Glyphs { String(cString: nl_langinfo(Int32(CODESET))) == "UTF-8" ? .unicode : .ascii }

  /// Whether Tactus is in the terminal's foreground, so that the keys are meant for it rather than for the shell.
  var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    // If it is not a controlling terminal, nothing else reads it.
    return group < 0 || group == getpgrp()
  }

  /// Takes over the terminal.
  func enter() {
    guard !isShown else { return }
    if hasBegun {
      TerminalRescue.arm(true)
      reset_prog_mode()
      clearok(tactus_window(), true)
      follow()
    } else {
      begin()
    }
    (isShown, shown) = (true, nil)
  }

  private func begin() {
    TerminalRescue.prepare()
    TerminalRescue.arm(true)
    // `isPossible` has checked that this works.
    guard tactus_begin_screen() != nil else { return }
    hasBegun = true
    set_escdelay(25)
    cbreak()
    noecho()
    nonl()
    curs_set(0)
    keypad(tactus_window(), true)
    nodelay(tactus_window(), true)
    // Report a press at once: double clicks have no function.
    mouseinterval(0)
    leaveStopKey()
    for (direction, letter) in [(KEY_SR, "A"), (KEY_SF, "B"), (KEY_SRIGHT, "C"), (KEY_SLEFT, "D")] {
      // Many terminal descriptions lack these sequences, though nearly every terminal sends them.
      define_key("\u{1B}[1;2\(letter)", direction)
    }
    let isColoured = has_colors() && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    if isColoured {
      start_color()
      use_default_colors()
    }
    for style in Style.allCases { attributes[style] = Screen.attributes(style, isColoured) }
  }

  /// Asks the terminal to report the mouse, or leaves the mouse to the terminal.
  func takeMouse(_ takes: Bool) {
    guard isShown, takes != takesMouse else { return }
    takesMouse = takes
    mousemask(takes ? tactus_mouse : 0, nil)
  }

  /// Disables Ctrl-S, which would stop the panel's output.
  private func leaveStopKey() {
    var modes = termios()
    tcgetattr(STDIN_FILENO, &modes)
    modes.c_iflag &= ~tcflag_t(IXON)
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
    def_prog_mode()
  }

  private static func attributes(_ style: Style, _ isColoured: Bool) -> (attr_t, Int16) {
    let (attribute, colour): (attr_t, Int32?) =
      switch style {
      case .plain: (0, nil)
      case .label: (tactus_dim, nil)
      case .strong, .here: (tactus_bold, nil)
      case .header: (tactus_reverse, nil)
      case .accentLit: (tactus_bold, COLOR_YELLOW)
      case .beatLit: (tactus_bold, COLOR_GREEN)
      case .focus: (tactus_bold, COLOR_CYAN)
      case .warning: (tactus_bold, COLOR_RED)
      case .paper: isColoured ? (0, COLOR_BLACK) : (tactus_reverse, nil)
      }
    guard isColoured, let colour else { return (attribute, 0) }
    let pair = Int16(style.rawValue)
    init_pair(pair, Int16(colour), style == .paper ? Int16(COLOR_WHITE) : -1)
    return (attribute, pair)
  }

  /// Restores the terminal.
  func leave() {
    guard isShown else { return }
    endwin()
    TerminalRescue.arm(false)
    isShown = false
  }

  var size: (columns: Int, rows: Int) {
    (Int(getmaxx(tactus_window())), Int(getmaxy(tactus_window())))
  }

  /// Adapts to the terminal's current size.
  func follow() {
    var size = winsize()
    guard tactus_terminal_size(STDOUT_FILENO, &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return }
    resizeterm(Int32(size.ws_row), Int32(size.ws_col))
    shown = nil
  }

  /// Shows a canvas. Only changes are written.
  func show(_ canvas: Canvas) {
    for row in 0..<canvas.rows {
      if let shown, shown.columns == canvas.columns, row < shown.rows, shown[row] == canvas[row] { continue }
      var column = 0
      let cells = canvas[row]
      while column < canvas.columns {
        let style = cells[cells.startIndex + column].style
        let run = cells[(cells.startIndex + column)...].prefix { $0.style == style }
        let text = run.compactMap { $0.character.map { wchar_t(bitPattern: $0.value) } }
        let (attribute, pair) = attributes[style] ?? (0, 0)
        wattr_set(tactus_window(), attribute, pair, nil)
        mvaddnwstr(Int32(row), Int32(column), text, Int32(text.count))
        column += run.count
      }
    }
    refresh()
    shown = canvas
  }

  /// The next pressed key; nil if there is none.
  func nextKey() -> Key? {
    while mouse.isEmpty {
      var code = wint_t()
      let kind = wget_wch(tactus_window(), &code)
      guard kind != ERR else { return nil }
      if kind == KEY_CODE_YES, Int32(code) == KEY_MOUSE {
        mouse = Screen.takeMouse()
      } else if let key = kind == KEY_CODE_YES ? Screen.key(Int32(code)) : Screen.character(code) {
        return key
      }
    }
    return .mouse(mouse.removeFirst())
  }

  /// The new events of the mouse that the panel uses, oldest first. One key code of curses may stand for several events, which
  /// curses returns newest first.
  private static func takeMouse() -> [Mouse] {
    var taken: [Mouse] = []
    var event = MEVENT()
    while getmouse(&event) == OK {
      let deed: Mouse.Deed
      switch event.bstate {
      case let state where state & tactus_mouse_click != 0: deed = .click
      case let state where state & tactus_mouse_up != 0: deed = .wheelUp
      case let state where state & tactus_mouse_down != 0: deed = .wheelDown
      default: continue
      }
      taken.insert(Mouse(deed: deed, row: Int(event.y), column: Int(event.x)), at: 0)
    }
    return taken
  }

  private static func key(_ code: Int32) -> Key? {
    switch code {
    case KEY_UP: .arrow(.up, isShifted: false)
    case KEY_DOWN: .arrow(.down, isShifted: false)
    case KEY_LEFT: .arrow(.left, isShifted: false)
    case KEY_RIGHT: .arrow(.right, isShifted: false)
    case KEY_SR: .arrow(.up, isShifted: true)
    case KEY_SF: .arrow(.down, isShifted: true)
    case KEY_SLEFT: .arrow(.left, isShifted: true)
    case KEY_SRIGHT: .arrow(.right, isShifted: true)
    case KEY_BTAB: .backTab
    case KEY_ENTER: .enter
    case KEY_BACKSPACE: .backspace
    case KEY_DC: .delete
    case KEY_HOME: .home
    case KEY_END: .end
    case KEY_PPAGE: .pageUp
    case KEY_NPAGE: .pageDown
    case KEY_F0 + 1...KEY_F0 + 12: .function(Int(code - KEY_F0))
    default: nil
    }
  }

  private static func character(_ code: wint_t) -> Key? {
    switch code {
    case 0x00: .controlSpace
    case 0x01: .home
    case 0x05: .end
    case 0x15: .eraseText
    case 0x17: .eraseWord
    // Ctrl-D, for keyboards without Delete.
    case 0x04: .delete
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x1B: .escape
    case 0x08, 0x7F: .backspace
    // The other control characters have no meaning, and belong to no text.
    case ..<0x20: nil
    default: Unicode.Scalar(code).map { .character(Character($0)) }
    }
  }
}
