import Control
import TimeCheck
import Validation

/// A calibration in the state file.
struct CalibrationDocument {
  let calibration: Calibration

  init(_ calibration: Calibration) { self.calibration = calibration }

  var tree: SettingsTree {
    var tree = SettingsTree()
    tree["port"] = .text(calibration.port)
    tree["device"] = .text(calibration.device)
    tree["period"] = .number(calibration.period)
    tree["rate"] = .number(calibration.sampleRate)
    tree["offset"] = .number(calibration.offset)
    tree["spread"] = .number(calibration.spread)
    tree["bleed"] = .number(Double(calibration.bleed))
    return tree
  }

  /// - Throws: `InvalidValue`.
  init(_ node: Node) throws(InvalidValue) {
    let offset = try node.number("offset") ?? 0
    guard abs(offset) <= 10_000 else {
      throw InvalidValue("offset", "\(offset)", allowed: "−10000…10000 milliseconds")
    }
    calibration = Calibration(
      port: try node.text(at: ["port"], "") ?? "", device: try node.text(at: ["device"], "") ?? "",
      period: try node.integer("period") ?? 0, sampleRate: try node.integer("rate") ?? 0, offset: offset,
      spread: try node.number("spread") ?? 0,
      bleed: Float(min(max(try node.number("bleed") ?? 0, 0), 4)))
  }
}
