import Foundation

/// A number that is written as people write it: `120`, where Yams would write `1.2e+2` for a `Double`.
struct PlainNumber: Codable {
  let value: Double

  init(_ value: Double) { self.value = value }

  /// The number that a person would write for it: 0.1 rather than 0.10000000149.
  init(_ value: Float) { self.value = Double("\(value)")! }

  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Decimal(string: "\(value)")!)
  }
}
