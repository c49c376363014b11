import ControlBench
import Engine
import MusicTime
import Realtime
import Testing

@testable import Control

@Suite struct ConductorLayerTests {
  private func pulses(_ rig: Rig, _ number: UInt8) -> [ClockFrame] {
    rig.reports.beats.filter { $0.layer == number }.map(\.frame)
  }

  private func intervals(_ rig: Rig, _ number: UInt8) -> Set<Int64> {
    let frames = pulses(rig, number)
    return Set(zip(frames, frames.dropFirst()).map { $1 - $0 })
  }

  @Test func aPolyrhythmIsLayerOneAndSounds() throws {
    let rig = try Rig()
    rig.push(.set(.polyrhythm(try Polyrhythm(text: "3:4"))))
    #expect(rig.eventually { $0.settings.layers.count == 1 })
    #expect(rig.clips.asked == ["sine@48000", "clave@48000"], "the sound is read first")
    rig.push(.start)
    rig.pass(.seconds(5))
    #expect(intervals(rig, 1) == [32_000])
    rig.push(.set(.layer(1, try Layer(text: "5 over 4 beats, sound clave"))))
    #expect(rig.settle().settings[Parameters.polyrhythm] == (try Polyrhythm(text: "5:4")))
    rig.push(.set(.layer(1, try Layer(text: "5 over bar, sound clave"))))
    #expect(rig.settle().settings[Parameters.polyrhythm] == nil)
    rig.push(.set(.polyrhythm(nil)))
    #expect(rig.settle().settings == Settings())
    #expect(rig.clips.asked.count == 2)
  }

  @Test func aLayerWhoseSoundIsNotThereIsRefused() throws {
    let rig = try Rig()
    let reasons = Reasons()
    let layer = try Layer(text: "5 over bar, sound bad one")
    rig.updates.push(Request(.update(.set(.layer(2, layer))), refuse: { reasons.add($0) }))
    #expect(rig.eventually { _ in !reasons.all.isEmpty })
    #expect(reasons.all == ["no sound set 'bad one'"])
    #expect(rig.settle().settings == Settings())
  }

  @Test func `Of many requested sounds one is read at a time`() throws {
    let rig = try Rig(work: SimulatedWork(isHeld: true))
    for number in 0..<100 {
      rig.push(.set(.layer(1, try Layer(text: "5 over bar, sound set \(number)"))))
      rig.settle()
    }
    rig.work.release(100)
    rig.pass(.seconds(1))
    #expect(rig.clips.asked == ["sine@48000", "set 0@48000", "set 99@48000"])
    #expect(rig.settle().settings.layers.map { "\($0.layer)" } == ["5 over bar, sound set 99"])
  }

  @Test func aDatedLayerWhoseSoundIsNotThereIsRefused() throws {
    let rig = try Rig()
    let reasons = Reasons()
    let layer = try Layer(text: "5 over bar, sound bad one")
    rig.updates.push(
      Request(.update(.set(.layer(2, layer))), at: rig.time + .milliseconds(300), refuse: { reasons.add($0) })
    )
    rig.pass(.seconds(1))
    #expect(reasons.all == ["no sound set 'bad one'"])
    #expect(rig.settle().settings == Settings())
  }

  @Test func `A waiting layer is replaced under its other name`() throws {
    let rig = try Rig(work: SimulatedWork(isHeld: true))
    rig.push(.set(.polyrhythm(try Polyrhythm(text: "3:4"))))
    rig.push(.set(.layer(1, nil)))
    rig.settle()
    rig.work.release()
    rig.pass(.seconds(1))
    #expect(rig.settle().settings == Settings())
  }

  @Test func `The last of several layers counts, even if its sound is read first`() throws {
    let rig = try Rig(work: SimulatedWork(isHeld: true))
    rig.push(.set(.layer(2, try Layer(text: "5 over bar, sound set 500"))))
    rig.push(.set(.layer(2, try Layer(text: "7 over bar"))))
    rig.settle()
    rig.work.release()
    rig.pass(.seconds(1))
    #expect(rig.settle().settings.layers.map { "\($0.layer)" } == ["7 over bar"])
  }

  @Test func savedLayersSoundFromTheStartWithTheirOwnSound() throws {
    var settings = Settings()
    try settings.set(.layer(3, Layer(text: "5 over bar, sound set 500")))
    try settings.set(.volume(.accent, .off))
    try settings.set(.volume(.beat, .off))
    let rig = try Rig(settings)
    #expect(rig.clips.asked == ["sine@48000", "set 500@48000"])
    rig.push(.start)
    #expect(rig.eventually { _ in abs(rig.peak - 0.2) < 0.001 })
    rig.pass(.seconds(4))
    #expect(intervals(rig, 3) == [19_200])
  }

  @Test func `A new sample rate reads the sound again`() throws {
    var settings = Settings()
    try settings.set(.layer(1, Layer(text: "5 over bar, sound set 500")))
    let rig = try Rig(settings)
    rig.updates.push(Request(.host(.connected(sampleRate: 96_000))))
    #expect(rig.eventually { _ in rig.clips.asked.contains("set 500@96000") })
    rig.pass(.seconds(1))
    #expect(rig.clips.asked.count == 4)
  }

  @Test func aVolumeMovesAndTheLayerStays() throws {
    let rig = try Rig()
    rig.push(.set(.layer(1, try Layer(text: "5 over bar"))))
    rig.push(.set(try Setting(Parameters.layerVolume(1).parameter, .number(0.25))))
    #expect(rig.settle().settings.gains.layers[0] == 0.25)
    rig.push(.start)
    rig.pass(.seconds(3))
    #expect(pulses(rig, 1).count >= 7)
  }
}
