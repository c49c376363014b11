import CJack
import Engine
import Synchronization

/// The supervisor's operations on the host: opens and closes its client, and reads changes.
///
/// - Thread: supervisor
extension JACKHost {
  /// Opens a client and makes it the active one, without any connections.
  /// - Throws: `JACKError` if there is no server, it refuses the client, or a configured port does not exist.
  func open(isFirst: Bool = false) throws(JACKError) -> ClientHandle {
    let handle: ClientHandle
    if isFirst, let opened = first?.take() {
      handle = opened
    } else {
      handle = try ClientHandle(name: configuration.name, server: configuration.server, jack)
    }
    do throws(JACKError) {
      signals.hasShutDown.store(false, ordering: .releasing)
      signals.listen(to: handle.client, jack)
      try handle.registerPorts(
        layers: configuration.layerPorts, pulses: configuration.hasPulsePorts,
        timecode: configuration.hasTimecodePorts, listening: configuration.listening,
        hits: configuration.hasHits)
      for target in configuration.connect where isFirst && !handle.canConnect("out", to: target) {
        throw .noSuchPort(target)
      }
      context.pointee.client = handle.client
      context.pointee.ports = handle.contextPorts
      context.pointee.beginClient()
      clock.pointee.sampleRate.store(handle.sampleRate, ordering: .relaxed)
      mayBeCalled.store(true, ordering: .releasing)
      guard jack.onProcess(handle.client, processCallback, context) == 0 else {
        throw .refused("the process callback can't be set")
      }
      try handle.activate()
    } catch {
      handle.close { signals.hasShutDown.load(ordering: .acquiring) }
      mayBeCalled.store(false, ordering: .releasing)
      throw error
    }
    active.withLock { $0 = ActiveClient(handle: handle) }
    clientClock.withLock {
      $0 = ClientClock(
        client: handle.client, jack: jack, name: handle.name, sampleRate: handle.sampleRate, shared: clock)
    }
    readLatency(handle)
    return handle
  }

  /// The connections to make for the first client.
  func firstConnections(_ handle: ClientHandle) -> KeptConnections {
    guard configuration.connectsItself else { return KeptConnections() }
    var names = configuration.leavesConnectionsAlone ? [:] : configuration.connections
    if !configuration.connect.isEmpty { names["out"] = configuration.connect }
    let isChosen = names["out"] != nil || configuration.leavesConnectionsAlone
    return KeptConnections(names, automatic: isChosen ? nil : handle.physicalOutputs)
  }

  /// Reports which ports are connected, and which connections to save.
  func report(_ connections: PortConnections) {
    var connections = connections
    if !configuration.connectsItself || configuration.leavesConnectionsAlone {
      // The saved connections stay: this run makes none, or a session manager makes them.
      connections.kept = configuration.connections
    } else if !configuration.connect.isEmpty {
      // `--connect` applies to this run only, so its connections are not saved.
      connections.kept["out"] = configuration.connections["out"]
    }
    onConnections(connections)
  }

  /// The server has changed its sample rate (PipeWire can).
  func changeSampleRate(to rate: Int) {
    clock.pointee.sampleRate.store(rate, ordering: .relaxed)
    clientClock.withLock { $0?.sampleRate = rate }
    onNews(.connected(sampleRate: rate))
  }

  func readLatency(_ handle: ClientHandle) {
    let paths = handle.playbackPaths
    let latency = paths.longest
    clock.pointee.hold(paths.delays)
    clock.pointee.sentClockLatency.store(handle.playbackLatency(of: "clock"), ordering: .relaxed)
    clock.pointee.notesLatency.store(handle.playbackLatency(of: "notes"), ordering: .relaxed)
    clock.pointee.pulseLatency.store(handle.playbackLatency(of: "pulse"), ordering: .relaxed)
    clock.pointee.timecodeLatency.store(handle.playbackLatency(of: "timecode"), ordering: .relaxed)
    clock.pointee.ltcLatency.store(handle.playbackLatency(of: "ltc"), ordering: .relaxed)
    if let capture = configuration.capture {
      for (input, port) in configuration.listening.enumerated() {
        let frames = handle.captureLatency(of: port)
        capture.pointee.setLatency(of: input, frames)
        configuration.recording?.pointee.setLatency(of: input, frames)
      }
      configuration.recording?.pointee.setLatency(of: configuration.listening.count, latency)
      capture.pointee.setLatency(of: nil, handle.captureLatency(of: "hits"))
    }
    clientClock.withLock { $0?.latency = latency }
    clock.pointee.latency.store(latency, ordering: .relaxed)
    clock.pointee.clockLatency.store(handle.clockLatency + latency, ordering: .relaxed)
  }

  /// The server runs but does not answer.
  func noteStall() { hasStalled.store(true, ordering: .releasing) }

  /// The server answers again.
  func noteAnswer() { hasStalled.store(false, ordering: .releasing) }

  /// The client is lost: its clock is not read any more.
  func noteLoss(_ reason: String) {
    clientClock.withLock { $0 = nil }
    onNews(.lost(reason))
  }

  /// The number of graph changes whose connections have been reported.
  func noteRead(graphChanges: Int) { readGraphChanges.store(graphChanges, ordering: .releasing) }

  /// Closes the client after all threads have stopped using it.
  func closeActive() {
    clientClock.withLock { $0 = nil }
    let handle = active.withLock { $0.take()?.handle }
    guard let handle else { return }
    handle.close { signals.hasShutDown.load(ordering: .acquiring) }
    context.pointee.client = nil
    mayBeCalled.store(false, ordering: .releasing)
  }
}
