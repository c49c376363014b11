import CJack
import Engine
import Realtime

/// Opens the host's client, watches it, and replaces it when it is lost. Its caller makes it work step by step, each with the
/// current time.
///
/// A step may wait for a server that hangs, so only the supervisor's thread makes steps.
/// - Thread: supervisor
package struct Supervisor {
  private enum Phase {
    case watching
    /// The client is lost: the next step closes it.
    case closing
    /// No client is open: the next step tries to open one.
    case opening
  }

  private let host: JACKHost
  private var watch: GraphWatch
  private var phase = Phase.watching
  /// Whether the last attempt to open a client failed.
  private var isRefused = false

  /// Opens the first client and makes its connections.
  /// - Throws: `JACKError` if there is no server, or a port to connect to does not exist.
  package init(_ host: JACKHost, at now: Instant) throws(JACKError) {
    self.host = host
    let client = try host.open(isFirst: true)
    watch = GraphWatch(
      host.firstConnections(client), restores: !host.configuration.leavesConnectionsAlone, at: now)
    connect(client, isFirst: true)
    host.onNews(.connected(sampleRate: client.sampleRate))
  }

  /// The ports to which `out` has been connected.
  package var outputs: [String] { watch.outputs }

  /// Sets the pretty names of the client's ports.
  package func namePorts() { host.active.withLock { $0?.handle.namePorts() } }

  /// Milliseconds until the next step, unless the host's wakeup is posted earlier.
  package var wait: Int32 {
    switch phase {
    case .watching: watch.wait
    case .closing: 0
    case .opening: isRefused ? 100 : 0
    }
  }

  /// Carries out what is due.
  package mutating func step(at now: Instant) {
    switch phase {
    case .watching: look(at: now)
    case .closing:
      // If the server hangs, only this thread waits.
      host.closeActive()
      (phase, isRefused) = (.opening, false)
    case .opening: open()
    }
  }

  /// Closes the client.
  package func end() { host.closeActive() }

  private mutating func look(at now: Instant) {
    let signals = host.signals
    let rate = signals.sampleRate.exchange(0, ordering: .relaxed)
    if rate > 0, rate != host.sampleRate { host.changeSampleRate(to: rate) }
    if signals.hasShutDown.load(ordering: .acquiring) {
      lose("the JACK server has gone")
    } else if watch.isStalled(cycles: host.cycles, period: host.period, at: now) {
      host.noteStall()
      lose("the JACK server no longer responds")
    } else {
      host.attend()
      // Does not wait for the lock: while another thread waits for the server, this thread must continue to watch.
      host.active.withLockIfAvailable { if let handle = $0?.handle { look(after: handle, at: now) } }
    }
  }

  private mutating func look(after handle: ClientHandle, at now: Instant) {
    if host.signals.latencyChanges.exchange(0, ordering: .relaxed) > 0 { host.readLatency(handle) }
    if let connections = watch.look(handle, host.signals, frame: { host.nextFrame }, at: now) {
      host.report(connections)
    }
    host.noteRead(graphChanges: watch.readChanges)
  }

  private mutating func lose(_ reason: String) {
    host.noteLoss(reason)
    phase = .closing
  }

  private mutating func open() {
    host.revive()
    guard let handle = try? host.open() else {
      isRefused = true
      return
    }
    connect(handle)
    host.onNews(.connected(sampleRate: handle.sampleRate))
    namePorts()
    host.noteAnswer()
    phase = .watching
  }

  /// Makes a new client's connections.
  private mutating func connect(_ client: ClientHandle, isFirst: Bool = false) {
    // Under the lock: libjack does not support requests of two threads at the same time.
    host.active.withLock { _ in
      // Opening may have taken long, so read the clock again.
      watch.restart(client, isFirst: isFirst, at: host.platform.now())
      // The new connections changed the latency. Read it now: the server may report it late.
      host.readLatency(client)
    }
  }
}
