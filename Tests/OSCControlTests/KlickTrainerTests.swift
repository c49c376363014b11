import Control
import ControlBench
import Glibc
import MusicTime
import Testing

@testable import OSCControl

/// klick's speed trainer, heard.
@Suite(.serialized) struct KlickTrainerTests {
  /// Frames between the beats that sound, up to a number of them; rendered as the system's clock goes.
  private func intervals(_ test: RemoteRig, beats: Int, _ change: (Int) -> Void = { _ in }) -> [Int64] {
    let begin = Monotonic.now + 20_000_000
    test.rig.host.setClock(test.rig.clock, soundingAt: begin)
    let first = test.rig.clock
    var seen = 0
    while test.rig.reports.beats.count < beats, Monotonic.now < begin + 20_000_000_000 {
      let now = Monotonic.now
      let frame = first + Int64((max(now, begin) - begin) / 1_000 * 48 / 1_000)
      if test.rig.clock < frame { test.rig.render() } else { usleep(500) }
      if test.rig.reports.beats.count > seen {
        seen = test.rig.reports.beats.count
        change(seen)
      }
    }
    let frames = test.rig.reports.beats.map(\.frame)
    return zip(frames.dropFirst(), frames).map { $0 - $1 }
  }

  private func rig(_ messages: (String, Float)...) throws -> RemoteRig {
    let test = try RemoteRig(klick: KlickRemoteTests.host)
    for (name, value) in messages {
      _ = test.answers(OSCMessage("/klick/simple/set_" + name, .float(value)))
    }
    _ = test.answers(OSCMessage("/klick/metro/start"))
    return test
  }

  private func frames(_ tempos: [Double]) -> [Int64] { tempos.map { Int64((48_000 * 60 / $0).rounded()) } }

  private func areNear(_ heard: [Int64], _ expected: [Int64]) -> Bool {
    heard.count >= expected.count && zip(heard, expected).allSatisfy { abs($0 - $1) <= 2 }
  }

  @Test func `Each beat is faster by its part of a bar's increment, up to the limit`() throws {
    let test = try rig(("tempo_start", 300), ("tempo_increment", 40), ("tempo_limit", 345))
    let heard = intervals(test, beats: 8)
    #expect(areNear(heard, frames([300, 310, 320, 330, 340, 345, 345])), "\(heard)")
    // What was set is what comes back when it stops.
    _ = test.answers(OSCMessage("/klick/metro/stop"))
    #expect(try test.settings.tempo == Tempo(120))
  }

  @Test func `Without a limit it goes to the tempo that is set, down too`() throws {
    let test = try rig(("tempo", 300), ("tempo_start", 330), ("tempo_increment", -40))
    let heard = intervals(test, beats: 6)
    #expect(areNear(heard, frames([330, 320, 310, 300, 300])), "\(heard)")
  }

  @Test func `A tempo that is set meanwhile is where the training goes on`() throws {
    let test = try rig(("tempo", 500), ("tempo_start", 300), ("tempo_increment", 40))
    let heard = intervals(test, beats: 8) {
      if $0 == 3 { test.send(OSCMessage("/klick/simple/set_tempo", .float(400))) }
    }
    // The third beat changes while it lasts; from there on there is an end to it at the tempo that is set.
    #expect(areNear(Array(heard.prefix(2)), frames([300, 310])), "\(heard)")
    #expect(areNear(Array(heard.dropFirst(3)), frames([400, 400, 400, 400])), "\(heard)")
  }

  @Test func `A tempo that somebody else sets counts too`() throws {
    let test = try rig(("tempo_start", 300), ("tempo_increment", 40), ("tempo_limit", 500))
    let heard = intervals(test, beats: 7) {
      if $0 == 3 { test.rig.push(.set(.tempo(Tempo(clamping: 400_000)))) }
    }
    #expect(areNear(Array(heard.prefix(2)), frames([300, 310])), "\(heard)")
    // Where the beats are now shows with the next one: until then they are at either tempo.
    #expect(areNear(Array(heard.dropFirst(4)), frames([420, 430])), "\(heard)")
    #expect(zip(frames([410]), heard.dropFirst(3)).allSatisfy { $0...frames([400])[0] ~= $1 }, "\(heard)")
  }
}
