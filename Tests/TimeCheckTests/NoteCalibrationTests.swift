import MusicTime
import TestNumbers
import Testing

@testable import TimeCheck

@Suite struct NoteCalibrationTests {
  /// Strokes a second apart, each with a note some frames after its sound.
  private func run(
    _ late: [Int64?], loudness: Float = 0.4, bounce: Bool = false
  ) -> NoteCalibration {
    var run = NoteCalibration(sampleRate: 48_000, at: 0)
    for (number, late) in late.enumerated() {
      let stroke = Int64(number + 1) * 48_000
      if let late { run.note(Hit(frame: ClockFrame(stroke - late), source: .input(0), strength: loudness)) }
      run.note(Hit(frame: ClockFrame(stroke), source: .notes, note: 38, strength: 0.5))
      guard bounce else { continue }
      run.note(
        Hit(frame: ClockFrame(stroke - (late ?? 0) + 1_500), source: .input(0), strength: loudness / 4))
      run.note(Hit(frame: ClockFrame(stroke + 2_000), source: .notes, note: 38, strength: 0.1))
    }
    return run
  }

  private func failure(_ run: NoteCalibration) -> CalibrationError? {
    if case .failure(let failure) = run.result() { failure } else { nil }
  }

  @Test func `The module's delay is the median of what its notes are later than their sound`() throws {
    let late: [Int64?] = [240, 250, 230, 240, 245, 235, 240, 260, 240, nil]
    let measured = try run(late).result().get()
    #expect(measured.input == 0 && measured.offset == 5)
    #expect(measured.spread < 0.3)
    #expect(try run(late, bounce: true).result().get().offset == 5)
  }

  @Test func `Sound that comes later than its note is told as such`() throws {
    #expect(try run(Array(repeating: -96, count: 10)).result().get().offset == -2)
  }

  @Test func `The input that hears most strokes is taken`() throws {
    var run = NoteCalibration(sampleRate: 48_000, at: 0)
    for number in 1...10 {
      let stroke = Int64(number) * 48_000
      // The snare's trigger hears the pad beside it now and then, and late.
      if number % 3 == 0 { run.note(Hit(frame: ClockFrame(stroke + 400), source: .input(0), strength: 0.9)) }
      run.note(Hit(frame: ClockFrame(stroke - 288), source: .input(1), strength: 0.1))
      run.note(Hit(frame: ClockFrame(stroke), source: .notes, note: 38, strength: 0.5))
    }
    let measured = try run.result().get()
    #expect(measured.input == 1 && measured.offset == 6)
  }

  @Test func `An unreliable measurement is refused with the reason`() {
    #expect(failure(run(Array(repeating: 240, count: 4))) == .notes(4))
    #expect(failure(run(Array(repeating: nil, count: 10))) == .unheard(0))
    #expect(failure(run([240, 240, 240, nil, nil, nil, 240, 240, 240, 240])) == .unheard(7))
    let scattered = (0..<10).map { Int64?($0 % 2 == 0 ? 0 : 960) }
    guard case .uneven? = failure(run(scattered)) else {
      Issue.record("\(run(scattered).result())")
      return
    }
  }

  @Test func `It ends half a second after the last stroke, or after half a minute`() {
    #expect(run(Array(repeating: 240, count: 10)).end == 504_000)
    #expect(run(Array(repeating: 240, count: 9)).end == 1_440_000)
  }

  @Test func `Whatever is heard beside ten notes, what is told is near them and even`() {
    var generator = Generator(seed: 3)
    var measured = 0
    for _ in 0..<2_000 {
      let start = Int64.random(in: -1_000_000_000...1_000_000_000, using: &generator)
      var run = NoteCalibration(sampleRate: 48_000, at: ClockFrame(start))
      let reach = Int64.random(in: 1...4_800, using: &generator)
      for number in 1...10 {
        let note = start + Int64(number) * 24_000
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
          run.note(
            Hit(
              frame: ClockFrame(note + Int64.random(in: -reach...reach, using: &generator)),
              source: .input(Int.random(in: 0..<8, using: &generator) / 7),
              strength: Float.random(in: 0...4, using: &generator)))
        }
        run.note(Hit(frame: ClockFrame(note), source: .notes, note: 38, strength: 0.5))
      }
      #expect(run.left == 0)
      switch run.result() {
      case .success(let found):
        measured += 1
        #expect(abs(found.offset) <= 60 && found.spread <= ClickCalibration.widest && found.input < 2)
      case .failure(.unheard(let count)): #expect(count < NoteCalibration.fewest)
      case .failure(.uneven(let spread)): #expect(spread > 0)
      case .failure(let other): Issue.record("\(other)")
      }
    }
    #expect(measured > 50)
  }
}
