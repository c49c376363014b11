import Validation

/// The words of one line of a klick map, consumed from the front. Reports their faults.
struct KlickWords {
  struct Word {
    let text: Substring
    /// From 1.
    let column: Int
  }

  /// How many words of a line are kept: more than a valid entry has, so that a longer line is refused.
  private static let most = 16

  private var words: [Word] = []
  private let number: Int
  /// The column after the last word.
  private let end: Int
  private let log: FaultLog
  private let remarks: FaultLog

  /// - Parameter line: the line with its comment; it may have millions of bytes.
  init(_ line: Substring, number: Int, log: FaultLog, remarks: FaultLog) {
    self.number = number
    self.log = log
    self.remarks = remarks
    let bytes = line.utf8
    var column = 1
    var start: (index: Substring.Index, column: Int)?
    for index in bytes.indices where bytes[index] & 0xC0 != 0x80 {
      let byte = bytes[index]
      let isEnd = byte == UInt8(ascii: "#")
      if isEnd || byte == 0x20 || byte == 0x09 || byte == 0x0D {
        if let begun = start { words.append(Word(text: line[begun.index..<index], column: begun.column)) }
        start = nil
      } else if start == nil {
        start = (index, column)
      }
      if isEnd || words.count == KlickWords.most { break }
      column += 1
    }
    if let start { words.append(Word(text: line[start.index...], column: start.column)) }
    end = column
  }

  var isEmpty: Bool { words.isEmpty }
  var first: Word? { words.first }

  /// Whether no more faults are kept, so that further reading is pointless.
  var isFull: Bool { log.isFull }

  /// The number of faults in this line and the previous ones.
  var faultCount: Int { log.faults.count }

  /// Skips the next word. Precondition: there is one.
  mutating func drop() { words.removeFirst() }

  mutating func putBack(_ word: Word) { words.insert(word, at: 0) }

  /// Consumes the next word, and returns the body's result for it; nil, with a fault in the log, if there is no word or the
  /// body refuses it.
  mutating func take<T>(_ what: String, _ allowed: String, _ body: (Word) -> T?) -> T? {
    guard let word = first else {
      reportMissing(what, allowed: allowed)
      return nil
    }
    drop()
    guard let value = body(word) else {
      report(word, "\(what) \(quoted(String(word.text)))", allowed: allowed)
      return nil
    }
    return value
  }

  // MARK: Faults

  func report(_ word: Word, _ what: String, allowed: String) {
    log.report(line: number, column: word.column, what, allowed: allowed)
  }

  func reportMissing(_ what: String, allowed: String) {
    log.report(line: number, column: end, "missing \(what)", allowed: allowed)
  }

  /// Reports a value that is played differently from how it is written.
  func remark(_ word: Word, _ what: @autoclosure () -> String, allowed: String) {
    guard !remarks.isFull else { return }
    remarks.report(line: number, column: word.column, what(), allowed: allowed)
  }
}
