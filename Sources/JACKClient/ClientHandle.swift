import CJack
import Engine
import Glibc

/// One JACK client with its ports, from opening to closing.
///
/// One thread at a time uses it, which `JACKHost` ensures.
final class ClientHandle {
  let client: OpaquePointer
  private let jack: JACKLibrary
  private let notifications: NotificationThread
  let name: String
  let sampleRate: Int
  /// The client's ports by short name.
  private(set) var ports: [String: OpaquePointer] = [:]

  /// The names of the time check's audio inputs, in the capture's order.
  private(set) var listening: [String] = []

  private static let audioPorts = ["out", "accent", "beat", "subdivision", "cue"]
  private static let pulsePorts = ["pulse", "run", "reset"]
  private static let timecodePorts = (midi: "timecode", audio: "ltc")
  private static func layerPorts(_ count: Int) -> [String] { (0..<count).map { "layer-\($0 + 1)" } }
  /// Ports for controllers and for a MIDI clock source.
  private static let midiInputs = ["control", "clock-in"]
  private static let midiOutputs = ["clock", "notes", "feedback"]
  /// `JACK_METADATA_PRETTY_NAME`, which Swift imports as a variable.
  private static let prettyName = "http://jackaudio.org/metadata/pretty-name"
  private static let prettyNames = [
    "out": "Click", "accent": "Accents", "beat": "Beats", "subdivision": "Subdivisions", "cue": "Cues",
    "listen": "Listen", "hits": "Drum Hits", "control": "Controllers", "clock-in": "MIDI Clock In",
    "clock": "MIDI Clock", "notes": "Click as Notes", "feedback": "Controller Feedback", "pulse": "Pulses",
    "run": "Run", "reset": "Reset", "timecode": "MIDI Timecode", "ltc": "Linear Timecode",
  ]

  /// Opens a client without ports.
  /// - Throws: `JACKError` if the server's name is too long, or the server does not run or refuses the client.
  init(name: String, server: String?, _ jack: JACKLibrary = .system) throws(JACKError) {
    self.jack = jack
    (client, notifications) = try ClientHandle.open(name, server, jack)
    self.name = String(cString: jack.clientName(client)!)
    sampleRate = Int(jack.sampleRate(client))
  }

  /// Registers the client's ports.
  /// - Parameters:
  ///   - layers: the number of layers with ports, 0…8.
  ///   - pulses: whether to register the ports `pulse`, `run` and `reset`.
  ///   - timecode: whether to register the ports `timecode` and `ltc`.
  ///   - listening: the names of the time check's audio inputs.
  ///   - hits: whether to register the port `hits`, for the notes of an e-drum.
  /// - Throws: `JACKError.refused` if the server refuses a port.
  func registerPorts(
    layers: Int, pulses: Bool, timecode: Bool, listening: [String], hits: Bool
  ) throws(JACKError) {
    var audioPorts = ClientHandle.audioPorts + ClientHandle.layerPorts(layers)
    if pulses { audioPorts += ClientHandle.pulsePorts }
    if timecode { audioPorts.append(ClientHandle.timecodePorts.audio) }
    try register(audioPorts, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput)
    try register(ClientHandle.midiInputs, JACK_DEFAULT_MIDI_TYPE, JackPortIsInput)
    try register(ClientHandle.midiOutputs, JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput)
    if timecode {
      try register([ClientHandle.timecodePorts.midi], JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput)
    }
    try register(listening, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput)
    if hits { try register(["hits"], JACK_DEFAULT_MIDI_TYPE, JackPortIsInput) }
    self.listening = listening
  }

  private func register(_ names: [String], _ type: String, _ direction: JackPortFlags) throws(JACKError) {
    for name in names {
      guard let port = jack.registerPort(client, name, type, UInt(direction.rawValue), 0) else {
        throw .refused("no port '\(name)' can be registered")
      }
      ports[name] = port
    }
  }

  /// Opens a client without ports to query the server. The caller closes it.
  /// - Throws: `JACKError` if the server does not run or refuses the client.
  static func openProbe(_ server: String?) throws(JACKError) -> OpaquePointer {
    try open("tactus-probe", server, .system).client
  }

  /// In bytes: `JACK_SERVER_NAME_SIZE` without the NUL. libjack builds paths from names and crashes with very long ones.
  private static let serverNameLimit = 255

