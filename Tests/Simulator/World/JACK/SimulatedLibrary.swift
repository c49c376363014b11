import CJack
import Glibc
import JACKClient

/// libjack's functions on a `SimulatedServer`.
///
/// A call that would wait for a server that hangs returns at once, and sets `SimulatedServer.holdsProgram`.
enum SimulatedLibrary {
  static func make(isPipeWire: Bool) -> JACKLibrary {
    var library = JACKLibrary()
    library.version =
      isPipeWire ? { text(of: pipeWireVersion) } : { text(of: version) }
    addClients(&library)
    addNotifications(&library)
    addPorts(&library)
    addConnections(&library)
    addTransport(&library)
    addBuffers(&library)
    return library
  }

  private static func addClients(_ library: inout JACKLibrary) {
    library.openClient = { name, _, status, server in
      guard let client = SimulatedServer.find(text(server))?.open(text(name)) else {
        status?.pointee = JackServerFailed
        return nil
      }
      return client.pointer
    }
    library.setThreadCreator = { _ in }
    library.closeClient = { pointer in
      let client = client(pointer)
      client.server.close(client)
      return 0
    }
    library.clientName = { client($0).cName }
    library.activate = { pointer in
      let client = client(pointer)
      guard client.isOnServer else { return -1 }
      client.server.activate(client)
      return 0
    }
    // Closing does the same.
    library.deactivate = { _ in 0 }
    library.sampleRate = { UInt32(client($0).server.rate) }
    library.bufferSize = { UInt32(client($0).server.period) }
    library.load = { _ in 0 }
    library.free = { Glibc.free($0) }
  }

  private static func addNotifications(_ library: inout JACKLibrary) {
    library.onShutdown = { _, _, _ in }
    library.onInfoShutdown = { client($0).onShutdown = ($1!, $2) }
    library.onXrun = {
      client($0).onXrun = ($1!, $2)
      return 0
    }
    library.onConnection = {
      client($0).onConnection = ($1!, $2)
      return 0
    }
    library.onRegistration = {
      client($0).onRegistration = ($1!, $2)
      return 0
    }
    library.onLatency = {
      client($0).onLatency = ($1!, $2)
      return 0
    }
    library.onSampleRate = {
      client($0).onRate = ($1!, $2)
      return 0
    }
    library.onProcess = {
      client($0).set(process: $1, $2)
      return 0
    }
  }

  private static func addPorts(_ library: inout JACKLibrary) {
    library.registerPort = { pointer, name, type, flags, _ in
      let client = client(pointer)
      guard client.isOnServer else { return nil }
      let kind = SimulatedPort.Kind(
        name: "\(client.name):\(text(name))", isAudio: text(type) == JACK_DEFAULT_AUDIO_TYPE,
        isInput: flags & UInt(JackPortIsInput.rawValue) != 0)
      return client.server.register(kind)?.pointer
    }
    library.port = { client($0).server.graph.port(named: text($1))?.pointer }
    library.portOfID = { client($0).server.graph.ports[$1]?.pointer }
    library.name = { UnsafePointer(port($0).cName) }
    library.nameSize = { 320 }
    library.flags = { Int32(port($0).flags) }
    library.type = { UnsafePointer(port($0).cType) }
    library.uuid = { UInt64(port($0).id) }
    library.aliases = { pointer, memory in
      guard let alias = port(pointer).alias else { return 0 }
      strcpy(memory![0]!, alias)
      return 1
    }
    library.latency = { pointer, _, range in
      let latency = port(pointer).latencyOfPeers
      range?.pointee = jack_latency_range_t(min: latency, max: latency)
    }
    library.setProperty = { _, _, _, _, _ in 0 }
    library.removeProperties = { _, _ in 0 }
  }

  private static func addConnections(_ library: inout JACKLibrary) {
    library.ports = { pointer, _, type, flags in
      let client = client(pointer)
      let isAudio = text(type) == JACK_DEFAULT_AUDIO_TYPE
      return list(client.server.graph.sorted.filter { $0.isAudio == isAudio && $0.flags & flags == flags })
    }
    library.connect = { client($0).server.connectForProgram(text($1), text($2)) }
    library.disconnect = { pointer, own in
      client(pointer).server.disconnectAll(port(own))
      return 0
    }
    library.isConnected = { own, peer in
      port(own).peers.contains { [name = text(peer)] in $0.name == name || $0.alias == name } ? 1 : 0
    }
    library.connectionCount = { Int32(port($0).peers.count) }
    library.connections = { list(port($1).peers) }
  }

