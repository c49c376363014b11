import CJack

/// A client's cycles, in frame time of 64 bits; its process callback asks for each of them.
struct CycleClock {
  private let client: BenchClient
  private var clock = FrameClock()
  private var end: Int64?

  init(client: BenchClient) {
    self.client = client
  }

  /// The first frame of the cycle that has begun. One that follows on no other is noted as an xrun: PipeWire tells no client
  /// of its first, and a client that is late there may take one cycle for the next.
  mutating func begin(_ frameCount: Int64) -> Int64 {
    let frame = clock.extend(jack_last_frame_time(client.handle))
    if let end, end != frame { client.noteXrun() }
    end = frame + frameCount
    return frame
  }
}
