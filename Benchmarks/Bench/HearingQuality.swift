import Foundation
import HearingBench
import TestBench

/// How well Tactus hears drums whose strokes are known, beside aubio's own onsets and the program `aubioonset`.
enum HearingQuality {
  static func measure(quick: Bool) async throws -> Report {
    let count = quick ? 200 : 1_000
    var report = Report(
      name: "hearing", title: "Hearing: takes of \(count) strokes at 48 kHz, noise at −66 dB",
      columns: [
        "", "F", "mean off, ms", "spread off, ms", "aubio hfc 512/64: F", "mean off, ms", "spread off, ms",
        "aubioonset: F", "mean off, ms", "spread off, ms",
      ])
    guard Hearing.hearsMicrophones else { throw BenchError("libaubio5 is not installed") }
    if let note = missingPeers("aubioonset") { report.notes.append(note) }
    report.notes.append(
      "mean and spread: how far what is told of a player (7.6 ms early, spread 11.2 ms) is from the truth; Tactus and aubio after a calibration by the click, aubioonset without one, as it has none"
    )
    for one in HearingCase.all {
      guard Hearing.isPossible(one) else {
        report.notes.append("\(one.name): hydrogen-data is not installed, skipped")
        continue
      }
      let tactus = Hearing.measure(one, by: .mic, count: count)
      let aubio = Hearing.measure(one, by: .aubio, count: count)
      let program = try aubioOnset(one, count: count)
      report.rows.append(
        .init(
          name: one.name, values: values(tactus) + values(aubio) + (program.map(values) ?? [nil, nil, nil])))
      let isMet = tactus.f >= one.least && abs(tactus.mean) <= 0.5 && abs(tactus.spread) <= 0.3
      report.claims.append(
        .init(
          what: "Hearing, \(one.name): F; mean and spread off by, ms", tactus: text(tactus),
          peers: "aubio \(text(aubio))" + (program.map { ", aubioonset \(text($0))" } ?? ""),
          goal: "F ≥ \(one.least), 0.5 and 0.3 ms", isMet: isMet))
    }
    return report
  }

  private static func values(_ figure: HearingFigure) -> [Double?] { [figure.f, figure.mean, figure.spread] }

  private static func text(_ figure: HearingFigure) -> String {
    String(format: "%.3f; %+.2f, %+.2f", figure.f, figure.mean, figure.spread)
  }

  /// Finds the onsets of a file with Debian's `aubioonset` and its default settings.
  private static func aubioOnset(_ one: HearingCase, count: Int) throws -> HearingFigure? {
    guard Subprocess.isInstalled("aubioonset") else { return nil }
    let path = NSTemporaryDirectory() + "/tactus-bench-\(getpid()).wav"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try wave(Hearing.samples(one, count: count)).write(to: URL(filePath: path))
    let process = try Subprocess("aubioonset", ["-i", path])
    try process.waitForExit(within: .seconds(300))
    return Hearing.measure(one, found: process.lines.compactMap { Double($0) }, count: count)
  }

  /// A WAV file of 32-bit floating-point samples.
  private static func wave(_ samples: [Float]) -> Data {
    var data = Data()
    func add<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }
    let size = samples.count * 4
    data.append(contentsOf: "RIFF".utf8)
    add(UInt32(36 + size))
    data.append(contentsOf: "WAVEfmt ".utf8)
    add(UInt32(16))
    add(UInt16(3))
    add(UInt16(1))
    add(UInt32(48_000))
    add(UInt32(48_000 * 4))
    add(UInt16(4))
    add(UInt16(32))
    data.append(contentsOf: "data".utf8)
    add(UInt32(size))
    samples.withUnsafeBytes { data.append(contentsOf: $0) }
    return data
  }
}
