import ControlBench
import Engine
import MusicTime
import Realtime
import Synchronization
import Testing
import TimeCheck

@testable import Control

@Suite struct TimeCheckTests {
  private func rig(_ settings: [Setting] = [], _ setup: ListeningSetup? = nil) throws -> Rig {
    var initial = Settings()
    try initial.set(settings)
    return try Rig(initial) {
      $0.listening = setup ?? ListeningSetup(inputs: ListeningSetup.standard, hasNotes: true)
    }
  }

  /// Plays for some time; each beat that sounds is hit a number of frames later.
  private func play(_ rig: Rig, _ duration: Duration, late: Int64, source: HitSource = .input(0)) {
    var seen = rig.reports.beats.count
    let end = rig.time + duration
    while rig.time < end {
      rig.render()
      let beats = rig.reports.beats
      for beat in beats[seen...] where beat.role != .subdivision {
        rig.updates.push(
          Request(.hits([Hit(frame: beat.frame + late, source: source, strength: 0.5)])))
      }
      seen = beats.count
    }
  }

  private func hits(_ rig: Rig) -> [JudgedHit] {
    rig.reports.all.compactMap { if case .timing(.hit(let judged)) = $0 { judged } else { nil } }
  }

  private func calibrations(_ rig: Rig) -> [Calibration] {
    rig.reports.all.compactMap { if case .timing(.calibrated(let found)) = $0 { found } else { nil } }
  }

