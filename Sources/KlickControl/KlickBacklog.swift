import OSC

/// The messages that wait while a map is read, in order. Of several messages that set the same property of the map, only the
/// last is kept.
struct KlickBacklog {
  /// How many messages may wait.
  static let capacity = 64

  /// What to do with a message: handle it now, nothing because it waits, or refuse it because too many wait.
  enum Fate { case handle, wait, full }

  /// Whether a map is being read.
  var isReading = false
  private var waiting: [(message: OSCMessage, peer: OSCPeer)] = []
  /// Whether waiting messages are being handled, so that newer ones must wait behind them.
  private var isBehind = false

  /// Takes a message, which waits if a map is being read or others wait.
  mutating func take(_ message: OSCMessage, from peer: OSCPeer) -> Fate {
    guard isReading || isBehind else { return .handle }
    isBehind = true
    if message.address.hasPrefix(KlickNamespace.root + "map/set_")
      || message.address == KlickNamespace.root + "map/load_file"
    {
      waiting.removeAll { $0.message.address == message.address }
    }
    guard waiting.count < KlickBacklog.capacity else { return .full }
    waiting.append((message, peer))
    return .wait
  }

  /// Removes and returns the next message to handle; nil if none waits or a map is being read.
  mutating func next() -> (message: OSCMessage, peer: OSCPeer)? {
    guard !isReading, !waiting.isEmpty else {
      isBehind = isReading
      return nil
    }
    return waiting.removeFirst()
  }
}