  private static func addTransport(_ library: inout JACKLibrary) {
    library.onSync = { pointer, callback, argument in
      let client = client(pointer)
      client.set(sync: callback, argument)
      client.server.noteSlowClient()
      return 0
    }
    library.onTimebase = { pointer, isConditional, callback, argument in
      let client = client(pointer)
      let code = client.server.lead(conditional: isConditional != 0)
      if code == 0 { client.set(timebase: callback, argument) }
      return code
    }
    library.releaseTimebase = {
      client($0).server.releaseTimebase()
      return 0
    }
    library.startTransport = { client($0).server.roll(true) }
    library.stopTransport = { client($0).server.roll(false) }
    library.locateTransport = {
      client($0).server.locate($1)
      return 0
    }
    library.queryTransport = { pointer, position in
      let server = client(pointer).server
      position?.pointee = server.transport.position
      return server.transport.state
    }
    library.setSyncTimeout = {
      client($0).server.transport.syncTimeout = $1
      return 0
    }
  }

  private static func addBuffers(_ library: inout JACKLibrary) {
    // Only the difference to Link's clock counts, and both clocks are the same here.
    library.time = { 0 }
    library.frameTime = { client($0).server.frameTime }
    library.cycleTimes = { pointer, frame, start, next, period in
      let server = client(pointer).server
      frame?.pointee = server.cycleStart.frame
      start?.pointee = server.cycleStart.time / 1_000
      next?.pointee = (server.cycleStart.time + server.periodTime) / 1_000
      period?.pointee = Float(server.periodTime) / 1_000
      return 0
    }
    library.buffer = { pointer, _ in
      let port = port(pointer)
      return port.isAudio ? UnsafeMutableRawPointer(port.samples) : UnsafeMutableRawPointer(port.pointer)
    }
    library.midiCount = { UInt32(port(ofBuffer: $0).messages.count) }
    library.midiEvent = { event, buffer, index in
      let port = port(ofBuffer: buffer)
      guard index < port.messages.count else { return -1 }
      let (frame, size) = port.messages[Int(index)]
      event?.pointee = jack_midi_event_t(time: frame, size: size, buffer: port.message(Int(index)))
      return 0
    }
    library.clearMIDI = { port(ofBuffer: $0).clear() }
    library.reserveMIDI = { port(ofBuffer: $0).reserve($1, $2) }
  }
}

// C functions have no context, so they can't call methods of a type.

private func client(_ pointer: OpaquePointer?) -> SimulatedClient {
  Unmanaged<SimulatedClient>.fromOpaque(UnsafeRawPointer(pointer!)).takeUnretainedValue()
}

private func port(_ pointer: OpaquePointer?) -> SimulatedPort {
  Unmanaged<SimulatedPort>.fromOpaque(UnsafeRawPointer(pointer!)).takeUnretainedValue()
}

/// The buffer of a MIDI port is the port itself.
private func port(ofBuffer buffer: UnsafeMutableRawPointer?) -> SimulatedPort {
  Unmanaged<SimulatedPort>.fromOpaque(buffer!).takeUnretainedValue()
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String { String(cString: pointer!) }

private func list(_ ports: [SimulatedPort]) -> JACKLibrary.TextList? {
  guard !ports.isEmpty else { return nil }
  let list = JACKLibrary.TextList(
    OpaquePointer(malloc((ports.count + 1) * MemoryLayout<UnsafePointer<CChar>?>.stride)!))
  for (index, port) in ports.enumerated() { (list + index).initialize(to: UnsafePointer(port.cName)) }
  (list + ports.count).initialize(to: nil)
  return list
}

private let version: StaticString = "simulated"
private let pipeWireVersion: StaticString = "simulated PipeWire 1.6"

private func text(of string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}