  @Test func `Hits are reported relative to their clicks, and summed up at the stop`() throws {
    let rig = try rig()
    rig.push(.start)
    play(rig, .seconds(10), late: 480)
    #expect(hits(rig).count >= 18)
    #expect(hits(rig).allSatisfy { $0.milliseconds == 10 })
    #expect(hits(rig).prefix(5).map(\.onset.place.beat) == [1, 2, 3, 4, 1])
    #expect(rig.settle().timing?.recent.mean == 10)
    rig.push(.stop)
    #expect(
      rig.hears {
        guard case .timing(.take(let report)) = $0 else { return false }
        return report.summary.hits >= 18 && report.summary.mean == 10
      })
  }

  @Test func `In a session the tempo and meter are the document's, whatever the metronome's are`() throws {
    let sections = [
      try section("slow", .bars(4), tempo: 90_000),
      try section("waltz", .bars(20), tempo: 150_000, meter: (3, 4)),
    ]
    var settings = Settings()
    try settings.set(.tempo(try Tempo(thousandths: 240_000)))
    let rig = try Rig(setlist([("song", sections, .wait)]), settings: settings) {
      $0.listening = ListeningSetup(inputs: [], hasNotes: true)
    }
    rig.push(.start)
    play(rig, .seconds(20), late: 0, source: .notes)
    let (slow, waltz) = (
      hits(rig).filter { $0.onset.section == "slow" }, hits(rig).filter { $0.onset.section == "waltz" }
    )
    #expect(slow.count == 16 && slow.allSatisfy { $0.onset.tempo == 90 && $0.onset.music.meter == "4/4" })
    #expect(waltz.count > 12 && waltz.allSatisfy { $0.onset.tempo == 150 && $0.onset.music.meter == "3/4" })
    #expect(waltz.last?.playedTempo.map { abs($0 - 150) < 0.1 } == true)
  }

  @Test func `Silent bars are judged against the grid`() throws {
    let rig = try rig([.gap(try Gap(play: 1, rest: 1))])
    rig.push(.start)
    play(rig, .seconds(8), late: -240)
    #expect(hits(rig).contains { $0.onset.isSilent })
    #expect(hits(rig).allSatisfy { $0.milliseconds == -5 })
  }

  @Test func `A silent beat of a pattern is no gap, and not counted as missed`() throws {
    let rig = try rig([.accents(try AccentPattern(text: "Xx.x"))])
    rig.push(.start)
    play(rig, .seconds(6), late: 0)
    #expect(hits(rig).contains { $0.onset.place.beat == 3 && !$0.onset.isExpected })
    #expect(hits(rig).allSatisfy { !$0.onset.isSilent })
    #expect(hits(rig).prefix(4).map(\.onset.role) == [.accent, .beat, .beat, .beat])
  }

  @Test func `Hits on subdivisions and layers are reported as such, also in silent bars`() throws {
    let rig = try rig([
      .subdivision(try Subdivision(2), .full), .layer(1, try Layer(text: "3 over bar")),
      .swing(try Swing(0.667)),
      .gap(try Gap(play: 1, rest: 1)), try Parameters.hitGrid.setting(2),
    ])
    rig.push(.start)
    var seen = 0
    let end = rig.time + .seconds(8)
    while rig.time < end {
      rig.render()
      let beats = rig.reports.beats
      for beat in beats[seen...] where beat.role == .subdivision {
        rig.updates.push(Request(.hits([Hit(frame: beat.frame + 240, source: .notes, strength: 0.5)])))
      }
      seen = beats.count
    }
    let judged = hits(rig)
    #expect(judged.allSatisfy { abs($0.milliseconds - 5) < 0.05 })
    #expect(Set(judged.map(\.onset.role)) == [.subdivision, .layer, .accent])
    for role in [Onset.Role.subdivision, .layer] {
      #expect(judged.contains { $0.onset.role == role && $0.onset.isSilent && $0.onset.isExpected })
    }
    #expect(judged.allSatisfy { $0.onset.isSilent == ($0.onset.bar % 2 == 0) })
  }

  @Test func `A microphone that hears the click causes one warning`() throws {
    let rig = try rig()
    rig.push(.start)
    play(rig, .seconds(30), late: 480)
    let warnings = rig.reports.all.compactMap { if case .warning(let text) = $0 { text } else { nil } }
    #expect(warnings.count { $0.hasPrefix("listen hears the click itself.") } == 1)
    #expect(rig.settle().timing?.hearsClick == true)
  }

  @Test func `A calibration is measured, kept, and taken from each hit`() throws {
    let rig = try rig()
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 1_440)
    let found = try #require(calibrations(rig).first)
    #expect(found.offset == 30)
    #expect(found.port == "listen")
    let snapshot = rig.settle()
    #expect(snapshot.settings.calibrations == [found])
    // It has started the click, and stops it.
    #expect(!snapshot.isPlaying)
    #expect(rig.saves())
    #expect(hits(rig).isEmpty)

    rig.push(.set(try Parameters.usesBleed.setting(false)), .start)
    play(rig, .seconds(5), late: 1_440 + 240)
    #expect(hits(rig).count >= 8)
    #expect(hits(rig).allSatisfy { $0.milliseconds == 5 })
    #expect(rig.settle().timing?.isCalibrated == true)
  }

  @Test func `A calibration without a response fails with advice`() throws {
    let rig = try rig()
    rig.push(.calibrate(""))
    #expect(
      rig.hears {
        if case .timing(.notCalibrated(let reason)) = $0 { reason.contains("0 of 8") } else { false }
      })
    #expect(rig.settle().settings.calibrations.isEmpty)
    #expect(rig.settle().timing?.isCalibrating == false)
  }

  @Test func `Of several inputs the uncalibrated one is calibrated, and a failure names it`() throws {
    let setup = ListeningSetup(
      inputs: [.init(name: "snare", mode: .trigger), .init(name: "overhead", mode: .mic)], hasNotes: false)
    let rig = try rig([], setup)
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 1_440)
    rig.push(.calibrate(""))
    #expect(
      rig.hears {
        guard case .timing(.notCalibrated(let reason)) = $0 else { return false }
        return reason.hasPrefix("overhead: 0 of 8")
      })
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 1_440, source: .input(1))
    #expect(calibrations(rig).map(\.port) == ["listen-snare", "listen-overhead"])
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 960)
    #expect(calibrations(rig).last?.port == "listen-snare")
  }

  @Test func `An unconnected input is reported, with a warning during play`() throws {
    let rig = try rig([], ListeningSetup(inputs: ListeningSetup.standard, hasNotes: false))
    func connect(_ ports: Set<String>) {
      rig.updates.push(
        Request(.connections(PortConnections(kept: ["listen": ["system:capture_1"]], connected: ports))))
    }
    func warnings() -> Int {
      rig.reports.all.count {
        if case .warning(let text) = $0 { text.hasPrefix("listen is no longer connected") } else { false }
      }
    }
    #expect(rig.settle().timing?.unconnected == [])
    connect(["out"])
    #expect(rig.settle().timing?.unconnected == ["listen"])
    connect(["out", "clock-in"])
    rig.pass(.seconds(2))
    #expect(rig.reports.warnings.map { $0.hasPrefix("nothing is connected to the port 'listen'") } == [true])
    connect(["out", "listen"])
    #expect(rig.settle().timing?.unconnected == [])
    #expect(warnings() == 0)
    rig.push(.start)
    play(rig, .seconds(5), late: 480)
    connect(["out"])
    #expect(rig.settle().timing?.unconnected == ["listen"])
    #expect(warnings() == 1)
  }

  @Test func `A calibration that is stopped measures nothing`() throws {
    let rig = try rig()
    rig.push(.calibrate(""))
    play(rig, .seconds(2), late: 0)
    rig.push(.stop)
    #expect(rig.hears { if case .timing(.notCalibrated) = $0 { true } else { false } })
    #expect(calibrations(rig).isEmpty)
  }

  @Test func `Quitting in a calibration reports that nothing was measured`() throws {
    let rig = try rig()
    rig.push(.calibrate(""))
    play(rig, .seconds(2), late: 1_440)
    #expect(rig.stop())
    let reasons = rig.reports.all.compactMap {
      if case .timing(.notCalibrated(let reason)) = $0 { reason } else { nil }
    }
    #expect(reasons == ["Tactus has ended, so nothing was measured"])
  }

  @Test func `A second calibration is refused while one runs, which stops the music that it started`() throws
  {
    let rig = try rig()
    rig.push(.calibrate(""))
    play(rig, .seconds(1), late: 1_440)
    #expect(rig.refusal(of: .calibrate(""))?.contains("under way") == true)
    play(rig, .seconds(6), late: 1_440)
    #expect(calibrations(rig).count == 1)
    #expect(!rig.settle().isPlaying)
  }

  @Test func `A calibration can follow another at once`() throws {
    let rig = try rig()
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 1_440)
    // The engine's stop event has not arrived yet.
    rig.push(.start, .stop, .calibrate("listen"))
    play(rig, .seconds(7), late: 960)
    #expect(calibrations(rig).map(\.offset) == [30, 20])
  }

  /// Hits a pad each second. The microphone hears it `heard` frames after the stroke, and the note comes `note` frames later.
  private func hitPad(_ rig: Rig, strokes: Int, heard: Int64, note: Int64) {
    for _ in 0..<strokes {
      let stroke = rig.clock
      rig.updates.push(
        Request(
          .hits([
            Hit(frame: stroke + heard, source: .input(0), strength: 0.3),
            Hit(frame: stroke + note, source: .notes, note: 38, strength: 0.7),
          ])))
      rig.render(until: rig.clock + 48_000)
    }
  }

  @Test func `An e-drum's notes are calibrated by a microphone beside the pad, in silence`() throws {
    let rig = try rig()
    // The microphone is calibrated to be 3 ms late.
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 144)
    let beats = rig.reports.beats.count
    rig.push(.calibrate("hits"))
    #expect(
      rig.hears {
        if case .timing(.calibrating(let prompt)) = $0 { prompt.contains("10 times") } else { false }
      })
    hitPad(rig, strokes: 4, heard: 96, note: 96 + 240)
    #expect(rig.settle().timing?.strokesLeft == 6)
    hitPad(rig, strokes: 6, heard: 96, note: 96 + 240)
    rig.render(until: rig.clock + 48_000)
    let found = try #require(calibrations(rig).last)
    #expect(found.port == "hits" && found.bleed == 0)
    // A note comes 5 ms after its sound, which comes 3 ms late.
    #expect(abs(found.offset - 8) < 0.001 && found.spread == 0)
    #expect(rig.reports.beats.count == beats)
    #expect(rig.settle().timing?.isCalibrating == false)
    rig.push(.start)
    play(rig, .seconds(5), late: 8 * 48, source: .notes)
    #expect(hits(rig).count >= 8 && hits(rig).allSatisfy { abs($0.milliseconds) < 0.02 })
  }

  @Test func `A microphone that is not calibrated measures no pad, and a stop before it ends nothing`() throws
  {
    let rig = try rig()
    rig.render(until: 48_000)
    #expect(rig.refusal(of: .calibrate("hits"))?.contains("calibrate it by the click first") == true)
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 144)
    // The engine's stop event has not arrived yet.
    rig.push(.start, .stop, .calibrate("hits"))
    hitPad(rig, strokes: 10, heard: 96, note: 336)
    rig.render(until: rig.clock + 48_000)
    #expect(calibrations(rig).map(\.port) == ["listen", "hits"])
  }

  @Test func `Muted clicks are no evidence that a microphone hears none`() throws {
    let rig = try rig()
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 144)
    let bleed = try #require(rig.settle().timing?.bleeds[0])
    #expect(bleed > 0.4)
    rig.push(.set(try Parameters.mute.setting(true)), .start)
    rig.render(until: rig.clock + 20 * 48_000)
    rig.push(.set(try Parameters.mute.setting(false)))
    rig.render(until: rig.clock + 2 * 48_000)
    #expect(rig.settle().timing?.bleeds[0] == bleed)
    // Without the mute they are.
    rig.render(until: rig.clock + 8 * 48_000)
    #expect(rig.settle().timing?.bleeds[0] == 0)
  }

  @Test func `Without a stroke on the pad for half a minute the calibration fails with that reason`() throws {
    let rig = try rig()
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 144)
    rig.push(.calibrate("hits"))
    hitPad(rig, strokes: 3, heard: 96, note: 336)
    rig.render(until: rig.clock + 25 * 48_000)
    #expect(rig.settle().timing?.isCalibrating == true)
    rig.render(until: rig.clock + 4 * 48_000)
    #expect(
      rig.hears {
        guard case .timing(.notCalibrated(let reason)) = $0 else { return false }
        return reason.contains("3 of 10 notes")
      })
    #expect(calibrations(rig).count == 1 && rig.settle().timing?.isCalibrating == false)
  }

  @Test func `Starting the music ends the calibration of a pad, which is refused while music plays`() throws {
    let rig = try rig()
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 144)
    rig.push(.calibrate("hits"))
    hitPad(rig, strokes: 3, heard: 96, note: 336)
    rig.push(.start)
    rig.render(until: rig.clock + 48_000)
    #expect(
      rig.hears {
        guard case .timing(.notCalibrated(let reason)) = $0 else { return false }
        return reason.contains("music has started")
      })
    #expect(rig.settle().isPlaying)
    #expect(rig.refusal(of: .calibrate("hits"))?.contains("stop it") == true)
  }

  @Test func `Each detector needs its own calibration`() throws {
    let calibration = Calibration(
      port: "listen", device: "", mode: .trigger, period: 256, sampleRate: 48_000, offset: 4, spread: 0.1,
      bleed: 0)
    var old = calibration
    old.mode = nil
    func fits(_ calibration: Calibration, _ mode: ListeningSetup.Mode) -> Bool {
      calibration.fits(port: "listen", device: "", mode: mode, period: 256, sampleRate: 48_000)
    }
    #expect(fits(calibration, .trigger) && !fits(calibration, .mic))
    // A calibration saved before the mode was stored.
    #expect(fits(old, .trigger) && fits(old, .mic))
    var settings = Settings()
    settings.keep(old)
    settings.keep(calibration)
    #expect(settings.calibrations == [calibration])
  }

  @Test func `A calibration plays the beats alone, and everything again after it`() throws {
    let rig = try rig([
      .subdivision(try Subdivision(3), .full), .layer(1, try Layer(text: "5 over bar")),
      .gap(try Gap(play: 1, rest: 1)),
    ])
    func others() -> Int { rig.reports.beats.count { $0.role == .subdivision || $0.strength == 0 } }
    rig.push(.calibrate(""))
    play(rig, .seconds(7), late: 1_440)
    #expect(calibrations(rig).map(\.offset) == [30])
    #expect(others() == 0)
    rig.push(.start)
    play(rig, .seconds(4), late: 1_440)
    #expect(others() > 20)
    #expect(rig.settle().settings.subdivisions.count == 1)
  }

  @Test func `A change of the latency restarts a calibration`() throws {
    let rig = try rig()
    rig.push(.calibrate(""))
    play(rig, .seconds(1.2), late: 1_440)
    rig.host.setClock(rig.clock, soundingAt: rig.time, latency: 2_048)
    play(rig, .seconds(7), late: 1_440 + 2_048)
    let found = try #require(calibrations(rig).first)
    #expect(found.offset == 30 && found.spread == 0)
  }

  @Test func `Another device ends a calibration and the music that it started`() throws {
    let rig = try rig()
    func connect(_ device: String) {
      rig.updates.push(
        Request(.connections(PortConnections(kept: ["listen": [device]], connected: ["listen"]))))
    }
    rig.push(.calibrate(""))
    play(rig, .seconds(1), late: 1_440)
    connect("system:capture_1")
    play(rig, .seconds(1), late: 1_440)
    #expect(rig.settle().timing?.isCalibrating == true)
    connect("system:capture_2")
    #expect(rig.hears { if case .timing(.notCalibrated) = $0 { true } else { false } })
    let snapshot = rig.settle()
    #expect(!snapshot.isPlaying)
    #expect(snapshot.timing?.isCalibrating == false)
    #expect(snapshot.settings.calibrations.isEmpty)
  }

  @Test func `A calibration that is impossible is refused with the reason`() throws {
    let deaf = try rig([], .off)
    #expect(deaf.refusal(of: .calibrate(""))?.contains("--listen") == true)
    let rig = try rig()
    #expect(rig.refusal(of: .calibrate("snare"))?.contains("listen, hits") == true)
    let session = try Rig(setlist([("song", [section("verse", .bars(8))], .wait)])) {
      $0.listening = ListeningSetup(inputs: ListeningSetup.standard, hasNotes: true)
    }
    session.push(.start)
    #expect(session.refusal(of: .calibrate(""))?.contains("stop it to calibrate") == true)
  }

  @Test func `A fast metronome slows down for a calibration, and returns to its tempo afterwards`() throws {
    let rig = try rig([.profile(.runner), .tempo(try Tempo(200))])
    rig.push(.calibrate(""))
    #expect(rig.settle().soundingTempo == 120)
    play(rig, .seconds(7), late: 1_440)
    #expect(calibrations(rig).map(\.offset) == [30])
    #expect(rig.settle().soundingTempo == 200)
  }

  @Test(arguments: [true, false])
  func `A stopped session is set aside for a calibration, and continues at its place`(
    isMeasured: Bool
  ) throws {
    let sections = [try section("verse", .bars(2), tempo: 200_000), try section("chorus", .bars(9))]
    let rig = try Rig(setlist([("song", sections, .wait)])) {
      $0.listening = ListeningSetup(inputs: ListeningSetup.standard, hasNotes: true)
    }
    rig.push(.speed(percent: 90), .start)
    play(rig, .seconds(9), late: 0)
    rig.push(.pause)
    let before = rig.settle()
    #expect(before.progress?.section == "chorus" && before.progress?.bar ?? 0 > 1)
    rig.push(.calibrate(""))
    #expect(rig.settle().progress == nil)
    play(rig, .seconds(7), late: isMeasured ? 1_440 : 100_000)
    #expect(calibrations(rig).map(\.offset) == (isMeasured ? [30] : []))
    let after = rig.settle()
    #expect(after.progress?.section == "chorus" && after.progress?.bar == before.progress?.bar)
    #expect(after.progress?.speed == before.progress?.speed && after.settings.session?.song == 0)
    let seen = rig.reports.beats.count
    rig.push(.play(true))
    play(rig, .seconds(1), late: 0)
    #expect(rig.reports.beats.dropFirst(seen).first?.bar == before.progress.map { 2 + $0.bar })
  }

  @Test func `A session that is closed during a calibration stays closed`() throws {
    let rig = try Rig(setlist([("song", [section("verse", .bars(8))], .wait)])) {
      $0.listening = ListeningSetup(inputs: ListeningSetup.standard, hasNotes: true)
    }
    rig.push(.calibrate(""))
    play(rig, .seconds(2), late: 1_440)
    rig.push(.open(path: ""))
    play(rig, .seconds(6), late: 1_440)
    #expect(rig.settle().progress == nil && rig.settle().settings.session == nil)
  }

  @Test func `Without listening nothing is reported`() throws {
    let rig = try rig([], .off)
    rig.push(.start)
    play(rig, .seconds(2), late: 0)
    #expect(hits(rig).isEmpty)
    #expect(rig.settle().timing == nil)
  }

  @Test func `A note that is learned is kept in the settings, and names its drum from then on`() throws {
    let rig = try rig()
    rig.push(.start, .learnDrum(.rim))
    #expect(rig.settle().timing?.learning == .rim)
    let hit = Hit(frame: 0, source: .notes, note: 9, strength: 1)
    rig.updates.push(Request(.hits([hit])))
    let snapshot = rig.settle()
    #expect(snapshot.timing?.learning == nil)
    // A learned note is saved at the end of the turn.
    #expect(rig.settle().settings[Parameters.drumNotes].drum(of: 9) == .rim)
    #expect(rig.hears { if case .timing(.learned(9, .rim)) = $0 { true } else { false } })
    rig.push(.reset)
    #expect(rig.settle().settings[Parameters.drumNotes].drum(of: 9) == .rim)
  }

  @Test func `Without an e-drum no note is learned, and the reason is reported`() throws {
    let rig = try rig([], ListeningSetup(inputs: ListeningSetup.standard))
    let refused = Box(Mutex(""))
    rig.updates.push(
      Request(.update(.learnDrum(.rim)), refuse: { text in refused.value.withLock { $0 = text } }))
    #expect(rig.settle().timing?.learning == nil)
    #expect(refused.value.withLock { $0 }.contains("start Tactus with --hits"))
  }

  @Test func `A trigger's controls are settings`() throws {
    var settings = Settings()
    #expect(settings.triggerControls == TriggerControls())
    try settings.set([
      try Parameters.triggerThreshold.setting(-40), try Parameters.triggerMask.setting(60),
      try Parameters.triggerScan.setting(4), try Parameters.retriggerCancel.setting(0.8),
    ])
    let controls = settings.triggerControls
    #expect(controls.threshold == -40 && controls.mask == 60)
    #expect(controls.scan == 4 && controls.retriggerCancel == 0.8)
  }
}
