import ArgumentParser
import Control
import Foundation
import MusicTime

/// `tactus cadence`: how many steps a minute suit a runner.
struct Cadence: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Suggest a runner's steps a minute and stride.",
    discussion: """
      The model: 170 steps a minute at 3 m/s and 8 more for each m/s; the stride is held within 0.7 to 1.3 leg lengths
      (0.53 of the height) by steps of 2; the runner's offset is added; all within 155 to 195. Each of these numbers can
      be changed with --cadence. `tactus play --follow-pace` has the tempo follow a speed that comes over OSC.
      """)

  @Option(
    parsing: .unconditional, help: "As 12km/h, 3.3m/s, 7.5mph, 5:00min/km or 8:03min/mile.",
    transform: { try Measure.speed($0) })
  var speed: Double

  @OptionGroup var runner: CadenceOptions

  func validate() throws {
    guard runner.constants[.height] != nil else {
      throw ValidationError("--height is missing, as --height 1.80, 180cm or 5ft11in")
    }
    _ = try model()
  }

  func run() throws {
    let cadence = try model().cadence(at: speed)
    let stride = CadenceModel.stride(at: speed, cadence: cadence)
    print("\(cadence) steps a minute, stride \(String(format: "%.2f", stride)) m")
  }

  private func model() throws -> CadenceModel {
    var model = CadenceModel()
    do { try model.set(runner.constants) } catch { throw ValidationError("\(error)") }
    return model
  }
}
