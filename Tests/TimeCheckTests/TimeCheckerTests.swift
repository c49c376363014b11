import MusicTime
import TestNumbers
import Testing

@testable import TimeCheck

@Suite struct TimeCheckerTests {
  private static let microphone = ListeningSetup(inputs: ListeningSetup.standard, hasNotes: true)

  /// Plays beats each half second, with the hits that a drummer plays, and settles as it goes on.
  /// - Returns: all news.
  private func play(
    _ checker: inout TimeChecker, late: [Double], source: HitSource = .input(0),
    from start: Int64 = 48_000, silent: (Int) -> Bool = { _ in false },
    section: (Int) -> String = { _ in "" }
  ) -> [TimingNews] {
    var news: [TimingNews] = []
    for (beat, late) in late.enumerated() {
      let frame = start + 24_000 * Int64(beat)
      checker.note(
        Onset(
          frame: ClockFrame(frame), bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4),
          isSilent: silent(beat),
          section: section(beat)), isBeat: true, length: 24_000)
      checker.receive([
        Hit(frame: ClockFrame(frame + Int64((late * 48).rounded())), source: source, strength: 0.5)
      ])
      news += checker.settle(known: ClockFrame(frame + 12_000))
    }
    return news
  }

  private func report(_ news: [TimingNews]) -> TakeReport? {
    for case .take(let report) in news { return report }
    return nil
  }

  @Test func `A take is told when the music has stopped`() throws {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    var generator = Generator(seed: 4)
    let drummer = SimulatedDrummer(mean: -6, spread: 9)
    let late = drummer.take(128, interval: 0.5, &generator).map(\.milliseconds)
    var news = play(&checker, late: late)
    #expect(news.count == 128)
    checker.noteStop(at: ClockFrame(48_000 + 24_000 * 128))
    #expect(report(checker.settle(known: ClockFrame(24_000 * 129))) == nil)
    news = checker.settle(known: ClockFrame(24_000 * 140))
    let summary = try #require(report(news)?.summary)
    #expect(summary.hits == 128)
    #expect(summary.missed == 0)
    #expect(try #require(summary.scatter).mean.contains(-6))
    #expect(try #require(summary.scatter).spread.contains(9))
    #expect(!summary.isCalibrated)
    #expect(report(news)?.lines.first?.contains("Not calibrated") == true)
  }

  @Test func `A calibration ends the take, so that what was heard before does not count`() throws {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    _ = play(&checker, late: [-3, 4, 6, -8, 2, 9, -5, 1, 7, -2])
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", period: 256, sampleRate: 48_000, offset: 0, spread: 0.1, bleed: 0)
    ])
    #expect(checker.state.hits == 0 && checker.state.lastHits.isEmpty)
    let news = play(&checker, late: [5, 6, 4, 5, 6, 4, 5, 5], from: 480_000)
    #expect(report(news)?.summary.hits == 10 && report(news)?.summary.isCalibrated == false)
    let rest = try #require(report(checker.finish())?.summary)
    #expect(rest.isCalibrated && rest.hits == 8 && abs(rest.mean - 5) < 0.1)
  }

  /// Plays beats softly, exactly as loud as the click in the calibration, with or without bleed.
  private func playSoftly(
    _ checker: inout TimeChecker, beats: Range<Int>, bleed: Float?, strokes: (Int) -> Double?
  ) -> [TimingNews] {
    var news: [TimingNews] = []
    for beat in beats {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4)), isBeat: true,
        length: 24_000, isLoud: true)
      var heard: [Hit] = []
      if let bleed { heard.append(Hit(frame: frame + 5, source: .input(0), strength: bleed)) }
      if let late = strokes(beat) {
        heard.append(
          Hit(frame: ClockFrame(frame.number + Int64(late * 48)), source: .input(0), strength: 0.12))
      }
      checker.receive(heard.sorted { $0.frame < $1.frame })
      news += checker.settle(known: frame + 12_000)
    }
    return news
  }

  @Test func `With headphones on soft strokes on the click count, without anything being set`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", mode: .mic, period: 256, sampleRate: 48_000, offset: 0, spread: 0.1,
        bleed: 0.1)
    ])
    var generator = Generator(seed: 9)
    // While the click sounds: who plays before it is heard apart from it.
    let late = (0..<200).map { _ in Double.random(in: -5...18, using: &generator) }
    func count(_ news: [TimingNews]) -> Int { news.count { if case .hit = $0 { true } else { false } } }
    // The speaker sounds: what is hardly louder than the click may be the click.
    var news = playSoftly(&checker, beats: 0..<20, bleed: 0.1) { late[$0] }
    #expect(count(news) == 0)
    // Headphones: a count of two bars in which nobody plays tells that nothing is heard.
    news = playSoftly(&checker, beats: 20..<30, bleed: nil) { _ in nil }
    #expect(checker.state.bleeds[0] == 0)
    news = playSoftly(&checker, beats: 30..<60, bleed: nil) { late[$0] }
    #expect(count(news) >= 29)
    // The speaker again: within some clicks it is known for what it is.
    news = playSoftly(&checker, beats: 60..<72, bleed: 0.1) { _ in nil }
    #expect(count(news) <= 10)
    #expect(checker.takeWarnings().contains { $0.contains("hears the click again") })
    #expect(checker.state.bleeds[0] == 0.1)
    news = playSoftly(&checker, beats: 72..<90, bleed: 0.1) { _ in nil }
    #expect(count(news) == 0)
  }

  @Test func `Clicks that are missed now and then are no evidence that none is heard`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", mode: .mic, period: 256, sampleRate: 48_000, offset: 0, spread: 0.1,
        bleed: 0.1)
    ])
    // Loud strokes cover three of four clicks, and the detector misses a third of the others.
    for beat in 0..<200 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4)), isBeat: true,
        length: 24_000, isLoud: true)
      if beat % 4 < 3 { checker.receive([Hit(frame: frame + 300, source: .input(0), strength: 0.8)]) }
      if beat % 12 == 3 || beat % 12 == 7 {
        checker.receive([Hit(frame: frame + 4, source: .input(0), strength: 0.1)])
      }
      _ = checker.settle(known: frame + 12_000)
      #expect(checker.state.bleeds[0] == 0.1)
    }
  }

  @Test func `With headphones on soft strokes from the first beat on count after twelve beats`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", mode: .mic, period: 256, sampleRate: 48_000, offset: 0, spread: 0.1,
        bleed: 0.1)
    ])
    var generator = Generator(seed: 12)
    let drummer = SimulatedDrummer(mean: -2, spread: 7)
    let late = drummer.take(64, interval: 0.5, &generator).map(\.milliseconds)
    let news = playSoftly(&checker, beats: 0..<64, bleed: nil) { late[$0] }
    #expect(news.count { if case .hit = $0 { true } else { false } } >= 44)
    #expect(checker.state.bleeds[0] == 0)
    #expect(checker.takeWarnings().allSatisfy { !$0.contains("again") })
  }

  @Test func `A player's own strokes are no evidence that an audible click is not heard`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", mode: .mic, period: 256, sampleRate: 48_000, offset: 0, spread: 0.1,
        bleed: 0.1)
    ])
    var generator = Generator(seed: 10)
    for beat in 0..<400 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4)), isBeat: true,
        length: 24_000, isLoud: true)
      let late = Int64(Double.random(in: -20...20, using: &generator) * 48)
      let stroke = Hit(
        frame: ClockFrame(frame.number + late), source: .input(0),
        strength: Float.random(in: 0.05...0.9, using: &generator))
      // A detector hears one of two sounds that are close together.
      let click = Hit(frame: frame + 4, source: .input(0), strength: 0.1)
      checker.receive(
        late < -400 ? [stroke, click] : late < 0 ? [stroke] : late < 400 ? [click] : [click, stroke])
      _ = checker.settle(known: frame + 12_000)
      #expect(checker.state.bleeds[0] == 0.1)
    }
  }

  @Test func `A section is summed up when the next one has begun, whether somebody plays there or not`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    let late = (0..<16).map { Double($0 % 3) }
    var news = play(&checker, late: late, source: .notes, section: { _ in "verse" })
    #expect(report(news) == nil)
    for beat in 16..<24 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4), section: "chorus"),
        isBeat: true, length: 24_000)
      news += checker.settle(known: frame + 12_000)
    }
    #expect(report(news)?.section == "verse" && report(news)?.summary.hits == 16)
    news = play(&checker, late: late, source: .notes, from: 48_000 + 24 * 24_000, section: { _ in "chorus" })
    #expect(report(news) == nil)
    #expect(report(checker.finish())?.section == "chorus")
  }

  @Test func `Strokes that are near no click are told, once for a take`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    _ = play(&checker, late: [Double](repeating: 240, count: 12), source: .notes)
    #expect(checker.state.strays >= 8 && checker.state.hits == 0)
    _ = checker.finish()
    let warnings = checker.takeWarnings()
    #expect(warnings.count == 1 && warnings[0].contains("none near a click"))
    #expect(checker.takeWarnings().isEmpty)
  }

  @Test func `One or two knocks are no take`() throws {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    var news = play(&checker, late: [3, -4], source: .notes)
    #expect(news.count == 2 && report(news + checker.finish()) == nil)
    news = play(&checker, late: [3, -4, 5], source: .notes, from: 480_000)
    #expect(report(checker.finish())?.summary.hits == 3)
  }

  @Test(arguments: [(Float(0.5), 0), (0.35, 12), (0.24, 0)])
  func `Strokes that the click hides are told, and the click alone is none`(bleed: Float, hidden: Int) {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", period: 256, sampleRate: 48_000, offset: 0, spread: 0.1, bleed: bleed)
    ])
    // Strokes of 0.5: beside a click as loud they can't be told from it, and twice as loud as one they count.
    _ = play(&checker, late: [Double](repeating: 9, count: 12))
    #expect(checker.state.hidden == hidden)
    _ = checker.finish()
    let warnings = checker.takeWarnings()
    #expect(
      warnings.contains { $0.contains("listen hears the click so loud that 12 strokes") } == (bleed == 0.35))
  }

  @Test func `From strokes to summary a drummer's figures are within the bounds in 95 of 100 takes`() throws {
    var generator = Generator(seed: 14)
    let drummer = SimulatedDrummer(mean: -6, spread: 12, drift: 2, autocorrelation: 0.3)
    var within = [0, 0, 0, 0]
    for _ in 0..<1_000 {
      var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
      let late = drummer.take(64, interval: 0.5, &generator).map(\.milliseconds)
      _ = play(&checker, late: late, source: .notes)
      let reported = try #require(report(checker.finish())?.summary.scatter)
      if reported.mean.contains(drummer.mean) { within[0] += 1 }
      if reported.spread.contains(drummer.spread) { within[1] += 1 }
      if reported.drift.contains(drummer.drift) { within[2] += 1 }
      if reported.autocorrelation.contains(drummer.autocorrelation) { within[3] += 1 }
    }
    // Of 1000 takes 950 ± 20 are within, by chance.
    #expect(within.allSatisfy { $0 >= 930 }, "mean, spread, drift, autocorrelation: \(within)")
  }

  @Test func `An e-drum's notes are the drums of the map, and one is learned where asked for`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    var policy = TimeChecker.Policy()
    policy.notes.learn(40, as: .rim)
    checker.setPolicy(policy)
    func strike(_ note: UInt8, beat: Int64) -> [TimingNews] {
      let frame = ClockFrame(48_000 + 24_000 * beat)
      checker.note(Onset(frame: frame, bar: 1, place: Place(beat: 1)), isBeat: true, length: 24_000)
      checker.receive([Hit(frame: frame, source: .notes, note: note, strength: 1)])
      return checker.settle(known: frame + 12_000)
    }
    func drums(_ news: [TimingNews]) -> [Drum?] {
      news.compactMap { if case .hit(let judged) = $0 { .some(judged.hit.drum) } else { nil } }
    }
    #expect(drums(strike(40, beat: 0)) == [.rim])
    #expect(drums(strike(36, beat: 1)) == [.kick])
    #expect(drums(strike(9, beat: 2)) == [nil])
    checker.learn(.crash)
    #expect(checker.state.learning == .crash)
    let news = strike(9, beat: 3)
    #expect(news.first == .learned(note: 9, drum: .crash))
    #expect(drums(news) == [.crash])
    #expect(checker.state.learning == nil)
  }

  @Test func `A take without the strokes that the click hides says so before its figures`() throws {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", period: 256, sampleRate: 48_000, offset: 0, spread: 0.1, bleed: 0.2)
    ])
    for beat in 0..<40 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(Onset(frame: frame, bar: 1, place: Place(beat: 1)), isBeat: true, length: 24_000)
      checker.receive([
        Hit(
          frame: ClockFrame(frame.number + Int64(beat % 7) * 48), source: .input(0),
          strength: beat % 2 == 0 ? 0.5 : 0.3)
      ])
      _ = checker.settle(known: frame + 12_000)
    }
    let reported = try #require(report(checker.finish()))
    #expect(reported.summary.hidden == 20)
    #expect(reported.lines[1].hasPrefix("20 softer strokes did not count"))
    #expect(reported.lines[2].hasPrefix("Spread "))
  }

  @Test func `An input that is only recorded needs no calibration`() {
    let setup = ListeningSetup(inputs: [.init(name: "", mode: .record)], hasNotes: true)
    var checker = TimeChecker(setup, sampleRate: 48_000)
    checker.setCalibrations([:])
    #expect(checker.state.isCalibrated)
  }

  @Test(arguments: [(1, "once"), (3, "3 times")])
  func `A take in which cycles were missed says so`(_ count: Int, _ words: String) throws {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    // Before the first hit nothing can have been lost.
    checker.noteGaps(5)
    _ = play(&checker, late: Array(repeating: 3, count: 40), source: .notes)
    checker.noteGaps(count)
    let reported = try #require(report(checker.finish()))
    #expect(reported.summary.missedCycles == count)
    // A display with little room shows the first sentences.
    #expect(reported.lines[1].hasPrefix("Spread "))
    #expect(reported.lines[2] == "The machine missed cycles \(words): what you played then was not heard.")
  }

  @Test func `What was calibrated is told in words that fit`() {
    func lines(_ offset: Double, bleed: Float) -> String {
      Calibration(
        port: "listen", device: "", period: 256, sampleRate: 48_000, offset: offset, spread: 0.2, bleed: bleed
      ).lines.joined(separator: " ")
    }
    #expect(lines(5.3, bleed: 0).contains("comes back 5.3 ms late, ±0.2 ms."))
    #expect(lines(-5.3, bleed: 0).contains("comes back 5.3 ms early, ±0.2 ms."))
    #expect(lines(5.3, bleed: 0.1).contains("at -20 dB: strokes on a click count only from -14 dB on"))
    #expect(
      lines(5.3, bleed: 0.7).contains("at -3 dB, so loud that strokes on a click cannot be distinguished"))
  }

  @Test func `Each section is told by itself`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    let news = play(&checker, late: Array(repeating: 3, count: 40), source: .notes) { _ in
      false
    } section: {
      $0 < 20 ? "verse" : "chorus"
    }
    #expect(report(news)?.section == "verse")
    #expect(report(news)?.summary.hits == 20)
    #expect(report(checker.finish())?.section == "chorus")
  }

  @Test func `A calibrated input tells how late the player was`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", period: 256, sampleRate: 48_000, offset: 30, spread: 1, bleed: 0)
    ])
    _ = play(&checker, late: Array(repeating: 35, count: 20))
    #expect(checker.state.recent.mean == 5)
    #expect(checker.state.isCalibrated)
  }

  @Test func `Strokes are judged unchanged with the click bleeding in`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", period: 256, sampleRate: 48_000, offset: 0, spread: 1, bleed: 0.1)
    ])
    for beat in 0..<20 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1, place: Place(beat: 1 + beat % 4)), isBeat: true, length: 24_000)
      // The click itself, then the stroke within the refractory time.
      checker.receive([
        Hit(frame: frame, source: .input(0), strength: 0.1),
        Hit(frame: frame + 960, source: .input(0), strength: 0.4),
      ])
      _ = checker.settle(known: frame + 12_000)
    }
    #expect(checker.state.hits == 20)
    #expect(checker.state.recent.mean == 20)
  }

  @Test func `A click that is turned up is heard louder, and another sound is warned of once`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setClick(.init(volume: 0.25, sound: "sine"))
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", period: 256, sampleRate: 48_000, offset: 0, spread: 1, bleed: 0.05,
        click: .init(volume: 0.25, sound: "sine"))
    ])
    #expect(checker.state.bleeds == [0: 0.05])
    checker.setClick(.init(volume: 1, sound: "sine"))
    #expect(checker.state.bleeds == [0: 0.2])
    for beat in 0..<10 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(Onset(frame: frame, bar: 1, place: Place(beat: 1)), isBeat: true, length: 24_000)
      checker.receive([Hit(frame: frame, source: .input(0), strength: 0.2)])
      _ = checker.settle(known: frame + 12_000)
    }
    #expect(checker.state.hits == 0)
    #expect(checker.takeWarnings().isEmpty)
    for sound in ["square", "square", "sine", "square"] { checker.setClick(.init(volume: 1, sound: sound)) }
    let warnings = checker.takeWarnings()
    #expect(warnings.count == 1)
    #expect(warnings.first?.hasPrefix("listen was calibrated with another sound (sine): ") == true)
  }

  @Test func `The tempo in silent bars is told`() throws {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    // Four bars that sound, four that don't, in which each hit is 2 ms later than the one before: 0.4 % slower.
    let late = (0..<128).map { beat -> Double in
      let place = beat % 32
      return (place < 16 ? 0 : Double(place - 15) * 2) + ((beat + beat / 32) % 2 == 0 ? 1 : -1)
    }
    _ = play(&checker, late: late, source: .notes) { $0 % 32 >= 16 }
    let summary = try #require(report(checker.finish())?.summary)
    let gaps = try #require(summary.gaps)
    #expect(gaps.count == 64)
    let slower = try #require(gaps.slower)
    #expect(slower.contains(0.4))
    #expect(slower.isSignificant)
  }

  @Test func `Sixteenths are judged where the grid asks for them`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    var policy = TimeChecker.Policy()
    policy.grid = 4
    checker.setPolicy(policy)
    var places: Set<Place> = []
    for beat in 0..<16 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1, place: Place(beat: 1 + beat % 4)), isBeat: true, length: 24_000)
      for part in 0..<4 {
        checker.receive([
          Hit(frame: ClockFrame(frame.number + 6_000 * Int64(part) + 480), source: .notes, strength: 0.5)
        ])
      }
      for case .hit(let judged) in checker.settle(known: frame + 23_000) {
        #expect(judged.milliseconds == 10)
        places.insert(judged.onset.place)
      }
    }
    #expect(places.count == 16)
  }

  @Test func `The grid swings as the click does`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    var policy = TimeChecker.Policy()
    policy.grid = 2
    checker.setPolicy(policy)
    var late: [Double] = []
    for beat in 0..<16 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1, place: Place(beat: 1 + beat % 4)), isBeat: true, length: 24_000,
        split: 2.0 / 3)
      checker.receive([Hit(frame: frame + 16_000 + 480, source: .notes, strength: 0.5)])
      for case .hit(let judged) in checker.settle(known: frame + 23_000) {
        #expect(judged.onset.place.part == 1)
        late.append(judged.milliseconds)
      }
    }
    #expect(late == Array(repeating: 10, count: 16))
  }

  @Test func `Softer strokes than the click count where the grid asks for them and nothing sounds`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    var policy = TimeChecker.Policy()
    policy.grid = 2
    checker.setPolicy(policy)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", period: 256, sampleRate: 48_000, offset: 0, spread: 1, bleed: 0.1)
    ])
    for beat in 0..<16 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1, place: Place(beat: 1 + beat % 4)), isBeat: true, length: 24_000)
      checker.receive([Hit(frame: frame + 12_000, source: .input(0), strength: 0.05)])
      _ = checker.settle(known: frame + 23_000)
    }
    #expect(checker.state.hits == 16)
  }

  @Test func `An e-drum's flam is judged by its main stroke`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    for beat in 0..<10 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.note(
        Onset(frame: frame, bar: 1, place: Place(beat: 1 + beat % 4)), isBeat: true, length: 24_000)
      checker.receive([
        Hit(frame: frame - 960, source: .notes, drum: .snare, strength: 0.2),
        Hit(frame: frame, source: .notes, drum: .snare, strength: 0.8),
      ])
      _ = checker.settle(known: frame + 12_000)
    }
    #expect(checker.state.hits == 10)
    #expect(checker.state.recent.mean == 0)
  }

  @Test func `An even take is reported as even at all places`() {
    var cries = 0
    for seed in 0..<200 as Range<UInt64> {
      var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
      var generator = Generator(seed: seed)
      let late = SimulatedDrummer(spread: 12).take(160, interval: 0.5, &generator).map(\.milliseconds)
      _ = play(&checker, late: late, source: .notes)
      if report(checker.finish())?.summary.places.contains(where: \.standsOut) == true { cries += 1 }
    }
    // 5 % by design.
    #expect(cries <= 20)
  }

  @Test func `Another sample rate ends the take and the calibration, and tells both`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    _ = play(&checker, late: Array(repeating: 3, count: 20), source: .notes)
    checker.calibrate(.notes)
    #expect(checker.setSampleRate(48_000).isEmpty)
    let news = checker.setSampleRate(44_100)
    #expect(report(news)?.summary.hits == 20)
    #expect(news.contains { if case .notCalibrated = $0 { true } else { false } })
    #expect(!checker.isCalibrating)
  }

  @Test func `Music that stops and starts at once is two takes`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    var news = play(&checker, late: Array(repeating: 3, count: 20), source: .notes)
    checker.noteStop(at: ClockFrame(48_000 + 24_000 * 20 - 12_000))
    let start: Int64 = 48_000 + 24_000 * 21
    // The first stroke comes before its click.
    checker.receive([Hit(frame: ClockFrame(start - 960), source: .notes, strength: 0.5)])
    news += checker.settle(known: ClockFrame(start - 100))
    #expect(report(news) == nil)
    checker.note(Onset(frame: ClockFrame(start), bar: 1, place: Place(beat: 1)), isBeat: true, length: 24_000)
    let first = report(checker.settle(known: ClockFrame(start + 12_000)))?.summary
    #expect(first?.hits == 20)
    #expect(first?.extra == 0)
    _ = play(&checker, late: [-20, -20], source: .notes, from: start + 24_000)
    let second = report(checker.finish())?.summary
    #expect(second?.hits == 3)
    #expect(second?.mean == -20)
  }

  @Test func `The click is no hit, also where it is heard before it is known`() {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    checker.setCalibrations([
      .input(0): Calibration(
        port: "listen", device: "", period: 256, sampleRate: 48_000, offset: 0, spread: 1, bleed: 0.1)
    ])
    for beat in 0..<20 {
      let frame = ClockFrame(48_000 + 24_000 * Int64(beat))
      checker.receive([Hit(frame: frame, source: .input(0), strength: 0.1)])
      #expect(checker.settle(known: frame - 100).isEmpty)
      checker.note(
        Onset(frame: frame, bar: 1, place: Place(beat: 1 + beat % 4)), isBeat: true, length: 24_000)
      #expect(checker.settle(known: frame + 12_000).isEmpty)
    }
    #expect(report(checker.finish()) == nil)
  }

  @Test func `A long take counts all hits`() {
    var take = Take(sampleRate: 48_000)
    for number in 0..<Take.limit + 500 {
      let frame = ClockFrame(Int64(number) * 24_000)
      let hit = Hit(frame: frame, source: .notes, strength: 0.5)
      let onset = Onset(frame: frame, bar: 1, place: Place(beat: 1))
      take.note(
        .hit(
          JudgedHit(
            hit: hit, onset: onset, milliseconds: 0, isFirst: true, isCorrection: false, number: number)))
    }
    #expect(take.entries.count < Take.limit)
    #expect(take.hits == Take.limit + 500)
    #expect(take.summary().hits == Take.limit + 500)
    #expect(take.summary(last: 32).hits == 32)
  }

  @Test func `A place where the player is late is named`() throws {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    var generator = Generator(seed: 8)
    let late = SimulatedDrummer(spread: 6).take(128, interval: 0.5, &generator).enumerated().map {
      $1.milliseconds + ($0 % 4 == 3 ? 15 : 0)
    }
    _ = play(&checker, late: late, source: .notes)
    let reported = try #require(report(checker.finish()))
    #expect(reported.summary.places.first { $0.name == "4" }?.standsOut == true)
    #expect(reported.lines.contains { $0.hasPrefix("On 4 you were") && $0.contains("later") })
  }

  @Test func `A take tells its tempos, its song, its meter and its age`() throws {
    var checker = TimeChecker(TimeCheckerTests.microphone, sampleRate: 48_000)
    var frame: Int64 = 48_000
    var reported: [TakeReport] = []
    for beat in 0..<24 {
      // Quarters at 120, then at 100 of which only the distances are known; then another song.
      let length: Int64 = beat < 8 ? 24_000 : 28_800
      let music = Music(title: beat < 16 ? "One" : "Two", document: "/set.yaml", meter: "4/4")
      checker.note(
        Onset(frame: ClockFrame(frame), bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4), music: music),
        isBeat: true,
        length: beat < 8 ? Double(length) : nil)
      checker.receive([Hit(frame: ClockFrame(frame), source: .notes, strength: 0.5)])
      for news in checker.settle(known: ClockFrame(frame + 12_000)) {
        if case .take(let report) = news { reported.append(report) }
      }
      frame += length
    }
    for news in checker.finish() { if case .take(let report) = news { reported.append(report) } }
    #expect(reported.map(\.take.music.title) == ["One", "Two"])
    #expect(reported.map(\.take.music.meter) == ["4/4", "4/4"])
    let tempos = try #require(reported.first?.take.tempos)
    // The first beat after the change still has the distance of the one before it.
    #expect((tempos.low, tempos.high, tempos.last) == (100, 120, 100))
    #expect(reported.map(\.take.seconds) == [8 * 0.5 + 7 * 0.6, 7 * 0.6])
    #expect(reported.allSatisfy { $0.age >= $0.take.seconds && $0.age < $0.take.seconds + 2 })
  }
}
