import CJack
import Engine
import Foundation
import Link
import Realtime
import Synchronization

/// The JACK client that drives the engine, through the lives and deaths of servers.
///
/// One supervisor thread opens and closes clients, one at a time; when the server goes it closes the old client, waits
/// for a server, opens a new one and restores its connections. The engine, its clock and its position stay.
public final class JACKHost: @unchecked Sendable {
  // `@unchecked`: the pointers are to memory that outlives the host; what they point at says who may touch it.

  public struct Configuration: Sendable {
    public var name = "tactus"
    /// The server's name; nil for the default one.
    public var server: String?
    /// Ports that `out` is connected to; where empty, the physical outputs.
    public var connect: [String] = []
    public var connectsItself = true
    /// The peer of Ableton Link whose session is played with; nil where there is none.
    public var link: LinkPeer?

    public init() {}
  }

  let configuration: Configuration
  let context: UnsafeMutablePointer<ProcessContext>
  let channels: UnsafePointer<Channels>
  let clock: UnsafePointer<SharedClock>
  let signals = HostSignals()
  let active = Mutex<ActiveClient?>(nil)
  let isStopping = Atomic<Bool>(false)
  /// The cycle by which the ending has been heeded.
  private let lastCycle = Atomic<UInt64>(0)
  private let hasEnded = MonotonicSemaphore()
  let tell: @Sendable (HostNews) -> Void
  let revive: @Sendable () -> Void

  /// The client that is active, as other threads may use it.
  struct ActiveClient: @unchecked Sendable {
    // `@unchecked`: only ever touched under the mutex, or by the supervisor, which alone replaces it.
    let handle: ClientHandle
    var sampleRate: Int
    var latency: Int
    var leads = false
  }

  /// - Parameters:
  ///   - revive: called between attempts to reach a server that has gone; starts it again where it is ours.
  ///   - tell: told when the server comes and goes, on the supervisor's thread.
  public init(
    _ configuration: Configuration, kernel: consuming Kernel, channels: UnsafePointer<Channels>,
    revive: @escaping @Sendable () -> Void = {}, tell: @escaping @Sendable (HostNews) -> Void
  ) {
    self.configuration = configuration
    self.channels = channels
    self.tell = tell
    self.revive = revive
    clock = SharedClock.make()
    context = .allocate(capacity: 1)
    context.initialize(to: ProcessContext(kernel: kernel, clock: clock, link: configuration.link?.line))
    // Tactus says itself what goes wrong; libjack may call these from any thread, so they do nothing.
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
  }

  /// Opens the first client and starts the supervisor.
  /// - Throws: `JACKError` where there is no server, it doesn't answer within four seconds, or a port to connect to doesn't
  ///   exist. The host is then of no more use.
  public func start() throws(JACKError) {
    let opening = BoundedCall<Void>()
    let supervisor = Thread { [self] in
      do throws(JACKError) {
        let client = try open(connections: nil, isFirst: true)
        tell(.connected(sampleRate: client.sampleRate))
        opening.give(.success(()))
      } catch {
        return opening.give(.failure(error))
      }
      supervise()
      hasEnded.signal()
    }
    supervisor.name = "supervisor"
    supervisor.start()
    try opening.wait(for: configuration.server)
  }

  /// Begins nothing more, whatever rolls. What sounds plays on.
  public func beginNothingMore() {
    lastCycle.store(clock.pointee.cycles.load(ordering: .relaxed) + 3, ordering: .relaxed)
    channels.pointee.isEnding.store(true, ordering: .releasing)
  }

  /// Whether, after `beginNothingMore`, all that sounded has gone to the server, or there is none.
  public var hasFallenSilent: Bool {
    // No lock here: a server that hangs must not hold up the end.
    if clock.pointee.sampleRate.load(ordering: .relaxed) == 0 { return true }
    // One cycle sees that nothing is to begin, and two carry its end away.
    return clock.pointee.cycles.load(ordering: .relaxed) >= lastCycle.load(ordering: .relaxed)
      && channels.pointee.sounding.load(ordering: .relaxed) == 0
  }

  /// Closes the client and ends the supervisor.
  /// - Returns: whether it ended within three seconds.
  public func stop() -> Bool {
    isStopping.store(true, ordering: .releasing)
    signals.wake()
    return hasEnded.wait(for: .seconds(3))
  }

  /// Frames a second of a server, without becoming its client for longer than it takes to ask.
  /// - Throws: `JACKError` where it doesn't run, or doesn't answer within four seconds.
  public static func sampleRate(ofServer server: String?) throws(JACKError) -> Int {
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
    let asking = BoundedCall<Int>()
    Thread.detachNewThread {
      do throws(JACKError) { asking.give(.success(try ClientHandle.sampleRate(ofServer: server))) } catch {
        asking.give(.failure(error))
      }
    }
    return try asking.wait(for: server)
  }

  // MARK: Facts

  /// Whether servers are PipeWire's: its libjack has taken the place of jackd's.
  public static var usesPipeWire: Bool { String(cString: jack_get_version_string()).contains("PipeWire") }

  /// The client's name, which the server may have changed to make it unique.
  public var clientName: String? { active.withLock { $0?.handle.name } }
  /// Frames a second; 0 while there is no server.
  public var sampleRate: Int { active.withLock { $0?.sampleRate ?? 0 } }
  /// Percent of the time that the server has for a cycle; nil while there is none, or it is busy with us.
  public var load: Float? { active.withLockIfAvailable { $0.map { jack_cpu_load($0.handle.client) } } ?? nil }

  /// Whether MIDI has come in, and gone out, since this was last asked. For one who asks.
  /// - Thread: any
  public func takeMIDIActivity() -> (hasReceived: Bool, hasSent: Bool) {
    (
      channels.pointee.hasReceivedMIDI.exchange(false, ordering: .relaxed),
      channels.pointee.hasSentMIDI.exchange(false, ordering: .relaxed)
    )
  }

  /// What each port is connected to.
  public var connections: [String: [String]] { active.withLock { $0?.handle.connections ?? [:] } }
  public var xruns: Int { signals.xruns.load(ordering: .relaxed) }
}