  private static func open(
    _ name: String, _ server: String?, _ jack: JACKLibrary
  ) throws(JACKError) -> (client: OpaquePointer, notifications: NotificationThread) {
    let length = server?.utf8.count ?? JACKHost.defaultServerName.utf8.count
    guard length <= serverNameLimit else { throw .longName(length, limit: serverNameLimit) }
    var status = JackStatus(0)
    let (client, notifications) = NotificationThread.found(jack) {
      jack.openClient(name, JackNoStartServer, &status, server)
    }
    guard let client else {
      let isDown = status.rawValue & (JackServerFailed.rawValue | JackServerError.rawValue) != 0
      throw isDown ? .noServer(name: server) : .refused("status \(String(status.rawValue, radix: 16))")
    }
    return (client, notifications)
  }

  var contextPorts: ProcessContext.Ports {
    var context = ProcessContext.Ports(
      out: ports["out"], accent: ports["accent"], beat: ports["beat"], subdivision: ports["subdivision"],
      cue: ports["cue"], control: ports["control"], clockIn: ports["clock-in"], clock: ports["clock"],
      notes: ports["notes"], feedback: ports["feedback"])
    while context.layerCount < 8, let port = ports["layer-\(context.layerCount + 1)"] {
      context.layers[context.layerCount] = port
      context.layerCount += 1
    }
    for (index, port) in listening.enumerated() { context.listen[index] = ports[port] }
    context.hits = ports["hits"]
    if let pulse = ports["pulse"], let run = ports["run"], let reset = ports["reset"] {
      context.pulses = ProcessContext.PulsePorts(pulse: pulse, run: run, reset: reset)
    }
    if let midi = ports[ClientHandle.timecodePorts.midi], let audio = ports[ClientHandle.timecodePorts.audio]
    {
      context.timecode = ProcessContext.TimecodePorts(midi: midi, audio: audio)
    }
    return context
  }

  /// - Throws: `JACKError.refused` if the server does not activate the client.
  func activate() throws(JACKError) {
    guard jack.activate(client) == 0 else { throw .refused("the client can't be activated") }
  }

  /// Sets the ports' pretty names. The server stores each in a database, which takes longer than connecting a port.
  func namePorts() {
    for (port, handle) in ports {
      _ = jack.setProperty(
        client, jack.uuid(handle), ClientHandle.prettyName,
        ClientHandle.prettyNames[port] ?? port.replacing("layer-", with: "Layer "), "text/plain")
    }
  }

  /// Closes the client. Must not be called from one of JACK's threads.
  /// - Parameter isServerGone: whether the server has shut the client down. Properties of its ports are then left alone: their
  ///   database may be locked for ever.
  func close(isServerGone: () -> Bool = { false }) {
    if !isServerGone() { for handle in ports.values { _ = jack.removeProperties(client, jack.uuid(handle)) } }
    // It makes the server send notifications, most of them the last ones.
    _ = jack.deactivate(client)
    notifications.settle(isServerGone: isServerGone)
    _ = jack.closeClient(client)
  }

  // MARK: Connections

  /// The first two physical outputs, usually the headphones.
  var physicalOutputs: [String] {
    Array(inputPorts(UInt(JackPortIsInput.rawValue | JackPortIsPhysical.rawValue)).prefix(2))
  }

  /// The names of all audio ports with all of these flags.
  func inputPorts(_ flags: UInt) -> [String] {
    guard let list = jack.ports(client, nil, JACK_DEFAULT_AUDIO_TYPE, flags) else { return [] }
    defer { jack.free(list) }
    return names(list)
  }

  /// Connects two ports.
  /// - Returns: whether they are connected, also if they were before.
  func connect(_ port: String, to target: String) -> Bool {
    guard let handle = ports[port] else { return false }
    let (own, isInput) = (
      "\(name):\(port)", jack.flags(handle) & Int32(JackPortIsInput.rawValue) != 0
    )
    let code = jack.connect(client, isInput ? target : own, isInput ? own : target)
    // Reading connections after a change waits for the next cycle, so they are read only in case of doubt.
    return code == 0 || code == EEXIST || jack.isConnected(handle, target) != 0
  }

  /// Whether a port with this name exists.
  func exists(_ name: String) -> Bool { jack.port(client, name) != nil }

