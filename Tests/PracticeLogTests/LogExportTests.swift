import Foundation
import TestBench
import Testing
import TimeCheck

@testable import PracticeLog

@Suite struct LogExportTests {
  private func take(_ title: String) -> LoggedTake {
    var practice = SimulatedPractice()
    return practice.take(title: title, section: "A, \"B\"").take
  }

  /// The cells of a line, as RFC 4180 says.
  private func cells(_ line: String) -> [String] {
    var (cells, cell, isQuoted) = ([String](), "", false)
    let characters = Array(line.unicodeScalars)
    var index = 0
    while index < characters.count {
      let character = characters[index]
      if character == "\"" {
        if isQuoted, index + 1 < characters.count, characters[index + 1] == "\"" {
          cell.unicodeScalars.append(character)
          index += 1
        } else {
          isQuoted.toggle()
        }
      } else if character == ",", !isQuoted {
        cells.append(cell)
        cell = ""
      } else {
        cell.unicodeScalars.append(character)
      }
      index += 1
    }
    return cells + [cell]
  }

  @Test(arguments: [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "Slow, \"blues\"", "a;b", "line\nbreak", "ünï🥁",
  ])
  func everyTitleIsOneCellAndNoFormula(_ title: String) throws {
    let line = CSVExport(zone: .utc).line(take(title))
    #expect(line.hasSuffix("\r\n") && line.dropLast().allSatisfy { $0 != "\n" && $0 != "\r\n" })
    let cells = cells(String(line.dropLast()))
    #expect(cells.count == CSVExport.takeHeader.split(separator: ",").count)
    #expect(!["=", "+", "-", "@", "\t", "＝"].contains { cells[5].hasPrefix($0) })
    #expect(cells[6] == "A, \"B\"")
  }

  @Test func numbersAreExact() throws {
    var take = take("")
    take.mean = 0.1 + 0.2
    let cells = cells(String(CSVExport(zone: .utc).line(take).dropLast()))
    #expect(cells[1] == "2026-11-02" && cells[2] == "09:00:00" && Int64(cells[3]) == take.began)
    let names = CSVExport.takeHeader.split(separator: ",").map(String.init)
    #expect(Double(cells[try #require(names.firstIndex(of: "mean_ms"))]) == take.mean)
    #expect(Double(cells[try #require(names.firstIndex(of: "spread_ms"))]) == take.spread?.value)
  }

  @Test(arguments: ["\"\\\u{1}\u{2028}", "</script>", "🥁"])
  func jsonSaysWhatWasKept(_ title: String) throws {
    var take = take(title)
    take.mean = 0.1 + 0.2
    take.gapSlower = nil
    take.gapSpread = .nan
    let text = "{" + JSONExport(zone: .utc).members(take) + "}"
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    // Foundation rounds the last digit; the text has all of them.
    #expect(text.contains("0.30000000000000004"))
    #expect(object["gapSlower"] is NSNull && object["gapSpread"] is NSNull)
    #expect((object["title"] as? String)?.isEmpty == false)
    #expect(object["calibrated"] as? Bool == true)
  }

  #if Log
    @Test func allHitsOfAllTakesAreWritten() throws {
      let scratch = Scratch()
      let database = try LogDatabase(scratch.log, for: .keeping)
      var practice = SimulatedPractice()
      for hour in 0..<3 {
        let (take, hits) = practice.take(after: Double(hour))
        try database.keep(take, hits)
      }
      var (json, csv, takes) = (TextBuffer(), TextBuffer(), TextBuffer())
      #expect(try LogExport(.json, zone: .utc, hasHits: true).write(database, LogFilter(), to: &json) == 3)
      try LogExport(.csv, zone: .utc, hasHits: true).write(database, LogFilter(), to: &csv)
      try LogExport(.csv, zone: .utc, hasHits: false).write(database, LogFilter(since: .max), to: &takes)
      let array = try #require(
        try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [[String: Any]])
      #expect(array.map { ($0["hitList"] as? [Any])?.count } == [64, 64, 64])
      #expect(csv.text.split(separator: "\r\n").count == 1 + 3 * 64)
      #expect(takes.text == CSVExport.takeHeader)
    }
  #endif
}
