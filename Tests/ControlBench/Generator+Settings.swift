import Control
import Engine
import MusicTime
import TestNumbers

extension Generator {
  /// A setting of any kind, which may not fit the others.
  public mutating func setting() -> Setting {
    let volume = try! Volume(Double.random(in: 0...1, using: &self))
    let beats = Int.random(in: 1...12, using: &self)
    switch Int.random(in: 0..<17, using: &self) {
    case 0: return .tempo(Tempo(clamping: .random(in: 1_000...999_999, using: &self)))
    case 1: return .meter(try! Meter(beats, [1, 2, 3, 4, 8, 16, 99].randomElement(using: &self)!))
    case 2:
      let unit = [nil, (1, 4), (3, 8), (7, 16), (1, 99), (1, 8)].randomElement(using: &self)!
      return .beatUnit(unit.map { try! BeatUnit($0.0, $0.1) })
    case 3: return .subdivision(Subdivision.all.randomElement(using: &self)!, volume)
    case 4:
      let letters = String((0..<beats).map { _ in "Xxo.".randomElement(using: &self)! })
      return .accents(Bool.random(using: &self) ? nil : try! AccentPattern(text: letters))
    case 5: return .groups(Bool.random(using: &self) ? nil : try! Groups(text: "1+\(beats)"))
    case 6: return .swing(try! Swing(Double.random(in: 0...1, using: &self)))
    case 7: return .volume(Fader.allCases.randomElement(using: &self)!, volume)
    case 8:
      return .sound(
        ["sine", "beep", "/tmp/a b", "null", "1e3", "ü: #\"'\n", "~", "*a", ""].randomElement(using: &self)!)
    case 9: return .quantise(Quantise.allCases.randomElement(using: &self)!)
    case 10: return .clockInLoss(ClockLoss.allCases.randomElement(using: &self)!)
    case 11: return .clockInOffset(try! ClockOffset(.random(in: -500...500, using: &self)))
    case 12: return .clockRunsWhileStopped(Bool.random(using: &self))
    case 13: return .clockOffset(try! ClockOffset(Double(Int.random(in: -5_000...5_000, using: &self)) / 10))
    case 14:
      let number = Int.random(in: -1...130, using: &self)
      return [
        .note(Role.allCases.randomElement(using: &self)!, number), .noteChannel(number / 6),
        .noteLength(number),
      ].randomElement(using: &self)!
    case 15: return .gap([.off, try! Gap(play: beats, rest: beats % 5)].randomElement(using: &self)!)
    default: return .role(TransportRole.allCases.randomElement(using: &self)!)
    }
  }

  /// Settings after many changes, of which those took place that were valid.
  public mutating func settings() -> Settings {
    var settings = Settings()
    for _ in 0..<40 { try? settings.set(setting()) }
    return settings
  }
}
