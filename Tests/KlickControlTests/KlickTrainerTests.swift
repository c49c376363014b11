import Control
import ControlBench
import MusicTime
import OSC
import OSCBench
import Testing

@testable import KlickControl

/// The sound of klick's speed trainer.
@Suite struct KlickTrainerTests {
  /// Plays a number of beats.
  /// - Parameter change: called after each beat that is reported, with its number from 1.
  /// - Returns: the rig, and the frames between the beats that sounded.
  private func play(
    _ messages: (String, Float)..., beats: Int, change: (EmbeddedRig, Int) -> Void = { _, _ in }
  ) throws -> (test: EmbeddedRig, intervals: [Int64]) {
    let test = try EmbeddedRig(klick: KlickRemoteTests.host)
    for (name, value) in messages {
      _ = test.answers(OSCMessage("/klick/simple/set_" + name, .float(value)))
    }
    // A score is published every 20 ms at most: so the tempo that it starts with is there at once.
    test.pass(.milliseconds(100))
    _ = test.answers(OSCMessage("/klick/metro/start"))
    var seen = 0
    while seen < beats {
      // Five seconds are more than any of these takes.
      try #require(test.rig.clock.number < 5 * Int64(Rig.sampleRate), "\(seen) beats alone")
      test.render()
      while test.rig.reports.beats.count > seen {
        seen += 1
        change(test, seen)
      }
    }
    let frames = test.rig.reports.beats.map(\.frame)
    return (test, zip(frames.dropFirst(), frames).map { $0 - $1 })
  }

  private func frames(_ tempos: [Double]) -> [Int64] { tempos.map { Int64((48_000 * 60 / $0).rounded()) } }

  private func areNear(_ heard: [Int64], _ expected: [Int64]) -> Bool {
    heard.count >= expected.count && zip(heard, expected).allSatisfy { abs($0 - $1) <= 2 }
  }

  @Test func `Each beat is faster by its part of a bar's increment, up to the limit`() throws {
    let (test, heard) = try play(
      ("tempo_start", 300), ("tempo_increment", 40), ("tempo_limit", 345), beats: 8)
    #expect(areNear(heard, frames([300, 310, 320, 330, 340, 345, 345])), "\(heard)")
    // The set tempo is restored when it stops.
    _ = test.answers(OSCMessage("/klick/metro/stop"))
    #expect(try test.settings.tempo == Tempo(120))
  }

  @Test func `Without a limit it goes to the tempo that is set, down too`() throws {
    let (_, heard) = try play(("tempo", 300), ("tempo_start", 330), ("tempo_increment", -40), beats: 6)
    #expect(areNear(heard, frames([330, 320, 310, 300, 300])), "\(heard)")
  }

  @Test func `A tempo that is set meanwhile is where the training goes on`() throws {
    let (_, heard) = try play(("tempo", 500), ("tempo_start", 300), ("tempo_increment", 40), beats: 8) {
      if $1 == 3 { $0.send(OSCMessage("/klick/simple/set_tempo", .float(400))) }
    }
    // The third beat changes while it lasts; from there on there is an end to it at the tempo that is set.
    #expect(areNear(Array(heard.prefix(2)), frames([300, 310])), "\(heard)")
    #expect(areNear(Array(heard.dropFirst(3)), frames([400, 400, 400, 400])), "\(heard)")
  }

  @Test func `A tempo from another source counts too`() throws {
    let (_, heard) = try play(
      ("tempo_start", 300), ("tempo_increment", 40), ("tempo_limit", 500), beats: 7
    ) {
      if $1 == 3 { $0.rig.push(.set(.tempo(Tempo(clamping: 400_000)))) }
    }
    #expect(areNear(Array(heard.prefix(2)), frames([300, 310])), "\(heard)")
    // Where the beats are now shows with the next one: until then they are at either tempo.
    #expect(areNear(Array(heard.dropFirst(4)), frames([420, 430])), "\(heard)")
    #expect(zip(frames([410]), heard.dropFirst(3)).allSatisfy { $0...frames([400])[0] ~= $1 }, "\(heard)")
  }
}
