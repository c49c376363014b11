import Foundation
import Testing

@testable import Sessions

@Suite struct DocumentSchemaTests {
  private let definitions = DocumentSchema.definitions(sounds: ["sine"])

  /// Whether a value is as a schema says.
  private func accepts(_ schema: Schema, _ node: Node) -> Bool {
    switch (schema, node) {
    case (.integer(let range, _), .scalar(let scalar)):
      Int(scalar.string).map(range.contains) ?? false
    case (.number(let range, _), .scalar(let scalar)):
      scalar.isPlain && Double(scalar.string).map(range.contains) ?? false
    case (.flag, .scalar(let scalar)): ["true", "false"].contains(scalar.string)
    case (.text, .scalar): true
    case (.pattern(let pattern, _), .scalar(let scalar)):
      scalar.string.range(of: pattern, options: .regularExpression) != nil
    case (.choice(let names, _), .scalar(let scalar)): names.contains(scalar.string)
    case (.list(let item, let counts, _), .sequence(let list)):
      counts.contains(list.items.count) && list.items.allSatisfy { accepts(item, $0) }
    case (.keys(let keys, let schemas, let required, _), .mapping(let mapping)):
      required.allSatisfy { key in mapping.keys.contains { $0.string == key } }
        && zip(mapping.keys, mapping.values).allSatisfy { key, value in
          keys.contains(key.string) && accepts(schemas[key.string]!, value)
        }
    case (.any(let schemas, _), _): schemas.contains { accepts($0, node) }
    case (.reference(let name), _): accepts(definitions[name]!, node)
    default: false
    }
  }

  private func accepts(_ yaml: String) throws -> Bool {
    let root = try #require(YAMLText.compose(yaml, FaultLog(file: "")))
    return ["song", "setlist"].contains { accepts(.reference($0), root) }
  }

  /// All mappings of a schema.
  private func mappings(_ schema: Schema) -> [(keys: [String], schemas: [String: Schema])] {
    switch schema {
    case .keys(let keys, let schemas, _, _): [(keys, schemas)] + schemas.values.flatMap(mappings)
    case .any(let schemas, _): schemas.flatMap(mappings)
    case .list(let item, _, _): mappings(item)
    default: []
    }
  }

  @Test func everyKeyOfADocumentHasASchema() {
    var known: Set<String> = []
    for (keys, schemas) in definitions.values.flatMap(mappings) {
      #expect(Set(keys) == Set(schemas.keys))
      known.formUnion(keys)
    }
    #expect(known.isSuperset(of: DocumentKeys.all))
  }

  @Test func theExamplesAreAccepted() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = root.appendingPathComponent("sessions")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "yaml" }
    #expect(files.count >= 5)
    for file in files { #expect(try accepts(String(contentsOf: file, encoding: .utf8)), "\(file)") }
  }

  @Test(arguments: [
    "{}", "sections: []", "sections: [{bar: 4}]", "sections: [{bars: 0}]",
    "sections: [{bars: 4, tempo: 0.5}]",
    "sections: [{bars: 4, meter: 7}]", "sections: [{bars: 4, swing: 62}]", "sections: [{until: then}]",
    "sections: [{bars: 4, tempo: {from: 80}}]", "sections: [{bars: 4, accents: Xy}]", "songs: []",
    "sections: [{bars: 4, meter: 100/4}]", "sections: [{bars: 4, polyrhythm: 65:4}]",
    "songs: [{then: wait}]", "cycles: never\nsections: [{bars: 1}]",
  ])
  func whatTheReaderRefusesForItsFormIsRefused(_ yaml: String) throws {
    #expect(try !accepts(yaml))
    let path = NSTemporaryDirectory() + "tactus-schema-\(UUID().uuidString).yaml"
    try Data(yaml.utf8).write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: Faults.self) { try SessionLoader(sounds: ["sine"]).load(path) }
  }

  @Test func textsAtTheEndsOfTheirRangesAreAccepted() throws {
    for text in [
      "meter: 1/1", "meter: 99/99", "meter: 10/16", "polyrhythm: 64:99", "polyrhythm: 1:1", "swing: 75%",
      "swing: 62.5 %", "layers: [{pulses: 3, over: 99 bars}]",
    ] {
      #expect(try accepts("sections: [{bars: 4, \(text)}]"), "\(text)")
    }
  }

  @Test func itIsJSONWithTheRangesOfTheParameters() throws {
    let json = try DocumentSchema.json(sounds: ["sine"])
    let root = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let definitions = try #require(root["$defs"] as? [String: [String: Any]])
    let style = try #require(definitions["style"]?["properties"] as? [String: [String: Any]])
    let forms = try #require(style["swing"]?["anyOf"] as? [[String: Any]])
    #expect(forms.first?["maximum"] as? Double == 1)
    #expect((style["swing"]?["description"] as? String)?.contains("0.667 triplet") == true)
  }
}
