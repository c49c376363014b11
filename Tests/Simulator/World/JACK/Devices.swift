/// A device or client that a user adds.
enum Device: String, CaseIterable {
  /// A pad, and a machine that sends a MIDI clock. The ALSA driver numbers their ports in the order of their appearance.
  case pad, machine
  /// A pedal behind a2jmidid, whose port has a new number each time.
  case pedal
  /// A client with a MIDI input, and one with an audio input.
  case synth, recorder

  /// The program's ports to which it can be connected.
  var programPorts: [String] {
    switch self {
    case .pad, .pedal: ["control"]
    case .machine: ["clock-in"]
    case .synth: ["notes", "clock", "feedback"]
    case .recorder: ["out", "accent", "beat", "subdivision", "cue"]
    }
  }

  /// Whether the server's driver provides its port whenever there is a server.
  var isPhysical: Bool { self == .pad || self == .machine }
  /// Whether it sends to the program.
  var isSource: Bool { self != .synth && self != .recorder }

  /// - Parameter number: the port's number, if the driver or a2jmidid numbers ports.
  func port(_ number: Int) -> SimulatedPort.Kind {
    switch self {
    case .pad, .machine:
      SimulatedPort.Kind(
        name: "system:midi_capture_\(number)", isAudio: false, isInput: false, isPhysical: true,
        alias: "alsa_pcm:\(rawValue)/midi_capture_1")
    case .pedal:
      SimulatedPort.Kind(
        name: "a2j:Pedal [\(number)] (capture): Pedal MIDI 1", isAudio: false, isInput: false)
    case .synth: SimulatedPort.Kind(name: "Synth:in", isAudio: false)
    case .recorder: SimulatedPort.Kind(name: "Recorder:in")
    }
  }
}

/// The connected devices, and the present names of their ports.
struct Devices {
  private(set) var ports: [Device: String] = [:]
  /// How often the pedal has appeared.
  private var pedalCount = 0

  func port(_ device: Device) -> String? { ports[device] }

  func device(_ port: String) -> Device? { ports.first { $0.value == port }?.key }

  mutating func plug(_ device: Device) -> SimulatedPort.Kind {
    if device == .pedal { pedalCount += 1 }
    let taken = Set(ports.values)
    let kind =
      device.isPhysical
      ? (1...).lazy.map(device.port).first { !taken.contains($0.name) }! : device.port(19 + pedalCount)
    ports[device] = kind.name
    return kind
  }

  mutating func unplug(_ device: Device) -> String? { ports.removeValue(forKey: device) }

  /// Forgets all ports, because the server has gone.
  mutating func forget() { ports = [:] }
}
