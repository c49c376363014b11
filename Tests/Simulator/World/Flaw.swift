/// A fault that is planted in the simulated world, to prove that the simulator finds it.
enum Flaw: String, CaseIterable {
  /// Onsets are placed by adding rounded beats: each 200 beats shift the following ones by a frame.
  case onsetsAccumulate = "onsets-accumulate"
  /// A stop cuts off sounding clips.
  case stopCutsClips = "stop-cuts-clips"
  /// A volume jumps instead of moving smoothly.
  case volumeJumps = "volume-jumps"
  /// The swing is not saved.
  case swingIsNotSaved = "swing-is-not-saved"
  /// Subscribers receive a tempo without its thousandths.
  case reportsRoundTempo = "reports-round-tempo"
  /// Each clip set stays in memory after it has been read.
  case clipsPileUp = "clips-pile-up"
  /// Work that waits for the disk is never dropped.
  case savesPileUp = "saves-pile-up"
  /// The program is not notified that the server is back.
  case noRecovery = "no-recovery"
  /// One beat in a thousand is not reported.
  case beatsAreForgotten = "beats-are-forgotten"
  /// One pulse of the MIDI clock in a thousand is not sent.
  case pulsesAreLost = "pulses-are-lost"
  /// Machines that are placed get a song position one sixteenth too far.
  case placesAreWrong = "places-are-wrong"
  /// One note in a hundred does not end.
  case notesHang = "notes-hang"
  /// After the server has gone once, devices are never reconnected.
  case devicesStayDisconnected = "devices-stay-disconnected"
  /// After another client has led once, the program never leads again.
  case leadsNoMore = "leads-no-more"
  /// One pulse of a layer in fifty is reported three frames late.
  case layerPulsesAreLate = "layer-pulses-are-late"
  /// A layer is reported with one pulse more over its span than it plays.
  case reportsAnotherLayer = "reports-another-layer"
  /// The transport does not wait for the program.
  case transportDoesNotWait = "transport-does-not-wait"
  /// After each measurement of the Link session's time, its beats go back for a second, and the program plays some twice.
  case linkDoublesBeats = "link-doubles-beats"
}
