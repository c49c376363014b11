import CJack
import Synchronization

/// A JACK client with one MIDI output, which sends each message at a frame of the server's time.
public final class MIDIClient: Sendable {
  public let client: BenchClient
  public let port: String
  private let outbox: Outbox

  public init(server: JACKServer, name: String = "machine") throws {
    client = try BenchClient(server: server, name: name)
    let output = try client.registerMIDIPort("out", JackPortIsOutput)
    port = String(cString: jack_port_name(output))
    outbox = Outbox(client: client, output: output)
    jack_set_process_callback(
      client.handle,
      { frameCount, context in
        Unmanaged<Outbox>.fromOpaque(context!).takeUnretainedValue().process(Int64(frameCount))
        return 0
      }, Unmanaged.passUnretained(outbox).toOpaque())
    try client.activate()
  }

  deinit {
    client.close()
  }

  /// Waits for an input port and connects the output to it.
  public func connect(to destination: String) throws { try client.connect(port, destination) }

  /// A frame of the server's time for which a message can still be sent in time: eight periods from now.
  public var soon: Int64 {
    // Frames are values of `jack_last_frame_time`, before its first wrap.
    Int64(jack_frame_time(client.handle)) + Int64(8 * client.period)
  }

  /// Sends messages, each at its frame. No frame may be before that of a message that still waits.
  public func send(_ messages: [(frame: Int64, bytes: [UInt8])]) {
    outbox.messages.withLock { $0.insert(contentsOf: messages.reversed(), at: 0) }
  }

  public func send(_ bytes: UInt8..., at frame: Int64) { send([(frame, bytes)]) }

  /// The number of messages that were sent after their frame, because its cycle was missed.
  public var late: Int { outbox.late.load(ordering: .relaxed) }

  /// Waits until all messages are sent.
  public func waitUntilSent(within limit: Duration = .seconds(10)) throws {
    try client.wait("end of what is to be sent", within: limit) { outbox.messages.withLock { $0.isEmpty } }
  }
}

/// `@unchecked Sendable`: only the process callback uses the clock; all else is constant, locked or atomic.
private final class Outbox: @unchecked Sendable {
  /// The next message is the last element.
  let messages = Mutex<[(frame: Int64, bytes: [UInt8])]>([])
  let late = Atomic<Int>(0)
  private let client: BenchClient
  private let output: OpaquePointer
  private var clock = CycleClock()

  init(client: BenchClient, output: OpaquePointer) {
    self.client = client
    self.output = output
  }

  /// A test's client may take a lock: no thread holds it for long.
  func process(_ frameCount: Int64) {
    let start = client.beginCycle(&clock, Int(frameCount)).frame
    guard let buffer = jack_port_get_buffer(output, jack_nframes_t(frameCount)) else { return }
    jack_midi_clear_buffer(buffer)
    messages.withLock { messages in
      guard !messages.isEmpty else { return }
      while let (frame, bytes) = messages.last, frame < start + frameCount {
        if frame < start { late.add(1, ordering: .relaxed) }
        messages.removeLast()
        let offset = jack_nframes_t(max(frame - start, 0))
        guard let data = jack_midi_event_reserve(buffer, offset, bytes.count) else { continue }
        for (index, byte) in bytes.enumerated() { data[index] = byte }
      }
      if messages.isEmpty { client.changed.post() }
    }
  }
}
