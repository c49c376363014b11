#if Log
  import Foundation
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

    /// The fault in a page's markup, by a reader that forgives nothing; nil if there is none.
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
