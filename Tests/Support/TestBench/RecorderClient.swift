import CJack

/// A JACK client that records its inputs and the transport in the server's frame time.
public final class RecorderClient: Sendable {
  public enum Storage: Sendable {
    /// All samples, up to `capacity` frames for each port.
    case samples(capacity: Int)
    /// Only the frames of onsets, up to `capacity` for each port, for any duration.
    case onsets(OnsetDetector = OnsetDetector(), capacity: Int)
  }

  public let client: BenchClient
  public let ports: [String]
  private let input: RecorderInput

  /// Opens and activates a recorder with one input port for each of `sources`, and connects them (nil: not connected yet).
  ///
  /// `cycles` is the maximum number of cycles whose transport state is kept.
  public init(
    server: JACKServer, name: String = "recorder", sources: [String?] = [nil], storage: Storage,
    cycles: Int = 0
  ) throws {
    let client = try BenchClient(server: server, name: name)
    let handles = try sources.indices.map { try client.registerAudioPort("in_\($0 + 1)", JackPortIsInput) }
    self.client = client
    ports = handles.map { String(cString: jack_port_name($0)) }
    input = RecorderInput(client: client, ports: handles, storage: storage, cycles: cycles)
    jack_set_process_callback(
      client.handle,
      { frameCount, context in
        Unmanaged<RecorderInput>.fromOpaque(context!).takeUnretainedValue().process(Int(frameCount))
        return 0
      }, Unmanaged.passUnretained(input).toOpaque())
    try client.activate()
    for (port, source) in sources.enumerated() {
      if let source { try connect(source, to: port) }
    }
  }

  deinit {
    client.close()
  }

  /// Waits for an output port and connects it to the recorder's port number `port`, counted from 0, and to no other; returns once
  /// the connection carries sound.
  public func connect(_ source: String, to port: Int = 0, within limit: Duration = .seconds(5)) throws {
    try client.connect(source, ports[port], within: limit)
    // A connection of PipeWire carries sound only some cycles after it was made.
    try client.wait("buffer of \(source)", within: limit) {
      input.reached.load(ordering: .acquiring) & 1 << UInt(port) != 0
    }
  }

  /// Records from the next cycle on.
  public func record() {
    input.isRecording.store(true, ordering: .releasing)
  }

  /// Stops recording; the recording can still be read.
  public func stop() {
    input.isRecording.store(false, ordering: .releasing)
  }

  /// Closes the client; the recording can still be read.
  public func close() {
    client.close()
  }

  /// Waits until so many frames are recorded, gaps included.
  public func waitUntil(frames: Int, within limit: Duration) throws {
    if input.tape.sampleCapacity > 0 && frames > input.tape.sampleCapacity {
      throw BenchError("\(frames) frames don't fit in \(input.tape.sampleCapacity)")
    }
    input.awaited.store(frames, ordering: .sequentiallyConsistent)
    do {
      try client.wait("\(frames) recorded frames", within: limit) { recordedFrames >= frames }
    } catch {
      throw BenchError("\(recordedFrames) frames recorded: \(error)")
    }
  }

  /// Waits until so many more frames are recorded.
  public func pass(_ frames: Int) throws {
    try waitUntil(frames: recordedFrames + frames, within: .seconds(5 + frames / 20_000))
  }

  public var recordedFrames: Int { input.tape.recorded.load(ordering: .acquiring) }

  /// The server's frame time, in 64 bits, at the first recorded frame.
  public var firstFrame: Int64? { recordedFrames > 0 ? input.tape.firstFrame : nil }

  /// All samples of a port; the sample with index `i` sounded at frame `firstFrame + i`.
  public func samples(port: Int = 0) -> [Float] { input.tape.samples(port) }

  /// The frame times of the onsets of a port.
  public func onsets(port: Int = 0) -> [Int64] { input.tape.onsets(port) }

  /// Frames that were not recorded or cannot be placed; in the samples they are silent. If only onsets are stored, a gap lasts until
  /// the recorder can recognise the beginning of a sound again.
  public var gaps: [Gap] { input.tape.allGaps }

  /// The transport's state in all cycles that can be placed.
  public var cycles: [TransportCycle] { input.cycles.items }

  /// Whether there was no room for onsets, cycles or gaps.
  public var overflowed: Bool { input.tape.overflowed || input.cycles.isFull }
}
