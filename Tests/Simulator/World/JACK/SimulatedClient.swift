import CJack
import Glibc

/// The program's client of the simulated server: its ports and its callbacks. libjack's functions identify it by its address.
final class SimulatedClient {
  typealias Argument = UnsafeMutableRawPointer

  let name: String
  unowned let server: SimulatedServer
  /// Whether it takes part in cycles.
  var isActive = false
  /// Whether the server on which it was opened still runs.
  var isOnServer = true
  /// Its own ports.
  private(set) var ports: [SimulatedPort] = []
  /// Ports that the client may still use, including removed ones.
  private var kept: [SimulatedPort] = []
  let cName: UnsafeMutablePointer<CChar>

  private var onProcess: (JackProcessCallback, Argument?)?
  private var onSync: (JackSyncCallback, Argument?)?
  private var onTimebase: (JackTimebaseCallback, Argument?)?
  var onShutdown: (JackInfoShutdownCallback, Argument?)?
  var onXrun: (JackXRunCallback, Argument?)?
  var onConnection: (JackPortConnectCallback, Argument?)?
  var onRegistration: (JackPortRegistrationCallback, Argument?)?
  var onLatency: (JackLatencyCallback, Argument?)?
  var onRate: (JackSampleRateCallback, Argument?)?

  init(name: String, on server: SimulatedServer) {
    (self.name, self.server) = (name, server)
    cName = strdup(name)
  }

  deinit { Glibc.free(cName) }

  var pointer: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

  /// Keeps a port's memory while the client is open.
  func keep(_ port: SimulatedPort) {
    if port.name.hasPrefix("\(name):"), !ports.contains(where: { $0 === port }) { ports.append(port) }
    kept.append(port)
  }

  /// The client's port with a short name.
  func port(_ short: String) -> SimulatedPort? { ports.first { $0.name == "\(name):\(short)" } }

  /// Fills the MIDI inputs with their peers' messages of this cycle.
  func gatherMIDI() {
    for input in ports where !input.isAudio && input.isInput {
      input.clear()
      let messages = input.peers.flatMap { peer in
        peer.messages.indices.map { (peer.messages[$0], peer.message($0)) }
      }
      for (entry, bytes) in messages.sorted(by: { $0.0.frame < $1.0.frame }) {
        input.reserve(entry.frame, entry.size)?.update(from: bytes, count: entry.size)
      }
    }
  }

  // MARK: Callbacks

  func set(process: JackProcessCallback?, _ argument: Argument?) {
    onProcess = process.map { ($0, argument) }
  }
  func set(sync: JackSyncCallback?, _ argument: Argument?) { onSync = sync.map { ($0, argument) } }
  func set(timebase: JackTimebaseCallback?, _ argument: Argument?) {
    onTimebase = timebase.map { ($0, argument) }
  }

  /// Whether the transport may roll; nil if the client has no sync callback.
  func sync(_ state: jack_transport_state_t, _ position: inout jack_position_t) -> Bool? {
    onSync.map { $0.0(state, &position, $0.1) != 0 }
  }

  /// Runs a cycle: MIDI outputs are empty until the client fills them.
  func process(_ frames: UInt32) {
    guard isActive, let (callback, argument) = onProcess else { return }
    _ = callback(frames, argument)
  }

  func timebase(
    _ state: jack_transport_state_t, _ frames: UInt32, _ position: inout jack_position_t, _ isNew: Int32
  ) {
    guard let (callback, argument) = onTimebase else { return }
    callback(state, frames, &position, isNew, argument)
  }

  func receiveXrun() { if let (callback, argument) = onXrun { _ = callback(argument) } }
  func receiveShutdown() {
    if let (callback, argument) = onShutdown { callback(JackServerFailed, "", argument) }
  }
  func receiveLatency() {
    if let (callback, argument) = onLatency { callback(JackPlaybackLatency, argument) }
  }
  func receiveRate(_ rate: UInt32) { if let (callback, argument) = onRate { _ = callback(rate, argument) } }
  func receiveConnection(_ a: UInt32, _ b: UInt32, _ isConnected: Bool) {
    if let (callback, argument) = onConnection { callback(a, b, isConnected ? 1 : 0, argument) }
  }
  func receiveRegistration(_ port: UInt32, _ isThere: Bool) {
    if let (callback, argument) = onRegistration { callback(port, isThere ? 1 : 0, argument) }
  }
}
