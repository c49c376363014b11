import ArgumentParser
import Control
import Glibc
import MusicTime

/// `tactus cadence`: suggests a cadence for a runner.
struct Cadence: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cadence",
    abstract: "Suggest a runner's steps per minute and stride.",
    discussion: """
      The model: 170 steps a minute at 3 m/s, and 8 more for each m/s. If the stride is shorter than 0.7 or longer than
      1.3 leg lengths (0.53 of the height), 2 are subtracted or added. The runner's offset is added. The result is limited to 155 to 195. Each number can
      be changed with --cadence. With `tactus play --follow-pace` the tempo follows a speed that arrives by OSC.
      """)

  @Option(
    parsing: .unconditional, help: "The speed, such as 12km/h, 3.3m/s, 7.5mph, 5:00min/km or 8:03min/mile.",
    transform: { try Measure.speed($0) })
  var speed: Double

  @OptionGroup var runner: CadenceOptions

  func validate() throws {
    _ = try model()
  }

  func run() throws {
    let cadence = try model().cadence(at: speed)
    let stride = CadenceModel.stride(at: speed, cadence: cadence)
    let height = try model()[.height]
    let note =
      runner.constants[.height] == nil ? ", for a height of \(text(of: height)) m; --height sets another" : ""
    print("\(cadence) steps a minute, stride \(text(of: stride)) m\(note)")
  }

  /// A length with two decimals.
  private func text(of metres: Double) -> String {
    var text = [CChar](repeating: 0, count: 32)
    withVaList([metres]) { _ = vsnprintf(&text, text.count, "%.2f", $0) }
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  private func model() throws -> CadenceModel {
    var model = CadenceModel()
    do { try model.set(runner.constants) } catch { throw ValidationError("\(error)") }
    return model
  }
}
