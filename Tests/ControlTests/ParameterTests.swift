import MusicTime
import Testing
import Validation

@testable import Control

@Suite struct ParameterTests {
  @Test func `Names are unique, and so are the keys of the state file`() {
    let all = Parameters.all
    #expect(Set(all.map(\.name)).count == all.count)
    let keys = all.map(\.savedAs).filter { !$0.isEmpty }
    #expect(Set(keys).count == keys.count)
  }

  @Test func `A standard value is accepted, is what new settings have, and is read from its own text`() throws
  {
    for parameter in Parameters.all {
      #expect(try parameter.checked(parameter.standard) == parameter.standard, "\(parameter.name)")
      #expect(Settings()[parameter] == parameter.standard, "\(parameter.name)")
      let text = parameter.text(parameter.standard)
      #expect(try parameter.value(text: text) == parameter.standard, "\(parameter.name)")
      #expect(!parameter.summary.isEmpty && !parameter.allowed.isEmpty, "\(parameter.name)")
    }
  }

  @Test func `The ends of a range are accepted, and what lies beyond is refused`() throws {
    for parameter in Parameters.all {
      switch parameter.kind {
      case .number(let bounds, let parts):
        for end in [bounds.lowerBound, bounds.upperBound] {
          #expect(try parameter.checked(.number(end)) == .number(end), "\(parameter.name)")
        }
        for beyond in [bounds.lowerBound - 1 / parts, bounds.upperBound + 1 / parts, .nan, .infinity] {
          #expect(throws: InvalidValue.self, "\(parameter.name)") { try parameter.checked(.number(beyond)) }
        }
      case .integer(let bounds):
        for end in [bounds.lowerBound, bounds.upperBound] {
          #expect(try parameter.checked(.integer(end)) == .integer(end), "\(parameter.name)")
        }
        for beyond in [bounds.lowerBound - 1, bounds.upperBound + 1, .min, .max] {
          #expect(throws: InvalidValue.self, "\(parameter.name)") { try parameter.checked(.integer(beyond)) }
        }
      case .choice(let names):
        for name in names { #expect(try parameter.checked(.text(name)) == .text(name), "\(parameter.name)") }
        #expect(throws: InvalidValue.self, "\(parameter.name)") { try parameter.checked(.text("nosuch")) }
      case .pair:
        #expect(throws: InvalidValue.self, "\(parameter.name)") { try parameter.checked(.pair(-1, 100_000)) }
      case .flag, .text: break
      }
    }
  }

  @Test func `A number is brought to its parameter's step`() throws {
    for (parameter, given, kept) in [
      (Parameters.tempo.parameter, 133.70049, 133.7), (Parameters.swing.parameter, 0.66666, 0.667),
      (Parameters.clockOffset.parameter, 1e-200, 0), (Parameters.cadence(.slope).parameter, 7.12349, 7.123),
    ] {
      #expect(try parameter.checked(.number(given)) == .number(kept), "\(parameter.name)")
    }
  }

  @Test func `A value of another kind is refused`() {
    let values = [ParameterValue.number(1), .integer(1), .flag(true), .text("1"), .pair(1, 1)]
    for parameter in Parameters.all {
      let accepted = values.count { (try? parameter.checked($0)) != nil }
      #expect(accepted <= 1, "\(parameter.name)")
    }
  }
}
