import CJack

/// A JACK client with one output, which sounds a single sample of 1 at each frame time that is a multiple of
/// an interval: a sound whose every onset is known.
public final class PulseClient: Sendable {
  public let client: BenchClient
  public let port: String
  private let pulses: Pulses

  public init(server: JACKServer, name: String = "pulses", interval: Int) throws {
    client = try BenchClient(server: server, name: name)
    let output = try client.registerAudioPort("out", JackPortIsOutput)
    port = String(cString: jack_port_name(output))
    pulses = Pulses(client: client, output: output, interval: Int64(interval))
    jack_set_process_callback(
      client.handle,
      { frameCount, context in
        Unmanaged<Pulses>.fromOpaque(context!).takeUnretainedValue().process(Int64(frameCount))
        return 0
      }, Unmanaged.passUnretained(pulses).toOpaque())
    try client.activate()
  }

  deinit {
    client.close()
  }
}

/// `@unchecked Sendable`: the process callback alone uses it.
private final class Pulses: @unchecked Sendable {
  private let output: OpaquePointer
  private let interval: Int64
  private let client: BenchClient
  private var clock = CycleClock()

  init(client: BenchClient, output: OpaquePointer, interval: Int64) {
    self.client = client
    self.output = output
    self.interval = interval
  }

  func process(_ frameCount: Int64) {
    let frame = client.beginCycle(&clock, Int(frameCount)).frame
    let buffer = jack_port_get_buffer(output, jack_nframes_t(frameCount))
    guard let samples = buffer?.assumingMemoryBound(to: Float.self) else { return }
    samples.update(repeating: 0, count: Int(frameCount))
    var index = (interval - frame % interval) % interval
    while index < frameCount {
      samples[Int(index)] = 1
      index += interval
    }
  }
}
