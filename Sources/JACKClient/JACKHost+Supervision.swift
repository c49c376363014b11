import CJack
import Engine
import Foundation
import Synchronization

/// What the supervisor's thread does: it opens clients, sees when they are lost, and replaces them.
extension JACKHost {
  /// Opens a client, the active one from then on.
  /// - Parameter connections: what a client before had; nil where that is not known.
  func open(
    connections: [String: [String]]?, isFirst: Bool = false
  ) throws(JACKError) -> ClientHandle {
    let handle = try ClientHandle(name: configuration.name, server: configuration.server)
    do throws(JACKError) {
      for target in configuration.connect where isFirst && !handle.hasInput(target) {
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
    if connections == nil, configuration.connectsItself {
      for target in configuration.connect.isEmpty ? handle.physicalOutputs : configuration.connect {
        _ = handle.connect("out", to: target)
      }
    }
    active.withLock { $0 = ActiveClient(handle: handle, sampleRate: handle.sampleRate, latency: 0) }
    readLatency()
    return handle
  }

  /// Runs until the host is stopped.
  func supervise() {
    var watch = GraphWatch()
    while !isStopping.load(ordering: .acquiring) {
      signals.wait(milliseconds: watch.needsSoon ? 50 : 250)
      if isStopping.load(ordering: .acquiring) { break }
      let rate = signals.sampleRate.exchange(0, ordering: .relaxed)
      if rate > 0, rate != sampleRate { changeSampleRate(to: rate) }
      if signals.latencyChanges.exchange(0, ordering: .relaxed) > 0 { readLatency() }
      if signals.hasShutDown.load(ordering: .acquiring) {
        replace("the JACK server has gone", &watch)
      } else if watch.isStalled(cycles: clock.pointee.cycles.load(ordering: .relaxed), period: period) {
        replace("the JACK server has stopped calling", &watch)
      } else if let handle = active.withLock({ $0?.handle }) {
        watch.look(handle, changes: signals.graphChanges.load(ordering: .relaxed))
      }
    }
    close(takeActive())
  }

  private var period: Double {
    // No lock here: the watchdog has to see a server that hangs while somebody asks it something.
    let rate = clock.pointee.sampleRate.load(ordering: .relaxed)
    return rate == 0 ? 0 : Double(clock.pointee.period.load(ordering: .relaxed)) / Double(rate)
  }

  /// The server runs at another rate from now on (PipeWire can do that).
  private func changeSampleRate(to rate: Int) {
    clock.pointee.sampleRate.store(rate, ordering: .relaxed)
    active.withLock { $0?.sampleRate = rate }
    tell(.connected(sampleRate: rate))
  }

  private func readLatency() {
    active.withLock {
      guard let handle = $0?.handle else { return }
      let latency = handle.playbackLatency
      $0?.latency = latency
      clock.pointee.latency.store(latency, ordering: .relaxed)
      clock.pointee.clockLatency.store(handle.clockLatency + latency, ordering: .relaxed)
    }
  }

  /// Closes the client that is lost and waits for a server to open another.
  private func replace(_ reason: String, _ watch: inout GraphWatch) {
    // A server that hangs keeps the closing waiting, but nobody else.
    let lost = takeActive()
    tell(.lost(reason))
    close(lost)
    while !isStopping.load(ordering: .acquiring) {
      revive()
      if let handle = try? open(connections: watch.connections) {
        watch.restart(handle)
        tell(.connected(sampleRate: handle.sampleRate))
        return
      }
      signals.wait(milliseconds: 100)
    }
  }

  /// The active client, which is nobody else's from here on.
  private func takeActive() -> ClientHandle? {
    active.withLock { active in
      defer { active = nil }
      return active?.handle
    }
  }

  private func close(_ handle: ClientHandle?) {
    guard let handle else { return }
    handle.close()
    context.pointee.client = nil
  }
}
