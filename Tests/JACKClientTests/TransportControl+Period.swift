import CJack
import TestBench

extension TransportControl {
  /// Changes the server's period; returns when it has taken effect.
  func setPeriod(_ frames: Int) throws {
    guard jack_set_buffer_size(client.handle, jack_nframes_t(frames)) == 0 else {
      throw BenchError("the period can't become \(frames)")
    }
    try waitForCycles("period of \(frames)") { client.period == frames }
  }
}
