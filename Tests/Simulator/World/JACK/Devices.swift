/// Devices and clients beside the program, with their ports.
enum Devices {
  /// A pad with a pedal, which ALSA's driver shows.
  static let pedal = "system:midi_capture_1"
  /// A machine that sends a MIDI clock.
  static let machine = "system:midi_capture_2"

  static let ports: [SimulatedPort.Kind] = [
    SimulatedPort.Kind(
      name: pedal, isAudio: false, isInput: false, isPhysical: true, alias: "alsa_pcm:Pad/midi_capture_1"),
    SimulatedPort.Kind(
      name: machine, isAudio: false, isInput: false, isPhysical: true,
      alias: "alsa_pcm:Machine/midi_capture_1"),
  ]
}