  /// Whether a port with this name exists and one of the client's ports can be connected to it.
  func canConnect(_ port: String, to target: String) -> Bool {
    guard let handle = ports[port], let peer = jack.port(client, target) else { return false }
    let inputs = Int32(JackPortIsInput.rawValue)
    return jack.flags(handle) & inputs != jack.flags(peer) & inputs
      && strcmp(jack.type(handle)!, jack.type(peer)!) == 0
  }

  /// The ports to which one of the client's ports can be connected, by their saved names.
  func candidates(_ port: String) -> [String] {
    guard let handle = ports[port] else { return [] }
    let isInput = jack.flags(handle) & Int32(JackPortIsInput.rawValue) != 0
    let flags = UInt((isInput ? JackPortIsOutput : JackPortIsInput).rawValue)
    guard let list = jack.ports(client, nil, jack.type(handle), flags) else { return [] }
    defer { jack.free(list) }
    return names(list).map(keptName)
  }

  /// The names of each port's peers, by the port's short name.
  var connections: [String: [String]] {
    ports.mapValues { handle in
      guard let list = jack.connections(client, handle) else { return [] }
      defer { jack.free(list) }
      return names(list)
    }
  }

  /// The saved names of each port's peers, by the port's short name.
  var keptConnections: [String: [String]] { connections.mapValues { $0.map(keptName) } }

  /// The saved names of those ports that still exist.
  func keptNames(_ ids: [jack_port_id_t]) -> Set<String> {
    Set(ids.compactMap { jack.portOfID(client, $0) }.map { keptName(String(cString: jack.name($0)!)) })
  }

  /// The name under which a peer is saved. The server numbers MIDI devices in the order of their appearance
  /// (`system:midi_capture_1`), but gives each an alias with the device's own name, which is stable and can be connected.
  private func keptName(_ name: String) -> String {
    guard let port = jack.port(client, name),
      jack.flags(port) & Int32(JackPortIsPhysical.rawValue) != 0,
      strcmp(jack.type(port)!, JACK_DEFAULT_MIDI_TYPE) == 0
    else { return name }
    let size = Int(jack.nameSize())
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: 2 * size)
    defer { memory.deallocate() }
    memory.initialize(repeating: 0, count: 2 * size)
    let aliases: [UnsafeMutablePointer<CChar>?] = [memory, memory + size]
    return jack.aliases(port, aliases) > 0 ? String(cString: memory) : name
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

  /// Frames from the engine to the speakers on the longest connected path; and by how many frames each audio port's path is
  /// shorter, in the order of `PortDelays`.
  var playbackPaths: (longest: Int, delays: [Int]) {
    let audio =
      ClientHandle.audioPorts + ClientHandle.layerPorts(PortDelays.count - ClientHandle.audioPorts.count)
    let others = ClientHandle.midiOutputs + ["pulse", "run", "reset", "timecode", "ltc"]
    let ways = (audio + others).map { isConnected($0) ? playbackLatency(of: $0) : nil }
    let longest = ways.compactMap { $0 }.max() ?? 0
    return (longest, ways.prefix(audio.count).map { $0.map { longest - $0 } ?? 0 })
  }

  /// Whether one of the client's ports has any connection.
  func isConnected(_ port: String) -> Bool {
    ports[port].map { jack.connectionCount($0) > 0 } ?? false
  }

  /// Frames from an output port to the instant at which a sample or message is heard or played, at most ten seconds; 0 without
  /// the port or a connection.
  func playbackLatency(of port: String) -> Int {
    guard let port = ports[port] else { return 0 }
    var range = jack_latency_range_t()
    jack.latency(port, JackPlaybackLatency, &range)
    return bounded(range)
  }

  /// Limits a latency: other clients may publish any value, and a loop of connections adds up.
  private func bounded(_ range: jack_latency_range_t) -> Int {
    Int(min(range.max, 10 * jack.sampleRate(client)))
  }

  /// Frames from a message's origin to its arrival at the `clock-in` port.
  var clockLatency: Int { captureLatency(of: "clock-in") }

  /// Frames from the instrument to an input port, at most ten seconds; 0 without the port or a connection.
  func captureLatency(of port: String) -> Int {
    guard let port = ports[port] else { return 0 }
    var range = jack_latency_range_t()
    jack.latency(port, JackCaptureLatency, &range)
    return bounded(range)
  }

  var period: Int { Int(jack.bufferSize(client)) }
}
