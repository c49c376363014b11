/// How clicks and MIDI messages are shifted to compensate latencies.
package struct LatencyPolicy: BitwiseCopyable, Hashable, Sendable {
  /// Whether clicks precede a shared transport by the latency of `out`, and MIDI is sent when the click is heard.
  package var compensates = true
  /// Additional frames by which the clicks follow a shared transport; negative if they precede it.
  package var clickOffset = 0

  package init() {}

  /// Frames by which the music precedes the transport.
  /// - Thread: audio
  @_noLocks
  func advance(_ latencies: Cycle.Latencies) -> Int64 {
    Int64((compensates ? latencies.out : 0) - clickOffset)
  }

  /// Frames from a click to the MIDI message that belongs to it.
  /// - Parameter port: the latency of the message's port.
  /// - Thread: audio
  @_noLocks
  @inline(__always)
  func delay(to port: Int, _ latencies: Cycle.Latencies) -> Int64 {
    compensates ? Int64(max(latencies.out - port, 0)) : 0
  }
}
