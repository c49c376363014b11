import ControlBench
import MusicTime
import Testing

@testable import Control
@testable import Engine

/// Silent bars without a document. A beat at 120 has 24 000 frames, a bar 96 000.
@Suite struct ConductorGapTests {
  private func make(_ settings: Setting...) throws -> Rig {
    var initial = Settings()
    for setting in settings { try initial.set(setting) }
    return try Rig(initial)
  }

  /// Plays a number of bars, and lets the conductor handle their events.
  private func playOn(_ rig: Rig, bars: Int) {
    rig.render(until: rig.clock + Int64(bars) * 96_000)
    // The conductor answers before it reads the engine's events.
    rig.settle()
    rig.settle()
  }

  @Test(arguments: [(2, 3), (1, 1), (3, 0), (1, 9)])
  func `Exactly the bars of the gap are silent, and the count goes on`(play: Int, rest: Int) throws {
    let rig = try make(.gap(Gap(play: play, rest: rest)))
    rig.push(.start)
    #expect(rig.eventually { $0.isPlaying && rig.beat == 1 })
    let first = try #require(rig.reports.beats.first?.frame)
    var soundingBeats: Set<Int64> = []
    while rig.clock < first + 12 * 96_000 {
      let begin = rig.clock
      // A click has 100 frames; only its beginning counts.
      if !rig.render() { soundingBeats.insert((begin + Int64(Rig.period) - 1 - first) / 24_000) }
    }
    playOn(rig, bars: 1)
    for (count, beat) in rig.reports.beats.prefix(48).enumerated() {
      let (bar, isSilent) = (count / 4 + 1, count / 4 % (play + rest) >= play)
      #expect((beat.bar, beat.beat) == (bar, count % 4 + 1))
      #expect(beat.frame == first + Int64(count) * 24_000)
      #expect((beat.strength == 0) == isSilent)
      // The first beat had begun before.
      #expect(count == 0 || soundingBeats.contains(Int64(count)) == !isSilent, "beat \(count)")
    }
  }

  @Test func `A gap can be set and removed during play, and no beat is moved`() throws {
    let rig = try Rig()
    rig.push(.start)
    #expect(rig.eventually { _ in rig.bar == 2 && rig.beat == 3 })
    rig.push(.set(.gap(.everyOther)))
    #expect(rig.eventually { _ in rig.reports.beats.contains { $0.strength == 0 } })
    playOn(rig, bars: 6)
    let beats = rig.reports.beats
    let begin = try #require(beats.firstIndex { $0.strength == 0 })
    for beat in beats[begin...] { #expect((beat.strength == 0) == (beat.bar % 2 == 0)) }
    rig.push(.set(.gap(.off)))
    #expect(rig.eventually { _ in rig.reports.beats.last.map { $0.bar % 2 == 0 && $0.strength > 0 } == true })
    for (count, beat) in rig.reports.beats.enumerated() {
      #expect((beat.bar, beat.beat) == (count / 4 + 1, count % 4 + 1))
      #expect(beat.frame == rig.reports.beats[0].frame + Int64(count) * 24_000)
    }
  }

  @Test(arguments: [SyncMode.follow, .lead])
  func `On the transport the position decides which bars are silent`(role: SyncMode) throws {
    let rig = try make(.role(role), .gap(Gap(play: 1, rest: 2)))
    rig.transport.isRolling = true
    playOn(rig, bars: 3)
    let first = rig.reports.beats
    #expect(first.count >= 11)
    for beat in first { #expect((beat.strength > 0) == (beat.bar == 1)) }
    // Bar 6 is the last of its round.
    rig.transport.frame = 5 * 96_000
    playOn(rig, bars: 3)
    let second = rig.reports.beats.dropFirst(first.count)
    #expect(second.count >= 11)
    for beat in second { #expect((beat.strength > 0) == (beat.bar == 7)) }
  }

  @Test func `Another gap compiles the bar again, and the previous one is kept`()
    throws
  {
    var compiler = SectionCompiler(bars: nil)
    let clips = try ClipMaker().read("sine", 48_000).clips
    var settings = Settings()
    let plain = compiler.sections(settings, sampleRate: 48_000, clips: clips, generation: 1)
    try settings.set(.gap(.everyOther))
    let gapped = compiler.sections(settings, sampleRate: 48_000, clips: clips, generation: 1)
    #expect(gapped !== plain)
    #expect(settings.pattern == Settings().pattern)
    #expect(compiler.sections(settings, sampleRate: 48_000, clips: clips, generation: 1) === gapped)
    try settings.set(.gap(.off))
    #expect(compiler.sections(settings, sampleRate: 48_000, clips: clips, generation: 1) === plain)
  }
}
