import TestBench
import TestInTime
import Testing

@Suite(.serialized, .inTime) struct LiveEqualsRenderTests {
  @Test func `A real server plays what render writes, sample for sample`() async throws {
    let music = [
      "--tempo", "130", "--meter", "7/8", "--subdivision", "2:0.7", "--subdivision", "3:0.5",
      "--subdivision", "5", "--volume", "0.8", "--accent-volume", "0.9", "--beat-volume", "0.6",
      "--subdivision-volume", "0.35", "--sound", "woodblock", "--gap", "2+1",
    ]
    let ports = ["out", "accent", "beat", "subdivision", "cue"]
    let folder = Scratch()
    let path = "\(folder.path)/click.wav"
    let rendering = try Subprocess(
      try Subprocess.built("tactus"),
      ["render", "--output", path, "--stems", "--bit-depth", "32", "--duration", "63"] + music)
    #expect(try rendering.waitForExit(within: .seconds(60)) == .exited(0), "\(rendering.report)")

    try await JACKServer.run { server in
      let player = try Player(server: server, music + ["--fresh", "--stopped", "--no-connect"])
      let recorder = try RecorderClient(
        server: server, sources: ports.map { "tactus:\($0)" }, storage: .samples(capacity: 63 * 48_000))
      recorder.record()
      player.send("start")
      try recorder.waitUntil(frames: 62 * 48_000, within: .seconds(80))
      #expect(try player.interrupt() == .exited(0))

      // The first sample of a click is silence; the second is heard.
      let reference = try RenderedFile(path).samples
      let heard = recorder.samples()
      let start =
        try #require(heard.firstIndex { $0 != 0 }) - (try #require(reference.firstIndex { $0 != 0 }))
      #expect(start >= 0)
      let missed = recorder.gaps.reduce(0) { $0 + $1.frameCount }
      #expect(missed < 48_000, "the recorder missed \(recorder.gaps.count) times")
      for (index, port) in ports.enumerated() {
        let reference =
          index == 0 ? reference : try RenderedFile("\(folder.path)/click-\(port).wav").samples
        let heard = recorder.samples(port: index)
        var astray: [Int] = []
        for frame in 0..<(60 * 48_000) where heard[start + frame] != reference[frame] {
          if !recorder.misses(start + frame) { astray.append(frame) }
        }
        #expect(
          astray.isEmpty || player.missedCycles,
          "\(port): \(astray.count) from \(astray.first ?? 0) to \(astray.last ?? 0), gaps \(recorder.gaps)")
        #expect(index == 4 || heard.contains { $0 != 0 }, "\(port)")
      }
      // A host that pauses is told of, and is nobody's fault here.
      let complaints = player.process.errorLines.filter {
        !$0.contains("xrun") && !$0.contains("cycles were missed")
      }
      #expect(complaints == [])
    }
  }
}

extension RecorderClient {
  /// Whether the recorder can tell nothing of the sample with this index.
  func misses(_ index: Int) -> Bool {
    firstFrame.map { gaps.cover($0 + Int64(index)) } ?? true
  }
}
