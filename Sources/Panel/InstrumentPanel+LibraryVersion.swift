import CNcurses

extension InstrumentPanel {
  /// The name and version of the loaded ncurses.
  package static var libraryVersion: String { String(cString: curses_version()) }
}
