/// A fault that is planted into the simulated world, to prove that the simulator finds such faults.
enum Flaw: String, CaseIterable {
  /// Onsets are placed by adding rounded beats: after each 200 beats everything is a frame later.
  case onsetsAccumulate = "onsets-accumulate"
  /// A stop cuts the clips off that sound.
  case stopCutsClips = "stop-cuts-clips"
  /// A volume jumps where it should move.
  case volumeJumps = "volume-jumps"
  /// The swing is not saved.
  case swingIsNotSaved = "swing-is-not-saved"
  /// Subscribers are told a tempo without its thousandths.
  case tellsRoundTempo = "tells-round-tempo"
  /// Each clip set that was read stays in memory.
  case clipsPileUp = "clips-pile-up"
  /// What waits for the disk is never thrown away.
  case savesPileUp = "saves-pile-up"
  /// Nobody tells the program that the server is back.
  case noRecovery = "no-recovery"
  /// One beat in a thousand is not told.
  case beatsAreForgotten = "beats-are-forgotten"
  /// One pulse of the MIDI clock in a thousand is not sent.
  case pulsesAreLost = "pulses-are-lost"
  /// One note in a hundred is not ended.
  case notesHang = "notes-hang"
  /// After the server has gone once, devices are never connected again.
  case devicesStayDisconnected = "devices-stay-disconnected"
  /// Once another client has led, the program never leads again.
  case leadsNoMore = "leads-no-more"
  /// One pulse of a layer in fifty is told three frames late.
  case layerPulsesAreLate = "layer-pulses-are-late"
  /// A layer is told to have one pulse more over its span than it plays.
  case tellsAnotherLayer = "tells-another-layer"
  /// After each measurement of the Link session's time its beats go back for a second, and the program plays some again.
  case linkDoublesBeats = "link-doubles-beats"
}
