import ControlBench
import MusicTime
import Realtime
import TestNumbers
import Testing

@testable import Control
@testable import Engine

/// Compares the beats that are reported half a second ahead with those that begin.
@Suite struct ForecastTests {
  /// Follows the reports as a display does.
  private struct Display {
    private(set) var known: [(beat: Event.Beat, time: Instant)] = []
    private(set) var withdrawn = 0
    private(set) var begun = 0
    private(set) var faults: [String] = []

    mutating func receive(_ report: Report) {
      switch report {
      case .predicted(let beat, let time): known.append((beat, time))
      case .withdrawn(let from):
        withdrawn += 1
        known.removeAll { $0.time >= from }
      case .beat(let beat, let time) where beat.role == .accent || beat.role == .beat:
        begun += 1
        while let first = known.first, first.time < time - .milliseconds(2) {
          faults.append("beat \(first.beat.bar).\(first.beat.beat) did not come")
          known.removeFirst()
        }
        guard let first = known.first, isNear(first.time, time),
          (first.beat.bar, first.beat.beat) == (beat.bar, beat.beat)
        else { return faults.append("beat \(beat.bar).\(beat.beat) was not predicted") }
        if (first.beat.strength > 0) != (beat.strength > 0) { faults.append("\(beat) is not as loud") }
        known.removeFirst()
      default: break
      }
    }

    private func isNear(_ one: Instant, _ other: Instant) -> Bool {
      one <= other + .microseconds(1_100) && other <= one + .microseconds(1_100)
    }
  }

  /// Renders, and passes the reports to the display.
  private final class Watch {
    let rig: Rig
    var display = Display()
    private var heard = 0

    init(_ rig: Rig) {
      self.rig = rig
      rig.conductor.observe(needsForecast: { true }, { _ in })
    }

    func pass(_ duration: Duration, each: (Report) -> Void = { _ in }) {
      let end = rig.time + duration
      repeat {
        rig.render()
        let reports = rig.reports.all
        for report in reports[heard...] {
          display.receive(report)
          each(report)
        }
        heard = reports.count
      } while rig.time < end
    }
  }

  @Test func `A steady beat is reported at least 450 ms before it sounds, with its exact instant`() throws {
    let watch = Watch(try Rig())
    watch.rig.push(.start)
    watch.pass(.seconds(1))
    var reported = 0
    watch.pass(.seconds(20)) { report in
      guard case .predicted(_, let time) = report else { return }
      reported += 1
      #expect(time >= watch.rig.time + .milliseconds(450) && time <= watch.rig.time + .milliseconds(501))
    }
    #expect(reported == 40 && watch.display.begun >= 41)
    #expect(watch.display.faults.isEmpty && watch.display.withdrawn == 0)
  }

  @Test func `A changed tempo withdraws the forecast, and replaces it within 25 ms`() throws {
    let watch = Watch(try Rig())
    watch.rig.push(.start)
    watch.pass(.milliseconds(1_100))
    let before = try #require(watch.display.known.last)
    watch.rig.push(.set(.tempo(try Tempo(thousandths: 200_000))))
    watch.pass(.milliseconds(25))
    let after = try #require(watch.display.known.first)
    #expect(watch.display.withdrawn == 1)
    #expect(after.beat.beat == before.beat.beat && after.time < before.time)
    watch.pass(.seconds(5))
    #expect(watch.display.faults.isEmpty)
  }

  @Test
  func `A stop withdraws the forecast within 25 ms, and a stop on the bar line keeps the beats before it`()
    throws
  {
    let watch = Watch(try Rig())
    watch.rig.push(.start)
    watch.pass(.milliseconds(1_100))
    #expect(!watch.display.known.isEmpty)
    watch.rig.push(.stop)
    watch.pass(.milliseconds(25))
    #expect(watch.display.known.isEmpty)
    watch.rig.push(.start)
    // Beat 4 has begun, and beat 1 of the next bar is known.
    watch.pass(.milliseconds(1_700))
    #expect(watch.display.known.map(\.beat.beat) == [1])
    watch.rig.push(.stopAtBar)
    watch.pass(.milliseconds(25))
    #expect(watch.display.known.isEmpty)
    watch.pass(.seconds(3))
    #expect(watch.display.faults.isEmpty && watch.display.begun == 3 + 4)
  }

  @Test func `Without listeners no forecast is reported`() throws {
    let rig = try Rig()
    rig.push(.start)
    rig.pass(.seconds(3))
    #expect(!rig.reports.all.contains { if case .predicted = $0 { true } else { false } })
  }

  @Test(arguments: 1...40)
  func `Through any changes each beat was predicted, and each that was not withdrawn comes`(
    seed: Int
  ) throws {
    var random = Generator(seed: UInt64(seed))
    let sections = try (0..<6).map { index in
      try section(
        "\(index)", .bars(random.number(1...3)), tempo: random.number(60_000...300_000),
        meter: (random.number(1...9), [4, 8].randomElement(using: &random)!))
    }
    let isSession = seed % 2 == 0
    let watch = Watch(isSession ? try Rig(sections, loop: 2) : try Rig())
    watch.rig.push(.start)
    for _ in 0..<60 {
      watch.pass(.milliseconds(random.number(1...900)))
      switch random.number(0...9) {
      case 0: watch.rig.push(.stop)
      case 1, 2, 3: watch.rig.push(.start)
      case 4: watch.rig.push(.locate(Position(bar: random.number(1...20), beat: 1, fraction: 0)))
      case 5: watch.rig.push(.go(.next))
      case 6: watch.rig.push(.stopAtBar)
      case 7 where isSession: watch.rig.push(.hold(random.oneIn(2)))
      default:
        let setting = random.setting()
        if setting.parameter == Parameters.role.parameter { continue }
        watch.rig.push(.set(setting))
      }
    }
    watch.pass(.seconds(1))
    #expect(watch.display.faults.isEmpty)
    #expect(watch.display.begun > 20)
  }
}
