import CJack
import TestBench

extension TransportControl {
  /// Waits for a condition, which is checked in every cycle.
  func waitForCycles(_ what: String, _ condition: () -> Bool) throws {
    let met = client.changed.wait(until: .within(.seconds(5))) { condition() ? true : nil }
    if met == nil { throw BenchError("no \(what) within five seconds") }
  }

  /// Waits until a leader publishes bar, beat and tick.
  func waitForLeader() throws {
    try waitForCycles("leader") {
      var position = jack_position_t()
      jack_transport_query(client.handle, &position)
      return position.valid.rawValue & JackPositionBBT.rawValue != 0
    }
  }

  /// Requests a start without waiting: other clients may delay it.
  func ask() { jack_transport_start(client.handle) }
}
