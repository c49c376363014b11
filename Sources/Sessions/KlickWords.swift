import Validation

/// The words of one line of a klick map, consumed from the front, and their faults.
struct KlickWords {
  struct Word {
    let text: Substring
    /// From 1.
    let column: Int
  }

  private var words: [Word] = []
  private let number: Int
  /// The column after the last word.
  private let end: Int
  private let log: FaultLog
  private let remarks: FaultLog

  /// - Parameter line: the line without its comment.
  init(_ line: Substring, number: Int, log: FaultLog, remarks: FaultLog) {
    self.number = number
    self.log = log
    self.remarks = remarks
    let content = line.prefix { $0 != "#" }
    var column = 1
    var start: (index: Substring.Index, column: Int)?
    for index in content.unicodeScalars.indices {
      let isSpace = [" ", "\t", "\r"].contains(content.unicodeScalars[index])
      if isSpace, let begun = start {
        words.append(Word(text: content[begun.index..<index], column: begun.column))
        start = nil
      } else if !isSpace, start == nil {
        start = (index, column)
      }
      column += 1
    }
    if let start { words.append(Word(text: content[start.index...], column: start.column)) }
    end = column
  }

  var isEmpty: Bool { words.isEmpty }
  var first: Word? { words.first }

  /// The number of faults in this line and the previous ones.
  var faultCount: Int { log.faults.count }

  /// Skips the next word. Precondition: there is one.
  mutating func drop() { words.removeFirst() }

  mutating func putBack(_ word: Word) { words.insert(word, at: 0) }

  /// The body's result for the next word; nil, and a fault, if there is no word or the body refuses it.
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

  /// Reports something that is played differently from how it is written.
  func remark(_ word: Word, _ what: String, allowed: String) {
    remarks.report(line: number, column: word.column, what, allowed: allowed)
  }
}
