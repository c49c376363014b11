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
    if let mode = calibration.mode { tree["mode"] = .text(mode.rawValue) }
    tree["period"] = .number(calibration.period)
    tree["rate"] = .number(calibration.sampleRate)
    tree["offset"] = .number(calibration.offset)
    tree["spread"] = .number(calibration.spread)
    tree["bleed"] = .number(Double(calibration.bleed))
    if let click = calibration.click {
      tree["volume"] = .number(click.volume)
      tree["sound"] = .text(click.sound)
    }
    return tree
  }

  /// - Throws: `InvalidValue`.
  init(_ node: Node) throws(InvalidValue) {
    let offset = try node.number("offset") ?? 0
    guard abs(offset) <= 10_000 else {
      throw InvalidValue("offset", "\(offset)", allowed: "−10000…10000 milliseconds")
    }
    var click: Calibration.Click?
    if let volume = try node.number("volume"), let sound = try node.text(at: ["sound"], "") {
      click = Calibration.Click(volume: min(max(volume, 0), 1), sound: sound)
    }
    let mode = try node.text(at: ["mode"], "") ?? ""
    calibration = Calibration(
      port: try node.text(at: ["port"], "") ?? "", device: try node.text(at: ["device"], "") ?? "",
      // An unknown mode becomes `record`, which matches no input that is judged.
      mode: mode.isEmpty ? nil : ListeningSetup.Mode(rawValue: mode) ?? .record,
      period: try node.integer("period") ?? 0, sampleRate: try node.integer("rate") ?? 0, offset: offset,
      spread: try node.number("spread") ?? 0,
      bleed: Float(min(max(try node.number("bleed") ?? 0, 0), 4)), click: click)
  }
}
