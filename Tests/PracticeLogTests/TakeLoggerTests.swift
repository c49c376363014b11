#if Log
  import Files
  import Foundation
  import Synchronization
  import TestBench
  import Testing

  @testable import PracticeLog

  @Suite struct TakeLoggerTests {
    /// Collects a logger's messages.
    private final class Told: Sendable {
      private let lines = Mutex<[String]>([])
      var all: [String] { lines.withLock { $0 } }
      func say(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let scratch = Scratch()
    private let reported = Told()

    private func logger(isOn: Bool = true) -> TakeLogger {
      TakeLogger(scratch.log, isOn: isOn) { [reported] in reported.say($0) }
    }

    private func takes() throws -> [LoggedTake] { try LogDatabase(scratch.log, for: .reading).takes() }

    @Test func takesAreKeptAndSummedUp() throws {
      let logger = logger()
      var practice = SimulatedPractice()
      for hour in 0..<3 {
        let (take, hits) = practice.take(after: Double(hour))
        logger.keep(take, hits)
      }
      let (kept, lost) = logger.finish(within: .seconds(30))
      #expect(kept.takes == 3 && kept.seconds == 96 && lost == 0)
      #expect(abs((kept.spread ?? 0) - 11.25) < 1e-9)
      #expect(try takes().count == 3)
      #expect(reported.all.isEmpty)
    }

    @Test func theLogAndItsJournalAreNoFilesToWriteOver() throws {
      let logger = logger()
      var practice = SimulatedPractice()
      let (take, hits) = practice.take()
      #expect(!scratch.log.isReplaced(by: scratch.log.path))
      logger.keep(take, hits)
      _ = logger.finish(within: .seconds(30))
      let link = scratch.path + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.log.path)
      try Data().write(to: URL(fileURLWithPath: scratch.log.path + "-wal"))
      let other = scratch.path + "/./tactus/practice.sqlite"
      for path in [scratch.log.path, other, link, scratch.log.path + "-wal"] {
        #expect(scratch.log.isReplaced(by: path), "\(path)")
      }
      // SQLite's files are beside the file that a link leads to.
      #expect(LogFile(path: link).isReplaced(by: scratch.log.path + "-wal"))
      #expect(!scratch.log.isReplaced(by: scratch.path + "/takes.csv"))
      #expect(!scratch.log.isReplaced(by: scratch.path))
    }

    @Test func whatIsSwitchedOffWritesNothing() throws {
      let logger = logger(isOn: false)
      var practice = SimulatedPractice()
      let (take, hits) = practice.take()
      logger.keep(take, hits)
      #expect(logger.finish(within: .seconds(30)).kept.takes == 0)
      #expect(!fileExists(scratch.path + "/tactus"))
      logger.turn(on: true)
      logger.keep(take, hits)
      #expect(logger.finish(within: .seconds(30)).kept.takes == 1)
    }

    @Test func aDamagedLogIsMovedAsideAndNamedAndTheTakeIsKept() throws {
      var practice = SimulatedPractice()
      let (take, hits) = practice.take()
      for round in 1...2 {
        PrivateFolder.make(scratch.path + "/tactus")
        try WholeFile.write(Array("damaged log \(round)".utf8), to: scratch.log.path)
        let logger = logger()
        logger.keep(take, hits)
        #expect(logger.finish(within: .seconds(30)).kept.takes == 1)
        #expect(try takes().count == 1)
        let name = "practice.sqlite.damaged" + (round == 1 ? "" : "-2")
        #expect(reported.all.count == round && reported.all[round - 1].contains(name))
        #expect(text(of: "\(scratch.path)/tactus/\(name)") == "damaged log \(round)")
      }
    }

    @Test func aLogThatIsDamagedWhileItIsOpenIsMovedAsideToo() throws {
      var practice = SimulatedPractice()
      let (take, hits) = practice.take()
      let logger = logger()
      logger.keep(take, hits)
      #expect(logger.finish(within: .seconds(30)).kept.takes == 1)
      let file = try #require(fopen(scratch.log.path, "r+"))
      fputs("This is a header no more", file)
      fclose(file)
      logger.keep(take, hits)
      #expect(logger.finish(within: .seconds(30)).kept.takes == 2)
      #expect(reported.all.count == 1 && scratch.logFiles.contains("practice.sqlite.damaged"))
      #expect(try takes().count == 1)
    }

    @Test func whatCannotBeWrittenIsToldOnceAndWrittenLater() throws {
      PrivateFolder.make(scratch.path + "/tactus")
      mkfifo(scratch.log.path, 0o600)
      let logger = logger()
      var practice = SimulatedPractice()
      for _ in 0..<3 {
        let (take, hits) = practice.take()
        logger.keep(take, hits)
      }
      let (kept, lost) = logger.finish(within: .seconds(30))
      #expect(kept.takes == 0 && lost == 3)
      #expect(reported.all.count == 1 && reported.all[0].contains("is a pipe"))
      unlink(scratch.log.path)
      #expect(logger.finish(within: .seconds(30)).kept.takes == 3)
      #expect(try takes().count == 3)
    }

    @Test func noMoreWaitsThanThereIsRoomFor() throws {
      PrivateFolder.make(scratch.path + "/tactus")
      mkfifo(scratch.log.path, 0o600)
      let logger = logger()
      var practice = SimulatedPractice()
      let (take, hits) = practice.take(hits: 5_000)
      for _ in 0..<100 { logger.keep(take, hits) }
      #expect(logger.finish(within: .seconds(30)).lost == 40)
      #expect(reported.all.filter { $0.contains("can't keep up") }.count == 1)
      unlink(scratch.log.path)
      #expect(logger.finish(within: .seconds(60)).kept.takes == 40)
    }

    @Test func aLogThatIsRemovedIsBegunAnew() throws {
      var practice = SimulatedPractice()
      let (take, hits) = practice.take()
      let logger = logger()
      logger.keep(take, hits)
      _ = logger.finish(within: .seconds(30))
      for name in scratch.logFiles { unlink("\(scratch.path)/tactus/\(name)") }
      logger.keep(take, hits)
      _ = logger.finish(within: .seconds(30))
      #expect(try takes().count == 1)
    }
  }
#endif
