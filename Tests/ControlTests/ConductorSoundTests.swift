import ControlBench
import MusicTime
import Testing

@testable import Control
@testable import Engine

@Suite struct ConductorSoundTests {
  @Test func `A sound is read outside of the conductor and then played`() throws {
    let rig = try Rig(work: SimulatedWork(isHeld: true))
    rig.push(.set(.sound("set 500")))
    // The conductor answers although the reading has not ended.
    #expect(rig.settle().settings.sound == "sine")
    rig.work.release()
    #expect(rig.eventually { $0.settings.sound == "set 500" })
    rig.push(.start)
    #expect(rig.eventuallyPeaks(at: 0.5))
  }

  @Test func `After a reset the old sound is reported until the standard one has been read`() throws {
    let rig = try Rig(work: SimulatedWork(isHeld: true))
    rig.push(.set(.sound("set 500")))
    rig.work.release()
    #expect(rig.eventually { $0.settings.sound == "set 500" })
    rig.push(.reset)
    #expect(rig.settle().settings.sound == "set 500")
    rig.work.release()
    #expect(rig.eventually { $0.settings.sound == "sine" })
  }

  @Test func aBadSoundIsRefusedWithTheReasonAndChangesNothing() throws {
    let rig = try Rig()
    let before = rig.settle()
    let reasons = Reasons()
    rig.updates.push(Request(.update(.set(.sound("bad one"))), refuse: { reasons.add($0) }))
    #expect(rig.eventually { _ in !reasons.all.isEmpty })
    #expect(reasons.all == ["no sound set 'bad one'"])
    #expect(rig.settle() == before)
  }

  @Test func `Of many sounds requested during a read, only the last is read`() throws {
    let rig = try Rig(work: SimulatedWork(isHeld: true))
    for index in 1...500 { rig.push(.set(.sound("set \(index)"))) }
    rig.settle()
    rig.work.release(2)
    #expect(rig.eventually { $0.settings.sound == "set 500" })
    #expect(rig.clips.asked.count <= 3)
  }

  @Test func aNewSampleRateIsInTimeAtOnceAndGetsItsClips() throws {
    let rig = try Rig(work: SimulatedWork(isHeld: true))
    rig.push(.start)
    #expect(rig.eventuallyPeaks(at: 0.001))
    rig.updates.push(Request(.host(.connected(sampleRate: 96_000))))
    rig.settle()
    #expect(rig.eventually { _ in rig.beatLength == 48_000 }, "no clips are there yet, but the time is right")
    rig.work.release()
    #expect(rig.eventuallyPeaks(at: 0.01))
    #expect(rig.clips.asked == ["sine@48000", "sine@96000"])
    #expect(rig.settle().settings == Settings())
  }

  @Test func `A rate that changes during a read reads the sound again`() throws {
    let rig = try Rig(work: SimulatedWork(isHeld: true))
    rig.push(.set(.sound("set 30")))
    rig.settle()
    rig.updates.push(Request(.host(.connected(sampleRate: 44_100))))
    rig.settle()
    rig.work.release(2)
    #expect(rig.eventually { $0.settings.sound == "set 30" })
    #expect(rig.clips.asked == ["sine@48000", "set 30@48000", "set 30@44100"])
  }

  @Test func aBadSoundWhileTheRateChangesStillGetsTheOldOneAtTheNewRate() throws {
    let rig = try Rig(work: SimulatedWork(isHeld: true))
    rig.push(.set(.sound("bad")))
    rig.settle()
    rig.updates.push(Request(.host(.connected(sampleRate: 44_100))))
    rig.settle()
    rig.work.release(2)
    #expect(rig.eventually { _ in rig.clips.asked.last == "sine@44100" })
    rig.push(.start)
    #expect(rig.eventuallyPeaks(at: 0.01))
  }

  @Test func aSoundThatCannotBeReadAtTheNewRatePlaysOnAndSaysSo() throws {
    var settings = Settings()
    try settings.set(.sound("good"))
    let rig = try Rig(settings, clips: ClipMaker(failsAfter: 1))
    rig.updates.push(Request(.host(.connected(sampleRate: 44_100))))
    #expect(rig.eventually { _ in rig.reports.warnings.contains { $0.contains("pitch") } })
    #expect(rig.clips.asked == ["good@48000", "good@44100"])
    rig.push(.start)
    #expect(rig.eventuallyPeaks(at: 0.001))
    #expect(rig.settle().settings == settings)
  }

  @Test(arguments: [false, true])
  func `Sets that are not played are freed`(_ isThereAServer: Bool) throws {
    let rig = try Rig()
    rig.push(.start)
    for index in 1...100 {
      rig.push(.set(.sound("set \(index)")))
      if isThereAServer {
        #expect(rig.eventually { $0.settings.sound == "set \(index)" })
      } else {
        // Nothing is rendered: only the conductor runs.
        for _ in 0..<3 { rig.settle() }
        #expect(rig.settle().settings.sound == "set \(index)")
      }
      #expect(rig.clips.alive < 8)
    }
    #expect(rig.eventually { _ in rig.clips.alive <= 2 })
  }
}

@Suite struct HeldClipsTests {
  private let sets = (0..<5).map { _ in
    let clip = Clip([0])
    return ClipSet(repeating: clip)
  }

  @Test func `A set that the engine may read is kept`() {
    var held = HeldClips(sets[0])
    held.add(sets[1])
    held.notePublished()
    held.release(before: 1)
    #expect(held.count == 2)
    held.release(before: 2)
    #expect(held.count == 1)
  }

  @Test func `A set whose score came back unused is freed`() {
    var held = HeldClips(sets[0])
    held.add(sets[1])
    held.notePublished()
    held.add(sets[2])
    held.notePublished()
    held.noteUntaken(generation: 2)
    held.release(before: 1)
    #expect(held.count == 2)
    #expect(held.newest.generation == 3)
  }

  @Test func `A set is kept if one of its scores was taken, even if the next came back`() {
    var held = HeldClips(sets[0])
    held.add(sets[1])
    held.notePublished()
    held.notePublished()
    held.add(sets[2])
    held.notePublished()
    held.noteUntaken(generation: 2)
    held.release(before: 1)
    #expect(held.count == 3)
  }
}

extension Rig {
  fileprivate func eventuallyPeaks(at level: Float) -> Bool {
    eventually { _ in abs(peak - level) < level / 1_000 }
  }

  /// Frames between the last two beats; nil if there are fewer.
  fileprivate var beatLength: Int64? {
    let frames = reports.beats.suffix(2).map(\.frame)
    return frames.count == 2 ? frames[1] - frames[0] : nil
  }
}
