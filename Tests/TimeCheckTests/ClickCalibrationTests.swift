import MusicTime
import TestNumbers
import Testing

@testable import TimeCheck

@Suite struct ClickCalibrationTests {
  private func run(_ late: [Double?], strength: Float = 0.2, strays: [Int64] = []) -> ClickCalibration {
    var run = ClickCalibration(of: .input(0), sampleRate: 48_000)
    for (index, late) in late.enumerated() {
      let click = 48_000 + Int64(index) * 28_800
      run.note(click: ClockFrame(click))
      if let late {
        run.note(Hit(frame: ClockFrame(click + Int64(late * 48)), source: .input(0), strength: strength))
        // The room.
        run.note(
          Hit(frame: ClockFrame(click + Int64(late * 48) + 2_400), source: .input(0), strength: strength / 4))
      }
    }
    for stray in strays { run.note(Hit(frame: ClockFrame(48_000 + stray), source: .input(0), strength: 0.5)) }
    return run
  }

  @Test func `The median of what comes back is the offset`() throws {
    let result = try run([31, 30, 30.5, 30, 29.5, 30, 30, 34]).result().get()
    #expect(result.offset == 30)
    #expect(result.spread < 2)
    #expect(result.bleed == 0.2)
  }

  @Test(arguments: [
    ("listen", -10.6, true), ("listen", -0.4, false), ("listen", 30, false), ("hits", -10.6, false),
  ])
  func `A click that comes back before it is played is told to be impossible`(
    port: String, offset: Double, isImpossible: Bool
  ) {
    let calibration = Calibration(
      port: port, device: "", period: 256, sampleRate: 48_000, offset: offset, spread: 0.1, bleed: 0)
    let warning = calibration.lines.first { $0.hasPrefix("No click comes back before it is played: ") }
    #expect((warning != nil) == isImpossible)
  }

  @Test func `A click or two may be lost`() throws {
    #expect(try run([30, nil, 30, 30, nil, 30, 30, 30]).result().get().offset == 30)
  }

  @Test func `Too few clicks, clicks that scatter, and other sounds are refused`() {
    func failure(_ run: ClickCalibration) -> CalibrationError? {
      if case .failure(let failure) = run.result() { failure } else { nil }
    }
    #expect(failure(run(Array(repeating: nil, count: 8))) == .heard(0))
    #expect(failure(run([30, nil, 30, nil, 30, nil, 30, 30])) == .heard(5))
    guard case .spread? = failure(run([10, 60, 30, 90, 20, 50, 15, 80])) else {
      Issue.record("scattered clicks are taken")
      return
    }
    let strays = (0..<8).map { Int64($0) * 28_800 + 15_000 }
    guard case .strange? = failure(run(Array(repeating: 30, count: 8), strays: strays)) else {
      Issue.record("somebody plays along")
      return
    }
  }

  @Test func `Clicks at one frame measure nothing`() {
    var run = ClickCalibration(of: .input(0), sampleRate: 48_000)
    for _ in 0..<ClickCalibration.clicks { run.note(click: 48_000) }
    guard case .failure(.heard(0)) = run.result() else {
      Issue.record("clicks at one frame are taken")
      return
    }
  }

  @Test func `A delay of up to 0.4 seconds is measured`() throws {
    #expect(try run(Array(repeating: 390, count: 8)).result().get().offset == 390)
  }
}
