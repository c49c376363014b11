import Foundation
import TestBench
import Testing

@Suite struct KlickOnsetTests {
  static let maps = [
    "64 120", "16 4/4 133.7", "16 3/4 91.003 Xxx", "12 7/8 127", "12 12/8 97 X..x..x..x..",
    "8 5/4 61.5 X.xX.", "10 2/2 143", "3 15/16 80", "9 4/3 99.6", "40 1/1 300", "16 4/4 60-180",
    "16 3/4 200-41.5 XxX 0.5", "7 7/8 90-91", "1 4/4 120,60,90.5,133.333",
    "2 3/4 100,101,102,103,104,105 X.x",
    "intro: 2 4/4 112 # the band listens\na: 4 6/8 112 Xxxxxx 0.6\n\nb: 4 4/4 112-124 Xxxx 0.8\nturn: 1 2/4 120,110\n",
    "verse-1:\t4\t120\r\nverse_2:4 4/4 121\n# only this\n 1 3/8 77.7 xxx # all the same\n",
    "2 120 .... 1\n2 120 Xx.x 0\n2 120 xxxX 0.25",
    "3 4/4 83-240\n3 4/4 240-83\n1 1/4 50\n5 5/8 166.6-99.9 XxxXx",
    "4 99/99 5.5", "2 4/4 100\n2 3/4 100\n2 5/8 100\n2 7/16 66\n2 9/8 100 XxxXxxXxx\n2 2/2 100",
  ]

  /// What a file of clicks says: where they begin, in frames from the first that is silent in no way.
  private func onsets(_ path: String, detector: OnsetDetector = .anySound) throws -> [Int64] {
    Onsets.frames(in: try RenderedFile(path).samples, detector: detector)
  }

  @Test(
    "Each onset is within a frame of its exact time, and accents and beats are where they belong",
    arguments: maps)
  func onsets(map: String) throws {
    let folder = Scratch()
    let path = "\(folder.path)/song.klick"
    try map.write(toFile: path, atomically: true, encoding: .utf8)
    let (status, process) = try tactus("render", path, "-o", "\(folder.path)/song.wav", "--stems")
    #expect(status == .exited(0), "\(process.report)")
    let reference = KlickReference(map)
    for (kind, name) in [(KlickReference.Kind.accent, "accent"), (.beat, "beat")] {
      let exact = reference.beats.filter { $0.kind == kind }.map { $0.seconds * 48_000 }
      // A clip's first sample is 0, where its wave begins.
      let heard = try onsets("\(folder.path)/song-\(name).wav").map { $0 - 1 }
      #expect(heard.count == exact.count, "\(name)")
      for (frame, time) in zip(heard, exact) { #expect(abs(Double(frame) - time) <= 1, "\(name) at \(time)") }
    }
  }

  @Test(.enabled(if: Subprocess.isInstalled("klick")), arguments: maps)
  func `How far klick and tactus are off the exact time`(map: String) throws {
    let folder = Scratch()
    let path = "\(folder.path)/song.klick"
    try map.write(toFile: path, atomically: true, encoding: .utf8)
    let (status, process) = try tactus("render", path, "-o", "\(folder.path)/song.wav")
    #expect(status == .exited(0), "\(process.report)")
    let klick = try Subprocess("klick", ["-f", path, "-W", "\(folder.path)/klick.wav"])
    guard try klick.waitForExit() == .exited(0) else {
      return print("klick refuses \(map.debugDescription): \(klick.errorLines.joined(separator: " "))")
    }
    let exact = KlickReference(map).beats.filter { $0.kind != .silent }.map { $0.seconds * 48_000 }
    func off(_ frames: [Int64]) -> String {
      guard frames.count == exact.count else { return "\(frames.count) of \(exact.count) onsets" }
      let worst = zip(frames, exact).map { abs(Double($0) - $1) }.max() ?? 0
      return String(format: "%.2f frames", worst)
    }
    let ours = try onsets("\(folder.path)/song.wav").map { $0 - 1 }
    let theirs = try onsets("\(folder.path)/klick.wav")
    print("\(map.debugDescription): tactus at most \(off(ours)) off, klick \(off(theirs))")
    #expect(ours.count == exact.count)
  }
}
