import CJack
import Synchronization

/// A JACK client that records received MIDI messages in the server's frame time.
public final class MIDIRecorderClient: Sendable {
  /// A message of up to three bytes; unused ones are 0.
  public struct Message: BitwiseCopyable, Equatable, Sendable {
    public let frame: Int64
    public let status: UInt8
    public let data: (UInt8, UInt8)

    public static func == (a: Message, b: Message) -> Bool {
      a.frame == b.frame && a.status == b.status && a.data == b.data
    }
  }

  public let client: BenchClient
  private let roll: Roll

  /// Opens and activates a recorder with one input for each source, and connects them.
  public init(server: JACKServer, name: String = "midi-recorder", sources: [String], capacity: Int) throws {
    let client = try BenchClient(server: server, name: name)
    let ports = try sources.indices.map { try client.registerMIDIPort("in_\($0 + 1)", JackPortIsInput) }
    self.client = client
    roll = Roll(client: client, ports: ports, capacity: capacity)
    jack_set_process_callback(
      client.handle,
      { frameCount, context in
        Unmanaged<Roll>.fromOpaque(context!).takeUnretainedValue().process(frameCount)
        return 0
      }, Unmanaged.passUnretained(roll).toOpaque())
    try client.activate()
    for (port, source) in sources.enumerated() { try client.connect(source, "\(client.name):in_\(port + 1)") }
  }

  deinit {
    client.close()
  }

  /// Waits until each port has received a message: a connection of PipeWire carries messages only some cycles after it was made, and
  /// nothing else shows when.
  public func waitUntilHeard(within limit: Duration = .seconds(5)) throws {
    try client.wait("MIDI", within: limit) { roll.hasHeardAll }
  }

  /// Records from the next cycle on.
  public func record() { roll.isRecording.store(true, ordering: .releasing) }

  public func messages(port: Int = 0) -> [Message] { roll.messages[port].items }

  /// Frames that were not recorded or cannot be placed.
  public var gaps: [Gap] { roll.gaps.items }

  /// Whether there was no room for messages or gaps.
  public var overflowed: Bool { roll.messages.contains(where: \.isFull) || roll.gaps.isFull }
}

/// `@unchecked Sendable`: only the process callback writes, to shelves.
private final class Roll: @unchecked Sendable {
  let isRecording = Atomic<Bool>(false)
  private let client: BenchClient
  private let ports: [OpaquePointer]
  private var clock = CycleClock()
  /// The ports that have received a message, one bit for each.
  private let heard = Atomic<UInt>(0)
  let messages: [FixedList<MIDIRecorderClient.Message>]
  let gaps = FixedList<Gap>(capacity: 100_000)

  init(client: BenchClient, ports: [OpaquePointer], capacity: Int) {
    self.client = client
    self.ports = ports
    messages = ports.map { _ in FixedList(capacity: capacity) }
  }

  var hasHeardAll: Bool { heard.load(ordering: .relaxed) == 1 << UInt(ports.count) - 1 }

  func process(_ frameCount: jack_nframes_t) {
    let cycle = client.beginCycle(&clock, Int(frameCount))
    defer { client.endCycle(cycle) }
    let records = isRecording.load(ordering: .acquiring)
    if records, let gap = cycle.gap { gaps.put(gap) }
    for (port, messages) in messages.enumerated() {
      guard let buffer = jack_port_get_buffer(ports[port], frameCount) else { continue }
      let count = jack_midi_get_event_count(buffer)
      if count > 0 { note(port) }
      guard records, cycle.gap == nil else { continue }
      var event = jack_midi_event_t()
      for index in 0..<count {
        guard jack_midi_event_get(&event, buffer, index) == 0, let bytes = event.buffer else { continue }
        messages.put(
          MIDIRecorderClient.Message(
            frame: cycle.frame + Int64(event.time), status: bytes[0],
            data: (event.size > 1 ? bytes[1] : 0, event.size > 2 ? bytes[2] : 0)))
      }
    }
  }

  private func note(_ port: Int) {
    guard heard.load(ordering: .relaxed) & 1 << UInt(port) == 0 else { return }
    heard.bitwiseOr(1 << UInt(port), ordering: .relaxed)
    client.changed.post()
  }
}
