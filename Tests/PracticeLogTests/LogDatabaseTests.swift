#if Log
  import Dispatch
  import Files
  import Foundation
  import TestBench
  import TestNumbers
  import Testing
  import TimeCheck

  @testable import PracticeLog

  @Suite struct LogDatabaseTests {
    private let scratch = Scratch()

    @Test func aTakeAndItsHitsComeBackAsTheyWere() throws {
      var practice = SimulatedPractice()
      var (take, hits) = practice.take(title: "Slow 🥁 \"blues\"", section: "Chorus")
      take.mean = -0.1
      take.spread = Estimate(1.0 / 3, 0.1, 1e-300)
      hits[3].milliseconds = .leastNormalMagnitude
      hits[4].drum = nil
      hits[5].tempo = nil
      hits[6].frame = -1 << 50
      var bare = LoggedTake(
        began: 0, seconds: 0, music: Music(), section: "", tempo: nil, sampleRate: 44_100,
        isCalibrated: false,
        hits: 0, mean: 0)
      let database = try LogDatabase(scratch.log, for: .keeping)
      take.number = try database.keep(take, hits)
      bare.number = try database.keep(bare, [])
      let again = try LogDatabase(scratch.log, for: .reading)
      #expect(try again.takes() == [bare, take])
      #expect(try again.hits(of: take.number) == hits)
      #expect(try again.hits(of: bare.number).isEmpty)
      #expect(try again.takes(LogFilter(song: "BLUES")) == [take])
      #expect(try again.takes(LogFilter(song: "metronome")) == [bare])
      #expect(try again.takes(LogFilter(since: 1)) == [take])
      #expect(try again.takes(LogFilter(before: 1)) == [bare])
      #expect(try again.takes(LogFilter(number: take.number)) == [take])
    }

    @Test func numbersAreNeverUsedAgain() throws {
      var practice = SimulatedPractice()
      let (take, hits) = practice.take()
      let database = try LogDatabase(scratch.log, for: .keeping)
      let number = try database.keep(take, hits)
      _ = try database.forget(LogFilter())
      #expect(try database.keep(take, hits) == number + 1)
    }

    @Test func onlyItsOwnerMayReadTheLog() throws {
      var practice = SimulatedPractice()
      let (take, hits) = practice.take()
      let database = try LogDatabase(scratch.log, for: .keeping)
      try database.keep(take, hits)
      #expect(scratch.logFiles == ["practice.sqlite", "practice.sqlite-shm", "practice.sqlite-wal"])
      for name in scratch.logFiles {
        var status = stat()
        #expect(stat("\(scratch.path)/tactus/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600)
      }
    }

    // MARK: Versions

    @Test(arguments: 0...LogSchema.versions.count)
    func aLogOfEveryOlderVersionIsBroughtUpToDate(_ version: Int) throws {
      try scratch.log.create()
      do {
        let old = try SQLiteConnection(path: scratch.log.path, isReadOnly: false)
        try old.transaction(isWriting: true) { try LogSchema.migrate(old, to: version) }
      }
      var practice = SimulatedPractice()
      let (take, hits) = practice.take()
      let database = try LogDatabase(scratch.log, for: .keeping)
      let number = try database.keep(take, hits)
      #expect(try database.hits(of: number) == hits)
    }

    @Test func aNewerVersionIsRefusedAndLeftAsItIs() throws {
      var practice = SimulatedPractice()
      let (take, hits) = practice.take()
      try LogDatabase(scratch.log, for: .keeping).keep(take, hits)
      do {
        let newer = try SQLiteConnection(path: scratch.log.path, isReadOnly: false)
        try newer.run("PRAGMA user_version = \(LogSchema.versions.count + 1)")
      }
      let before = content(of: scratch.log.path)
      for purpose in [LogDatabase.Purpose.reading, .keeping, .forgetting] {
        let error = refusal { _ = try LogDatabase(scratch.log, for: purpose) }
        #expect(error?.kind == .newer)
        #expect(error?.description.contains("newer Tactus") == true)
      }
      #expect(content(of: scratch.log.path) == before)
    }

    // MARK: What is no log

    @Test func anotherProgramsDatabaseIsLeftAsItIs() throws {
      try scratch.log.create()
      do {
        let other = try SQLiteConnection(path: scratch.log.path, isReadOnly: false)
        try other.run("CREATE TABLE bookmarks (url TEXT)")
      }
      let error = refusal { _ = try LogDatabase(scratch.log, for: .keeping) }
      #expect(error?.kind == .unusable && error?.description.contains("another program") == true)
      let other = try SQLiteConnection(path: scratch.log.path, isReadOnly: true)
      #expect(try other.integer("SELECT count(*) FROM bookmarks") == 0)
    }

    @Test func aLogThatIsNotThereIsNotMadeByReading() {
      #expect(refusal { _ = try LogDatabase(scratch.log, for: .reading) }?.kind == .missing)
      #expect(refusal { _ = try LogDatabase(scratch.log, for: .forgetting) }?.kind == .missing)
      #expect(scratch.logFiles.isEmpty)
    }

    @Test func aPipeAFolderAndALinkThatLeadsNowhereAreNamedAndLeft() throws {
      PrivateFolder.make(scratch.path + "/tactus")
      let path = scratch.log.path
      mkfifo(path, 0o600)
      #expect(
        refusal { _ = try LogDatabase(scratch.log, for: .keeping) }?.description.contains("a pipe") == true)
      unlink(path)
      mkdir(path, 0o700)
      #expect(
        refusal { _ = try LogDatabase(scratch.log, for: .reading) }?.description.contains("a folder") == true)
      rmdir(path)
      symlink(scratch.path + "/nowhere", path)
      let error = refusal { _ = try LogDatabase(scratch.log, for: .keeping) }
      #expect(error?.description.contains("is a broken link") == true)
      #expect(scratch.logFiles == ["practice.sqlite"] && !fileExists(scratch.path + "/nowhere"))
    }

    @Test func aLinkIsFollowed() throws {
      let real = LogFile(path: scratch.path + "/elsewhere/log.sqlite")
      _ = try LogDatabase(real, for: .keeping)
      PrivateFolder.make(scratch.path + "/tactus")
      symlink(real.path, scratch.log.path)
      #expect(try LogDatabase(scratch.log, for: .keeping).path == realPath(real.path))
      #expect(scratch.logFiles == ["practice.sqlite"])
    }

    private func realPath(_ path: String) throws -> String { try followingLinks(path) }

    @Test func whereNoFolderCanBeMadeThatIsSaid() {
      let error = refusal {
        _ = try LogDatabase(LogFile(path: "/proc/tactus/practice.sqlite"), for: .keeping)
      }
      #expect(error?.kind == .unusable && error?.description.contains("can't be created") == true)
    }

    @Test(.enabled(if: access("/sys", R_OK) == 0))
    func `The reason is that of the folder, not that the folder is missing`() {
      let error = refusal {
        _ = try LogDatabase(LogFile(path: "/sys/tactus/log/practice.sqlite"), for: .keeping)
      }
      let reasons = [EROFS, EPERM, EACCES].map { String(cString: strerror($0)) }
      #expect(reasons.contains { error?.description.hasSuffix("can't be created: \($0)") == true })
    }

    @Test func whatIsNoDatabaseIsDamagedAndLeftByReading() throws {
      try scratch.log.create()
      try WholeFile.write(
        Array("These are not the takes that you are looking for.".utf8), to: scratch.log.path)
      let error = refusal { _ = try LogDatabase(scratch.log, for: .reading) }
      #expect(error?.kind == .damaged)
      #expect(scratch.logFiles == ["practice.sqlite"])
      #expect(scratch.holds("These are not"))
    }

    /// Bytes are changed anywhere: each is read, refused or found damaged, and nothing traps.
    @Test func whateverIsDamagedIsReadOrRefused() throws {
      var practice = SimulatedPractice()
      let database = try LogDatabase(scratch.log, for: .keeping)
      for hour in 0..<6 {
        let (take, hits) = practice.take(after: Double(hour), title: "Song \(hour)")
        try database.keep(take, hits)
      }
      _ = try database.forget(LogFilter(number: 2))
      let sound = try #require(content(of: scratch.log.path))
      let other = Scratch()
      PrivateFolder.make(other.path + "/tactus")
      var generator = Generator(seed: 7)
      var (refused, read) = (0, 0)
      for _ in 0..<400 {
        var bytes = sound
        for _ in 0..<generator.number(1...40) {
          bytes[generator.number(0...(bytes.count - 1))] = UInt8(generator.number(0...255))
        }
        if generator.oneIn(4) { bytes.removeLast(generator.number(1...(bytes.count - 1))) }
        for name in other.logFiles { unlink("\(other.path)/tactus/\(name)") }
        try WholeFile.write(bytes, to: other.log.path)
        do {
          let database = try LogDatabase(other.log, for: .reading)
          var page = TextBuffer()
          try ReportPage(zone: .utc, range: "all takes").write(database, LogFilter(), to: &page)
          var export = TextBuffer()
          try LogExport(.json, zone: .utc, hasHits: true).write(database, LogFilter(), to: &export)
          #expect((try? JSONSerialization.jsonObject(with: Data(export.text.utf8))) != nil)
          read += 1
        } catch let error as LogError {
          #expect(!error.description.isEmpty)
          refused += 1
        }
      }
      #expect(refused > 20 && read > 20)
    }

    // MARK: Several writers, full disks

    @Test func `Takes of several programs are all kept`() throws {
      let databases = try (0..<3).map { _ in try LogDatabase(scratch.log, for: .keeping) }
      let file = scratch.log
      DispatchQueue.concurrentPerform(iterations: 3) { index in
        var practice = SimulatedPractice(seed: UInt64(index))
        for _ in 0..<25 {
          let (take, hits) = practice.take(hits: 200)
          do { try databases[index].keep(take, hits) } catch { Issue.record(error) }
        }
      }
      let takes = try LogDatabase(file, for: .reading).takes()
      #expect(takes.count == 75)
      for take in takes { #expect(try databases[0].hits(of: take.number).count == 200) }
    }

    @Test func aFullDiskCostsTheTakeAndNoOther() throws {
      var practice = SimulatedPractice()
      let (small, few) = practice.take(hits: 10)
      let database = try LogDatabase(scratch.log, for: .keeping, mostPages: 20)
      try database.keep(small, few)
      let (large, many) = practice.take(after: 1, hits: 5_000)
      let error = refusal { try database.keep(large, many) }
      #expect(error?.kind == .unusable && error?.description.contains("disk is full") == true)
      #expect(try database.takes().count == 1)
      #expect(try database.hits(of: 1) == few)
    }

    // MARK: Forgetting

    @Test func nothingIsLeftOfWhatWasForgotten() throws {
      var practice = SimulatedPractice()
      let database = try LogDatabase(scratch.log, for: .keeping)
      for (hour, title) in ["Keep this one", "Secret rehearsal", "And this one"].enumerated() {
        let (take, hits) = practice.take(after: Double(hour * 24), title: title)
        try database.keep(take, hits)
      }
      #expect(scratch.holds("Secret rehearsal"))
      let (count, isHeld) = try database.forget(LogFilter(number: 2))
      #expect(count == 1 && !isHeld)
      #expect(!scratch.holds("Secret rehearsal"))
      #expect(try database.takes().map(\.music.title) == ["Keep this one", "And this one"])
      #expect(try database.hits(of: 2).isEmpty)
      #expect(try database.hits(of: 3).count == 64)
      #expect(try database.forget(LogFilter(before: .max)).count == 2)
      #expect(!scratch.holds("this one"))
    }

    @Test func `Of a song only its own takes are forgotten`() throws {
      var practice = SimulatedPractice()
      let database = try LogDatabase(scratch.log, for: .keeping)
      for (hour, title) in ["Étude", "Shuffle", "étude, slow"].enumerated() {
        let (take, hits) = practice.take(after: Double(hour), title: title)
        try database.keep(take, hits)
      }
      #expect(try database.forget(LogFilter(song: "ÉTUDE")).count == 2)
      #expect(try database.takes().map(\.music.title) == ["Shuffle"])
    }
  }
#endif
