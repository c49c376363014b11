import Control
import ControlBench
import MusicTime
import OSC
import OSCBench
import Realtime
import Testing

@testable import KlickControl

/// klick's speed trainer, heard.
@Suite(.serialized) struct KlickTrainerTests {
  /// What a rig has come to, and the frames between the beats that sounded.
  private typealias Hearing = (test: RemoteRig, intervals: [Int64])

  /// Plays a number of beats as the system's clock goes. Where the machine had no time for that, so that what was dated came
  /// too late, it is played anew.
  private func play(
    _ messages: (String, Float)..., beats: Int, change: (RemoteRig, Int) -> Void = { _, _ in }
  ) throws -> Hearing {
    for _ in 0..<20 {
      let test = try RemoteRig(klick: KlickRemoteTests.host)
      for (name, value) in messages {
        _ = test.answers(OSCMessage("/klick/simple/set_" + name, .float(value)))
      }
      _ = test.answers(OSCMessage("/klick/metro/start"))
      if let intervals = try intervals(test, beats: beats, change) { return (test, intervals) }
    }
    Issue.record("the machine never had time to play \(beats) beats")
    return (try RemoteRig(), [])
  }

  /// - Returns: nil where the clock ran ahead of what was rendered.
  private func intervals(_ test: RemoteRig, beats: Int, _ change: (RemoteRig, Int) -> Void) throws -> [Int64]?
  {
    let begin = Instant.now + .milliseconds(20)
    let first = test.rig.clock
    test.rig.host.setClock(first, soundingAt: begin)
    var seen = 0
    while seen < beats {
      // Five seconds are more than any of these takes.
      try #require(test.rig.clock - first < 5 * Int64(Rig.sampleRate), "\(seen) beats alone")
      let due = begin + .nanoseconds((test.rig.clock - first) * 1_000_000_000 / Int64(Rig.sampleRate))
      let came = test.rig.reports.waitForNext(until: due)
      if test.rig.reports.beats.count > seen {
        seen += 1
        change(test, seen)
      }
      guard !came else { continue }
      // All that was asked for has reached the engine before it goes on.
      test.rig.settle()
      guard Instant.now < due + KlickTrainerTests.tolerance else { return nil }
      test.rig.render()
    }
    let frames = test.rig.reports.beats.map(\.frame)
    return zip(frames.dropFirst(), frames).map { $0 - $1 }
  }

  /// How late a period may come; less than what is dated is handed to the engine ahead of time.
  private static let tolerance = Duration.milliseconds(5)

  private func frames(_ tempos: [Double]) -> [Int64] { tempos.map { Int64((48_000 * 60 / $0).rounded()) } }

  private func areNear(_ heard: [Int64], _ expected: [Int64]) -> Bool {
    heard.count >= expected.count && zip(heard, expected).allSatisfy { abs($0 - $1) <= 2 }
  }

  @Test func `Each beat is faster by its part of a bar's increment, up to the limit`() throws {
    let (test, heard) = try play(
      ("tempo_start", 300), ("tempo_increment", 40), ("tempo_limit", 345), beats: 8)
    #expect(areNear(heard, frames([300, 310, 320, 330, 340, 345, 345])), "\(heard)")
    // What was set is what comes back when it stops.
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

  @Test func `A tempo that somebody else sets counts too`() throws {
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
