import MusicTime
import Testing
import Validation

@testable import Control

@Suite struct MeasureTests {
  private static let readableSpeeds: [(String, Double)] = [
    ("3.3m/s", 3.3), ("3.3 m/s", 3.3), ("12km/h", 10.0 / 3), ("12 KM/H", 10.0 / 3), ("0m/s", 0),
    ("7.5mph", 7.5 * 1_609.344 / 3_600), ("5:00min/km", 10.0 / 3), ("5min/km", 10.0 / 3),
    ("4:30/km", 1_000.0 / 270), ("5.5 min/km", 1_000.0 / 330), ("8:00min/mile", 1_609.344 / 480),
    ("12m/s", 12),
  ]

  @Test(arguments: readableSpeeds)
  func speeds(_ text: String, _ expected: Double) throws {
    #expect(abs(try Measure.speed(text) - expected) < 1e-12)
  }

  @Test(arguments: [
    "", "fast", "3.3", "12", "-3m/s", "12.1m/s", "inf", "nan", "0x3", "1e0", "infm/s", "0x3m/s", "50km/h",
    "12kmh", "0min/km", "0:00min/km",
    "5:60min/km",
    "5:00:00min/km", "1:00km/h", "3.3.3", "m/s", "+3",
  ])
  func noSpeeds(_ text: String) {
    #expect(throws: InvalidValue.self) { try Measure.speed(text) }
  }

  private static let readableHeights: [(String, Double)] = [
    ("1.80", 1.8), ("1.80m", 1.8), ("180cm", 1.8), ("180 cm", 1.8), ("5ft11in", 71 * 0.0254), ("6ft", 1.8288),
    ("5'11\"", 71 * 0.0254), ("5' 11", 71 * 0.0254), ("5ft 11.5in", 71.5 * 0.0254), ("0.5", 0.5),
    ("2.5", 2.5),
  ]

  @Test(arguments: readableHeights)
  func heights(_ text: String, _ expected: Double) throws {
    #expect(abs(try Measure.height(text) - expected) < 1e-12)
  }

  @Test(arguments: [
    "", "180", "-1.8", "0.49", "2.51", "tall", "5ft12in", "ft", "5'11\"9", "9ft", "1.8.0", "inf", "5in",
    "1,80",
  ])
  func noHeights(_ text: String) {
    #expect(throws: InvalidValue.self) { try Measure.height(text) }
  }
}
