import ArgumentParser
import TimeCheck
import Validation

/// What Tactus listens to, kept for the next runs.
struct ListeningOptions: ParsableArguments {
  @Option(
    defaultAsFlag: ListenOption.mic,
    help: ArgumentHelp(
      "Listen to you through the port listen: mic (alone: the same), trigger, or off. Up to 8 names are ports of their own, as snare:trigger,overhead:mic. Kept until another is given.",
      valueName: "inputs"))
  var listen: ListenOption?
  @Flag(inversion: .prefixedNo, help: "Listen to an e-drum through the MIDI port hits. Kept, too.")
  var hits: Bool?

  /// The saved setup with these options in place of it.
  func setup(over saved: ListeningSetup) -> ListeningSetup {
    ListeningSetup(inputs: listen?.inputs ?? saved.inputs, hasNotes: hits ?? saved.hasNotes)
  }
}

/// The value of `--listen`.
struct ListenOption: ExpressibleByArgument, CustomStringConvertible {
  let inputs: [ListeningSetup.Input]

  static let mic = ListenOption(inputs: ListeningSetup.standard)

  init(inputs: [ListeningSetup.Input]) { self.inputs = inputs }

  init?(argument: String) {
    guard let inputs = try? ListeningSetup.inputs(text: argument) else { return nil }
    self.inputs = inputs
  }

  var description: String { ListeningSetup(inputs: inputs).text }
  var defaultValueDescription: String { description }
}
