import CJack
import Synchronization

/// A JACK client with one output that plays a single sample of 1, or another sound, at each frame time that is a multiple of an
/// interval, or once from a given frame: each onset is known.
public final class PulseClient: Sendable {
  public let client: BenchClient
  public let port: String
  private let pulses: Pulses

  /// - Parameters:
  ///   - interval: in frames; nil plays the sound once, from the frame of `play(from:)` on.
  ///   - sound: shorter than the interval.
  public init(
    server: JACKServer, name: String = "pulses", interval: Int?, sound: [Float] = [1]
  ) throws {
    client = try BenchClient(server: server, name: name)
    let output = try client.registerAudioPort("out", JackPortIsOutput)
    port = String(cString: jack_port_name(output))
    pulses = Pulses(client: client, output: output, interval: interval.map(Int64.init), sound: sound)
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

  /// Plays the sound once from a frame on, in the frame time of `RecorderClient`.
  public func play(from frame: Int64) { pulses.start.store(frame, ordering: .releasing) }
}

/// `@unchecked Sendable`: only the process callback uses it.
private final class Pulses: @unchecked Sendable {
  private let output: OpaquePointer
  private let interval: Int64?
  let start = Atomic<Int64>(.max / 2)
  private let sound: [Float]
  private let client: BenchClient
  private var clock = CycleClock()

  init(client: BenchClient, output: OpaquePointer, interval: Int64?, sound: [Float]) {
    self.client = client
    self.output = output
    self.interval = interval
    self.sound = sound
  }

  func process(_ frameCount: Int64) {
    let frame = client.beginCycle(&clock, Int(frameCount)).frame
    let buffer = jack_port_get_buffer(output, jack_nframes_t(frameCount))
    guard let samples = buffer?.assumingMemoryBound(to: Float.self) else { return }
    let start = start.load(ordering: .acquiring)
    for index in 0..<frameCount {
      let place = Int(interval.map { (frame + index) % $0 } ?? frame + index - start)
      samples[Int(index)] = sound.indices.contains(place) ? sound[place] : 0
    }
  }
}
