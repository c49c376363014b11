import ArgumentParser
import TimeCheck
import Validation

/// What Tactus listens to, kept for the next runs.
struct ListeningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Listen to you through the port listen: mic, trigger, record (recorded and not judged), or off. Up to 8 names are ports of their own, as snare:trigger,overhead:mic. Kept until another is given.",
      valueName: "inputs"), transform: { try ListeningSetup.inputs(text: $0) })
  var listen: [ListeningSetup.Input]?
  @Flag(inversion: .prefixedNo, help: "Listen to an e-drum through the MIDI port hits. Kept, too.")
  var hits: Bool?
  @Flag(
    help: "Keep no take of this run in the practice log. --set listen/log=0 says so for the next runs too.")
  var noLog = false

  @Option(
    help: ArgumentHelp(
      "Record what you hear and what you play, while the music plays, as FLAC files in this folder: the click and each input of --listen on a channel of its own.",
      valueName: "folder"), completion: .directory)
  var record: String?

  func validate() throws {
    if let record, record.isEmpty { throw ValidationError("--record: must be a folder") }
  }

  /// The saved setup with these options in place of it.
  func setup(over saved: ListeningSetup) -> ListeningSetup {
    ListeningSetup(inputs: listen ?? saved.inputs, hasNotes: hits ?? saved.hasNotes)
  }
}
