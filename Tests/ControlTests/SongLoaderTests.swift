import ControlBench
import MusicTime
import Synchronization
import Testing

@testable import Control
@testable import Engine

@Suite struct SongLoaderTests {
  private func song(_ title: String, cues: [String]) throws -> SongPlan {
    var plans = try cues.map { try section($0, .bars(1), cue: .speech($0)) }
    for index in plans.indices { plans[index].source = index }
    return SongPlan(title: title, plans: plans)
  }

  /// An action that runs once while a text is spoken.
  private final class Meanwhile: @unchecked Sendable {
    // `@unchecked`: all work is done on the test's thread.
    var deed: (() -> Void)?

    func happen() {
      let deed = deed.take()
      deed?()
    }
  }

  @Test func `Opening a document does not wait for the texts of the previous one`() throws {
    let meanwhile = Meanwhile()
    let spoken = Box(Mutex<[String]>([]))
    let long = try song("long", cues: (0..<300).map { "long \($0)" })
    let short = try song("short", cues: ["short"])
    let rig = try Rig { configuration in
      configuration.speak = { text, _, _ in
        spoken.value.withLock { $0.append(text) }
        meanwhile.happen()
        return Clip([1])
      }
      configuration.readSession = { path in
        (Setlist(title: path, songs: [.init(song: path == "/long" ? long : short)]), SessionPlace(path: path))
      }
    }
    // While the first text is spoken, the other document is requested and opened.
    meanwhile.deed = {
      rig.push(.open(path: "/short"))
      #expect(rig.eventually { $0.progress?.title == "short" })
      #expect(spoken.value.withLock { $0 } == ["long 0"])
    }
    rig.push(.open(path: "/long"))
    #expect(rig.eventually { $0.progress?.title == "short" && $0.progress?.sectionLeft != nil })
    #expect(spoken.value.withLock { $0 } == ["long 0", "short"])
  }

  @Test func `Texts and sounds beyond a song's budget are replaced and reported once`() throws {
    // A third of the budget each.
    let third = SampleBudget.limit / MemoryLayout<Float>.stride / 3
    let loader = SongLoader(
      read: { name, _, _ in
        (name, ClipSet(repeating: Clip([Float](repeating: 1, count: name == "sine" ? 1 : third))))
      }, speak: { _, _, _ in Clip([Float](repeating: 1, count: third)) })
    var plan = try song("song", cues: ["one", "two", "three", "four"])
    for (index, sound) in ["a", "b", "b", "b"].enumerated() { plan.plans[index].sound = sound }
    let prepared = loader.prepareNow(plan, sampleRate: 48_000)
    #expect(prepared.sounds["a"]?[.beat].samples.count == third)
    #expect(prepared.sounds["b"]?[.beat].samples.count == third)
    #expect(prepared.cues.values.count { $0.samples.count == third } == 4)
    #expect(prepared.warnings.count == 1)
    #expect(prepared.warnings.first.map { "\($0)".contains("must be left out") } == true)
    for index in 0..<4 { plan.plans[index].sound = "sound \(index)" }
    let crowded = loader.prepareNow(plan, sampleRate: 48_000)
    #expect((0..<4).count { crowded.sounds["sound \($0)"]?[.beat].samples.count == third } == 3)
    #expect(crowded.sounds.count == 4)
    #expect(crowded.warnings.contains { "\($0)".contains("playing sine") })
  }

  @Test func `Only so many texts of a song are spoken`() throws {
    let calls = Box(Mutex(0))
    let loader = SongLoader(
      read: { name, _, _ in (name, ClipSet(repeating: Clip([1]))) },
      speak: { _, _, _ in
        calls.value.withLock { $0 += 1 }
        return Clip([1])
      })
    let plan = try song("song", cues: (0..<SampleBudget.texts + 100).map { "\($0)" })
    let prepared = loader.prepareNow(plan, sampleRate: 48_000)
    #expect(calls.value.withLock { $0 } == SampleBudget.texts)
    #expect(prepared.cues.count == plan.plans.count)
    #expect(prepared.warnings.count == 1)
  }

  @Test
  func `If a voice is late at the start, the music begins without it and uses it later`()
    throws
  {
    let plan = try song("song", cues: (0..<8).map { "\($0)" })
    let work = SimulatedWork(isHeld: true)
    let rig = try Rig(work: work) { configuration in
      configuration.speakAtStart = { _, _, _ in throw SpeechTimeout() }
      // Louder than any other clip.
      configuration.speak = { _, _, _ in Clip([Float](repeating: 0.5, count: 1_000)) }
      configuration.session = (Setlist(title: "", songs: [.init(song: plan)]), SessionPlace(path: "/song"))
    }
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying && $0.progress?.isReady == true && rig.bar == 2 })
    #expect(rig.reports.warnings == ["\(SpeechTimeout())"])
    work.release(100)
    #expect(rig.eventually { $0.isPlaying && rig.peak >= 0.5 })
    #expect((2...7).contains(rig.bar))
    #expect(rig.reports.warnings.count == 1)
  }
}
