import CJack
import Synchronization

/// Starts, stops and locates the transport, and leads the timebase on request.
public final class TransportControl: Sendable {
  /// The part of the musical position that the leader publishes.
  public enum Publication: Sendable {
    /// Whole ticks, rounded down, 1920 to a beat.
    case wholeTicks
    /// Whole ticks, and `tick_double`.
    case exactTicks
    /// No bar, beat and tick, although it leads.
    case nothing
  }

  public let client: BenchClient
  /// All leaders so far: the callback may still use an earlier one.
  private let leaders = Mutex<[Leader]>([])

  public init(server: JACKServer, name: String = "transport") throws {
    client = try BenchClient(server: server, name: name)
    // jack1 calls the timebase callback only of clients with a process callback. This one also wakes waiting threads in each
    // cycle.
    jack_set_process_callback(
      client.handle,
      { _, context in
        Unmanaged<Event>.fromOpaque(context!).takeUnretainedValue().post()
        return 0
      }, Unmanaged.passUnretained(client.changed).toOpaque())
    try client.activate()
  }

  deinit {
    client.close()
  }

  public var state: TransportCycle.State { TransportCycle.State(jack_transport_query(client.handle, nil)) }

  /// The transport's frame at the start of the cycle.
  public var frame: UInt32 {
    var position = jack_position_t()
    jack_transport_query(client.handle, &position)
    return position.frame
  }

  /// Starts the transport and waits until it rolls.
  public func start(within limit: Duration = .seconds(5)) throws {
    jack_transport_start(client.handle)
    try wait(for: .rolling, within: limit)
  }

  /// Stops the transport and waits until it has stopped.
  public func stop(within limit: Duration = .seconds(5)) throws {
    jack_transport_stop(client.handle)
    try wait(for: .stopped, within: limit)
  }

  /// Waits for another client's start or stop.
  public func wait(for state: TransportCycle.State, within limit: Duration = .seconds(5)) throws {
    try client.wait("transport \(state)", within: limit) { self.state == state }
  }

  /// Requests a locate; it takes effect within two cycles.
  public func locate(_ frame: UInt32) throws {
    try client.check(jack_transport_locate(client.handle, frame), "locate \(frame)")
  }

  /// Leads the timebase from now on, with `map` from frame 0 on.
  ///
  /// After a locate the leader counts from bar 1, beat 1 at frame 0 at the current tempo.
  public func lead(
    _ map: LeaderMap, publishing publication: Publication = .wholeTicks, conditionally: Bool = false
  ) throws {
    let leader = Leader(client: client.handle, map: map, publication: publication)
    leaders.withLock { $0.append(leader) }
    try register(leader, conditionally: conditionally)
  }

  /// Changes the tempo, in thousandths of a beat a minute, in the next cycle, and keeps the place in the bar; a stopped transport shows
  /// the new tempo too.
  public func change(tempo: Int) throws {
    guard let leader = leaders.withLock({ $0.last }) else { throw BenchError("not the leader") }
    leader.orderedTempo.store(tempo, ordering: .releasing)
    if state == .stopped { try register(leader, conditionally: false) }
  }

  /// Stops leading. A rolling transport then moves back by one period.
  public func release() throws {
    try client.check(jack_release_timebase(client.handle), "release the timebase")
  }

  /// All maps since `lead`, in order; `origin` is the frame of the transport from which each applies.
  public var maps: [LeaderMap] { leaders.withLock { $0.last?.history.items ?? [] } }

  private func register(_ leader: Leader, conditionally: Bool) throws {
    let result = jack_set_timebase_callback(
      client.handle, conditionally ? 1 : 0,
      { _, frameCount, position, isNew, context in
        let leader = Unmanaged<Leader>.fromOpaque(context!).takeUnretainedValue()
        leader.publish(Int64(frameCount), position!, isNew: isNew != 0)
      }, Unmanaged.passUnretained(leader).toOpaque())
    try client.check(result, "lead the timebase")
  }
}
