import Files
import Foundation
import TestBench
import TestNumbers
import TimeCheck

@testable import PracticeLog

extension Scratch {
  var log: LogFile { LogFile(path: path + "/tactus/practice.sqlite") }

  /// The files of the log's folder.
  var logFiles: [String] { names(inFolder: path + "/tactus").sorted() }

  /// Whether a file of the log's folder holds some bytes.
  func holds(_ text: String) -> Bool {
    logFiles.contains { name in
      let bytes = content(of: "\(path)/tactus/\(name)") ?? []
      return Data(bytes).range(of: Data(text.utf8)) != nil
    }
  }
}

/// Takes as a drummer would play them, the same ones for the same seed.
struct SimulatedPractice {
  /// 2026-11-02 09:00 UTC, a Monday.
  static let begin: Int64 = 1_793_610_000_000

  private var generator: Generator

  init(seed: UInt64 = 1) { generator = Generator(seed: seed) }

  mutating func take(
    after hours: Double = 0, title: String = "", section: String = "", tempo: Double = 120,
    hits count: Int = 64
  ) -> (take: LoggedTake, hits: [LoggedHit]) {
    let interval = 60 / tempo
    let hits = (0..<count).map { index in
      let late = Double.random(in: -25...15, using: &generator)
      return LoggedHit(
        frame: Int64((Double(index) * interval + late / 1_000) * 48_000), milliseconds: late,
        bar: 1 + index / 4, place: Place(beat: 1 + index % 4), isSilent: index / 16 % 2 == 1, tempo: tempo,
        drum: index % 2 == 0 ? "kick" : "snare", strength: 0.5)
    }
    var tempos = TempoRange(tempo)
    tempos.note(tempo)
    let mean = hits.reduce(0) { $0 + $1.milliseconds } / Double(max(count, 1))
    let take = LoggedTake(
      began: SimulatedPractice.begin + Int64(hours * 3_600_000), seconds: Double(count) * interval,
      music: Music(title: title, document: title.isEmpty ? "" : "/songs/\(title).yaml", meter: "4/4"),
      section: section, tempo: tempos, sampleRate: 48_000, isCalibrated: true, hits: count, missed: 2,
      extra: 1, inWindow: 0.75, mean: mean, spread: Estimate(11.25, 9.5, 13),
      drift: Estimate(-0.5, margin: 1), gapSpread: 14.5, gapSlower: 0.3)
    return (take, hits)
  }
}

extension LogDatabase {
  func takes(_ filter: LogFilter = LogFilter()) throws -> [LoggedTake] {
    var takes: [LoggedTake] = []
    try eachTake(filter) { takes.append($0) }
    return takes
  }

  func hits(of take: Int64) throws -> [LoggedHit] {
    var hits: [LoggedHit] = []
    try eachHit(of: take) { hits.append($0) }
    return hits
  }
}

/// The error that an action throws; nil if it succeeds.
func refusal(_ body: () throws -> Void) -> LogError? {
  do { try body() } catch { return error as? LogError }
  return nil
}
