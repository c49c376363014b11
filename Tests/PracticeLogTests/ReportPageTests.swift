#if Log
  import Foundation
  import TestBench
  import Testing
  import TimeCheck

  @testable import PracticeLog

  @Suite struct ReportPageTests {
    private func page(_ fill: (inout SimulatedPractice, LogDatabase) throws -> Void) throws -> String {
      let scratch = Scratch()
      let database = try LogDatabase(scratch.log, for: .keeping)
      var practice = SimulatedPractice()
      try fill(&practice, database)
      var page = TextBuffer()
      try ReportPage(zone: .utc, range: "all takes").write(database, LogFilter(), to: &page)
      return page.text
    }

    /// The fault in a page's markup, found by a strict parser; nil if there is none.
    private func fault(_ page: String) -> String? {
      var open: [Substring] = []
      var rest = page[...]
      while let start = rest.firstIndex(of: "<") {
        let text = rest[..<start]
        if text.contains(">") { return "a stray > in \(text.suffix(40))" }
        rest = rest[start...].dropFirst()
        if rest.hasPrefix("style>") {
          guard let end = rest.firstRange(of: "</style>") else { return "style without an end" }
          rest = rest[end.upperBound...]
          continue
        }
        guard let end = rest.firstIndex(of: ">") else { return "a tag without an end" }
        let tag = rest[..<end]
        rest = rest[end...].dropFirst()
        if tag.hasPrefix("!DOCTYPE") || tag.hasSuffix("/") { continue }
        if tag.hasPrefix("/") {
          guard open.popLast() == tag.dropFirst() else { return "</\(tag.dropFirst())> ends nothing" }
        } else {
          let name = tag.prefix { $0 != " " }
          guard tag.count(where: { $0 == "\"" }) % 2 == 0 else { return "quotes in \(tag)" }
          open.append(name)
        }
      }
      return open.isEmpty ? nil : "\(open) stay open"
    }

    @Test func `A tempo is reached where the hits were in the window`() throws {
      func reached(_ change: (inout LoggedTake, inout [LoggedHit]) -> Void) throws -> Double? {
        let scratch = Scratch()
        let database = try LogDatabase(scratch.log, for: .keeping)
        var practice = SimulatedPractice()
        var (take, hits) = practice.take(tempo: 100)
        // A ladder: in time up to 120, all over the place at 160.
        for index in hits.indices {
          hits[index].tempo = index < 24 ? 100 : index < 44 ? 120 : 160
          hits[index].milliseconds = index < 44 ? Double(index % 5) : Double(index % 7) * 20 - 60
        }
        take.tempo?.note(160)
        change(&take, &hits)
        let number = try database.keep(take, hits)
        var history = PracticeHistory(zone: .utc)
        let reached = try database.temposReached(LogFilter())
        try database.eachTake(LogFilter()) { history.add($0, reached: reached[number]) }
        return history.rows.first?.week.tempo
      }
      #expect(try reached { _, _ in } == 120)
      #expect(try reached { take, _ in take.target = 60 } == nil)
      // Without a calibration lateness is relative to the average.
      #expect(try reached { take, _ in (take.target, take.isCalibrated, take.mean) = (60, false, 2) } == 120)
      #expect(try reached { take, _ in take.missed = 30 } == nil)
      #expect(try reached { take, _ in take.spread = nil } == nil)
      // A tempo needs at least two bars.
      #expect(try reached { _, hits in for index in 30..<64 { hits[index].tempo = 160 } } == 100)
      // Each hit of a ramp has a tempo of its own.
      let ramp = try reached { _, hits in
        for index in hits.indices {
          (hits[index].tempo, hits[index].milliseconds) = (100 + Double(index) / 4, Double(index % 5))
        }
      }
      #expect(ramp == 115.75)
    }

    @Test func thePageIsWellFormedAndLoadsNothing() throws {
      let page = try page { practice, database in
        for hour in 0..<40 {
          let (take, hits) = practice.take(
            after: Double(hour) * 20, title: hour % 3 == 0 ? "" : "Song", section: "Verse",
            tempo: 80 + Double(hour))
          try database.keep(take, hits)
        }
      }
      #expect(fault(page) == nil)
      for word in [
        "http:", "https", "//", "src=", "href=", "url(", "@import", "<script", "javascript", "<link",
        "<iframe", " on",
      ] {
        let isOf = word == " on" ? page.contains(" onload") || page.contains(" onclick") : page.contains(word)
        #expect(!isOf, "\(word)")
      }
      #expect(page.contains("default-src 'none'"))
      #expect(!page.contains("nan") && !page.contains("inf\""))
      // Three of the history, and of each of the last ten takes those over time, around the click, places, gaps and tempo.
      #expect(page.components(separatedBy: "<svg").count == 1 + 3 + 50)
      #expect(page.components(separatedBy: "<title id=").count == 1 + 53)
      #expect(page.components(separatedBy: "<desc id=").count == 1 + 53)
      for number in 1...53 {
        #expect(page.contains("id=\"t\(number)\"") && page.contains("aria-labelledby=\"t\(number)\""))
      }
    }

    @Test(arguments: [
      "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "&lt;", "'", "]]>", "-->", "</title>",
      "\u{202E}reversed", "http://example.com",
    ])
    func titlesAreTextAndNothingElse(_ title: String) throws {
      let page = try page { practice, database in
        let (take, hits) = practice.take(title: title, section: title)
        try database.keep(take, hits)
      }
      #expect(fault(page) == nil)
      #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("\u{202E}"))
      #expect(!page.contains("href"))
    }

    @Test func aTakeOfNothingAndOneOfStrangeNumbersAreDrawn() throws {
      let page = try page { practice, database in
        var (take, hits) = practice.take(hits: 0)
        try database.keep(take, [])
        (take, hits) = practice.take(hits: 3)
        take.seconds = 1e300
        take.inWindow = -1e300
        hits[0].milliseconds = 1e300
        hits[1].frame = .max
        hits[2].tempo = 1e-300
        try database.keep(take, hits)
      }
      #expect(fault(page) == nil)
    }

    @Test func anEmptyLogIsSaid() throws {
      let page = try page { _, _ in }
      #expect(fault(page) == nil && page.contains("Nothing was kept."))
    }

    @Test func ofALongTakeNoMoreIsDrawnThanABrowserBears() throws {
      let page = try page { practice, database in
        let (take, hits) = practice.take(hits: 20_000)
        try database.keep(take, hits)
      }
      #expect(page.utf8.count < 1_000_000)
      #expect(page.contains("of 20000 hits are drawn"))
    }
  }
#endif
