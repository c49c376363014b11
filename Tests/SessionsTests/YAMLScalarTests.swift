import Foundation
import TestNumbers
import Testing

@testable import Sessions

@Suite struct YAMLScalarTests {
  /// YAML 1.1's own expressions (yaml.org/type), as one.
  private let expression = try! NSRegularExpression(
    pattern: "\\A(?:"
      + [
        "yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|~|null|Null|NULL||<<|=",
        "[-+]?0b[0-1_]+|[-+]?0o?[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+",
        "[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+",
        "[-+]?(?:[0-9][0-9_]*)(?:\\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\\.[0-9_]+(?:[eE][-+][0-9]+)?",
        "[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*|[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)",
        "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]",
        "[0-9][0-9][0-9][0-9]-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \\t]+)[0-9][0-9]?:[0-9][0-9]:[0-9][0-9]"
          + "(?:\\.[0-9]*)?(?:[ \\t]*(?:Z|[-+][0-9][0-9]?(?::[0-9][0-9])?))?",
      ].joined(separator: "|") + ")\\z")

  private func needsQuotes(_ text: String) -> Bool {
    expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
  }

  @Test("Every short text is taken for what YAML says") func shortTexts() {
    let characters = ["0", "1", "7", "_", ".", ":", "-", "+", "e", "x", "b", "o"]
    var texts = [""]
    for _ in 0..<4 {
      texts = texts.flatMap { text in [text] + characters.map { text + $0 } }
    }
    for text in Set(texts) where YAMLScalar.needsQuotes(text) != needsQuotes(text) {
      Issue.record("\(text): \(YAMLScalar.needsQuotes(text))")
    }
  }

  @Test("A damaged number or date is taken for what YAML says") func damagedSamples() {
    let samples = [
      "2026-11-22", "2026-1-2T3:04:05", "2026-11-22 \t12:00:00.25 +01:00", "2026-11-22t1:00:00Z",
      "190:20:30.15",
      "190:20:30", "-685_230.15e+03", "0xDEAD_beef", "-0b1010_0111", "+.inf", ".NaN", "True", "NULL", "~",
      "<<",
      ".5e-3", "0o17", "1e5", "é1", "1é", "12\n",
    ]
    var random = Generator(seed: 7)
    for sample in samples {
      for _ in 0..<400 {
        var text = sample
        for _ in 0..<Int.random(in: 0...2, using: &random) where !text.isEmpty {
          let index = text.index(text.startIndex, offsetBy: Int.random(in: 0..<text.count, using: &random))
          switch Int.random(in: 0..<3, using: &random) {
          case 0: text.remove(at: index)
          case 1: text.insert(text.randomElement(using: &random)!, at: index)
          default:
            text.replaceSubrange(
              index...index, with: ["0", " ", "Z", ":", "9", "-"].randomElement(using: &random)!)
          }
        }
        #expect(YAMLScalar.needsQuotes(text) == needsQuotes(text), "\(text)")
      }
    }
  }
}
