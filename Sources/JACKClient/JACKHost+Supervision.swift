import CJack
import Engine
import Synchronization

/// The supervisor thread: opens clients, detects that they are lost, and replaces them.
extension JACKHost {
  /// Opens a client and makes it the active one, without any connections.
  func open(isFirst: Bool = false) throws(JACKError) -> ClientHandle {
    let handle: ClientHandle
    if isFirst, let opened = first?.take() {
      handle = opened
    } else {
      handle = try ClientHandle(name: configuration.name, server: configuration.server)
    }
    do throws(JACKError) {
      try handle.registerPorts(
        layers: configuration.layerPorts, pulses: configuration.hasPulsePorts,
        timecode: configuration.hasTimecodePorts, listening: configuration.listening,
        hits: configuration.hasHits)
      for target in configuration.connect where isFirst && !handle.canConnect("out", to: target) {
        throw .noSuchPort(target)
      }
      signals.hasShutDown.store(false, ordering: .releasing)
      signals.listen(to: handle.client)
      context.pointee.client = handle.client
      context.pointee.ports = handle.contextPorts
      context.pointee.resetFrameTime()
      clock.pointee.sampleRate.store(handle.sampleRate, ordering: .relaxed)
      jack_set_process_callback(handle.client, processCallback, context)
      try handle.activate()
    } catch {
      handle.close()
      throw error
    }
    active.withLock { $0 = ActiveClient(handle: handle) }
    clientClock.withLock {
      $0 = ClientClock(client: handle.client, name: handle.name, sampleRate: handle.sampleRate, shared: clock)
    }
    readLatency(handle)
    return handle
  }

  /// The connections of the first client.
  func firstConnections(_ handle: ClientHandle) -> KeptConnections {
    guard configuration.connectsItself else { return KeptConnections() }
    var names = configuration.leavesConnectionsAlone ? [:] : configuration.connections
    if !configuration.connect.isEmpty { names["out"] = configuration.connect }
    let isChosen = names["out"] != nil || configuration.leavesConnectionsAlone
    return KeptConnections(names, automatic: isChosen ? nil : handle.physicalOutputs)
  }

  /// Reports which ports are connected, and the connections to save.
  private func report(_ connections: PortConnections) {
    var connections = connections
    if !configuration.connectsItself || configuration.leavesConnectionsAlone {
      // What was saved stays: this run makes no connections, or a session manager makes them.
      connections.kept = configuration.connections
    } else if !configuration.connect.isEmpty {
      // `--connect` applies to this run only, so don't save its connections.
      connections.kept["out"] = configuration.connections["out"]
    }
    onConnections(connections)
  }

  /// Runs until the host stops.
  func supervise(_ watch: inout GraphWatch) {
    while !isStopping.load(ordering: .acquiring) {
      signals.wakeup.wait(milliseconds: watch.wait)
      if isStopping.load(ordering: .acquiring) { break }
      let rate = signals.sampleRate.exchange(0, ordering: .relaxed)
      if rate > 0, rate != sampleRate { changeSampleRate(to: rate) }
      if signals.hasShutDown.load(ordering: .acquiring) {
        replace("the JACK server has gone", &watch)
      } else if watch.isStalled(cycles: cycles, period: period) {
        hasStalled.store(true, ordering: .releasing)
        replace("the JACK server no longer responds", &watch)
        hasStalled.store(false, ordering: .releasing)
      } else {
        attend()
        // If another thread waits for the server under the lock, this thread must go on watching.
        active.withLockIfAvailable { if let handle = $0?.handle { look(after: handle, &watch) } }
      }
    }
    closeActive()
  }

  private func look(after handle: ClientHandle, _ watch: inout GraphWatch) {
    if signals.latencyChanges.exchange(0, ordering: .relaxed) > 0 { readLatency(handle) }
    if let connections = watch.look(handle, signals) { report(connections) }
    readGraphChanges.store(watch.readChanges, ordering: .releasing)
  }

  /// Seconds per cycle; 0 before the first.
  package var period: Double {
    let rate = clock.pointee.sampleRate.load(ordering: .relaxed)
    return rate == 0 ? 0 : Double(clock.pointee.period.load(ordering: .relaxed)) / Double(rate)
  }

  /// The server has changed its sample rate (PipeWire can).
  private func changeSampleRate(to rate: Int) {
    clock.pointee.sampleRate.store(rate, ordering: .relaxed)
    clientClock.withLock { $0?.sampleRate = rate }
    onNews(.connected(sampleRate: rate))
  }

  private func readLatency(_ handle: ClientHandle) {
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

  /// Closes the lost client, waits for a server and opens a new client.
  private func replace(_ reason: String, _ watch: inout GraphWatch) {
    clientClock.withLock { $0 = nil }
    onNews(.lost(reason))
    // If the server hangs, only this thread waits.
    closeActive()
    while !isStopping.load(ordering: .acquiring) {
      revive()
      if let handle = try? open() {
        watch.restart(handle)
        onNews(.connected(sampleRate: handle.sampleRate))
        active.withLock { $0?.handle.namePorts() }
        return
      }
      signals.wakeup.wait(milliseconds: 100)
    }
  }

  /// Closes the client when no thread uses it any more.
  private func closeActive() {
    clientClock.withLock { $0 = nil }
    let handle = active.withLock { $0.take()?.handle }
    handle?.close()
    context.pointee.client = nil
  }
}
