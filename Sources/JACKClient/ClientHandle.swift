import CJack
import Engine

/// One JACK client, from opening to closing, with its ports.
///
/// It is used by one thread at a time (see `JACKHost`).
final class ClientHandle {
  let client: OpaquePointer
  let name: String
  let sampleRate: Int
  /// By their short names.
  private(set) var ports: [String: OpaquePointer] = [:]

  private static let audioPorts = ["out", "accent", "beat", "subdivision", "cue"]
  /// Where controllers are connected and a machine that sends a clock, and machines that follow.
  private static let midiInputs = ["control", "clock-in"]
  private static let midiOutputs = ["clock", "notes"]
  /// `JACK_METADATA_PRETTY_NAME`, which Swift takes for a variable.
  private static let prettyName = "http://jackaudio.org/metadata/pretty-name"
  private static let prettyNames = [
    "out": "Click", "accent": "Accents", "beat": "Beats", "subdivision": "Subdivisions", "cue": "Cues",
    "control": "Controllers", "clock-in": "MIDI Clock In", "clock": "MIDI Clock", "notes": "Click as Notes",
  ]

  /// Opens a client and registers its ports; it is not active yet.
  /// - Throws: `JACKError`.
  init(name: String, server: String?) throws(JACKError) {
    client = try ClientHandle.open(name, server)
    self.name = String(cString: jack_get_client_name(client))
    sampleRate = Int(jack_get_sample_rate(client))
    do throws(JACKError) {
      try register(ClientHandle.audioPorts, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput)
      try register(ClientHandle.midiInputs, JACK_DEFAULT_MIDI_TYPE, JackPortIsInput)
      try register(ClientHandle.midiOutputs, JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput)
    } catch {
      jack_client_close(client)
      throw error
    }
  }

  private func register(_ names: [String], _ type: String, _ direction: JackPortFlags) throws(JACKError) {
    for name in names {
      guard let port = jack_port_register(client, name, type, UInt(direction.rawValue), 0) else {
        throw .refused("no port '\(name)' can be registered")
      }
      ports[name] = port
    }
  }

  /// Frames a second of a server, asked by a client without ports.
  static func sampleRate(ofServer server: String?) throws(JACKError) -> Int {
    let client = try open("tactus-probe", server)
    defer { jack_client_close(client) }
    return Int(jack_get_sample_rate(client))
  }

  private static func open(_ name: String, _ server: String?) throws(JACKError) -> OpaquePointer {
    var status = JackStatus(0)
    guard let client = tactus_jack_client_open(name, JackNoStartServer, &status, server) else {
      let isDown = status.rawValue & (JackServerFailed.rawValue | JackServerError.rawValue) != 0
      throw isDown ? .noServer(name: server) : .refused("status \(String(status.rawValue, radix: 16))")
    }
    return client
  }

  var contextPorts: ProcessContext.Ports {
    ProcessContext.Ports(
      out: ports["out"], accent: ports["accent"], beat: ports["beat"], subdivision: ports["subdivision"],
      cue: ports["cue"], control: ports["control"], clockIn: ports["clock-in"], clock: ports["clock"],
      notes: ports["notes"])
  }

  /// - Throws: `JACKError`.
  func activate() throws(JACKError) {
    guard jack_activate(client) == 0 else { throw .refused("the client can't be activated") }
    for (port, handle) in ports {
      _ = jack_set_property(
        client, jack_port_uuid(handle), ClientHandle.prettyName, ClientHandle.prettyNames[port]!, "text/plain"
      )
    }
  }

  /// Ends the client. Not to be called from one of JACK's own threads.
  func close() {
    for handle in ports.values { _ = jack_remove_properties(client, jack_port_uuid(handle)) }
    jack_client_close(client)
  }

  // MARK: Connections

  /// The first two physical outputs: what a headphone is on.
  var physicalOutputs: [String] {
    Array(inputPorts(UInt(JackPortIsInput.rawValue | JackPortIsPhysical.rawValue)).prefix(2))
  }

  /// The audio ports that have all these flags.
  func inputPorts(_ flags: UInt) -> [String] {
    guard let list = jack_get_ports(client, nil, JACK_DEFAULT_AUDIO_TYPE, flags) else { return [] }
    defer { jack_free(list) }
    return names(list)
  }

  /// Whether a connection stands after the call. JACK says EEXIST (PipeWire: a positive number) where it stood before.
  func connect(_ port: String, to target: String) -> Bool {
    guard let handle = ports[port] else { return false }
    if jack_port_connected_to(handle, target) != 0 { return true }
    let (own, isInput) = ("\(name):\(port)", ClientHandle.midiInputs.contains(port))
    return jack_connect(client, isInput ? target : own, isInput ? own : target) == 0
  }

  /// Whether there is an audio input of that name.
  func hasInput(_ target: String) -> Bool {
    guard let port = jack_port_by_name(client, target) else { return false }
    return jack_port_flags(port) & Int32(JackPortIsInput.rawValue) != 0
      && String(cString: jack_port_type(port)) == JACK_DEFAULT_AUDIO_TYPE
  }

  /// What each port is connected to.
  var connections: [String: [String]] {
    ports.mapValues { handle in
      guard let list = jack_port_get_all_connections(client, handle) else { return [] }
      defer { jack_free(list) }
      return names(list)
    }
  }

  private func names(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>) -> [String] {
    var names: [String] = []
    var next = list
    while let name = next.pointee {
      names.append(String(cString: name))
      next += 1
    }
    return names
  }

  /// Frames from a sample in the `out` port to the speakers.
  var playbackLatency: Int {
    var range = jack_latency_range_t()
    jack_port_get_latency_range(ports["out"], JackPlaybackLatency, &range)
    return Int(range.max)
  }

  /// Frames from a message's start to its arrival at the `clock-in` port.
  var clockLatency: Int {
    var range = jack_latency_range_t()
    jack_port_get_latency_range(ports["clock-in"], JackCaptureLatency, &range)
    return Int(range.max)
  }

  var period: Int { Int(jack_get_buffer_size(client)) }
}
