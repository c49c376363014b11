import CQrencode
import Glibc

/// A QR code, drawn with half blocks for a terminal.
struct QRCode {
  private let width: Int
  private let isDark: [Bool]

  /// Returns nil if the text is too long.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    let data = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
    isDark = data.map { $0 & 1 == 1 }
  }

  /// The rows with escape sequences that make them dark on light, whatever the terminal's colours are.
  var lines: [String] { rows.map { "\u{1b}[38;5;16;48;5;231m" + $0 + "\u{1b}[0m" } }

  /// The code in half blocks: two rows of modules in a line, with the quiet zone that cameras need. It must be shown dark on
  /// light.
  var rows: [String] {
    let quiet = 2
    return stride(from: -quiet, to: width + quiet, by: 2).map { row in
      let squares = (-quiet..<width + quiet).map { column in
        switch (isDark(row, column), isDark(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }
      return squares.joined()
    }
  }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    guard 0..<width ~= row, 0..<width ~= column else { return false }
    return isDark[row * width + column]
  }
}
