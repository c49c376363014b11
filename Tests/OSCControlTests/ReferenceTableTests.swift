import Foundation
import OSC
import OSCBench
import Testing

@testable import OSCControl

@Suite struct ReferenceTableTests {
  private let rows = ReferenceTable.markdown().split(separator: "\n").map(String.init)

  @Test func everyAddressIsInTheTableOnce() {
    let addresses = AddressSpace.endpoints.map(\.address) + AddressSpace.pushed
    #expect(Set(addresses).count == addresses.count)
    for address in addresses {
      #expect(rows.count { $0.hasPrefix("| `\(address)`") } == 1, "\(address)")
    }
    #expect(rows.count == 2 + addresses.count)
  }

  @Test func everyRowHasTheColumnsOfTheHead() {
    let columns = rows[0].count { $0 == "|" }
    for row in rows { #expect(row.count { $0 == "|" } == columns, "\(row)") }
  }

  private func shown(_ number: Double) -> String {
    number == number.rounded() ? "\(Int(number))" : "\(Float(number))"
  }

  @Test func whatTheTableSaysOfDefaultsIsWhatADefaultAnswers() {
    for endpoint in AddressSpace.endpoints where !endpoint.standard.isEmpty {
      guard let value = endpoint.value?(.init(settings: .init())) else { continue }
      let text = value.map { $0.number.map { shown($0) } ?? $0.text ?? "" }.joined(separator: " ")
      #expect(endpoint.standard == (text.isEmpty ? "empty" : text), "\(endpoint.address)")
    }
  }

  @Test func theDocumentContainsTheTable() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let document = try String(contentsOf: root.appendingPathComponent("docs/osc.md"), encoding: .utf8)
    let start = try #require(document.range(of: "<!-- osc -->\n"))
    let end = try #require(document.range(of: "\n<!-- /osc -->"))
    #expect(String(document[start.upperBound..<end.lowerBound]) == ReferenceTable.markdown())
  }
}
