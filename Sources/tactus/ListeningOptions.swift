import ArgumentParser
import TimeCheck
import Validation

/// The options for listening. The inputs are saved for later runs.
struct ListeningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Listen to the player through the port listen: mic, trigger, record (recorded and not judged), or off. Up to 8 names have ports of their own, such as snare:trigger,overhead:mic. Saved for later runs.",
      valueName: "inputs"), transform: { try ListeningSetup.inputs(text: $0) })
  var listen: [ListeningSetup.Input]?
  @Flag(inversion: .prefixedNo, help: "Listen to an e-drum through the MIDI port hits. Saved for later runs.")
  var hits: Bool?
  @Flag(
    help: "Keep no take of this run in the practice log. --set listen/log=0 is saved for later runs.")
  var noLog = false

  @Option(
    help: ArgumentHelp(
      "While the music plays, record the click and each input of --listen, on a channel of its own, as FLAC files in this folder.",
      valueName: "folder"), completion: .directory)
  var record: String?

  func validate() throws {
    if let record, record.isEmpty { throw ValidationError("--record: must be a folder") }
  }

  /// The saved setup, overridden by the given options.
  func setup(over saved: ListeningSetup) -> ListeningSetup {
    ListeningSetup(inputs: listen ?? saved.inputs, hasNotes: hits ?? saved.hasNotes)
  }
}
