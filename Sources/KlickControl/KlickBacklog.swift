import OSC

/// The messages that wait while a map is read, in order. Of several that set the same of the map, only the last is kept.
struct KlickBacklog {
  /// How many messages may wait.
  static let capacity = 64

  /// What happens to a message.
  enum Fate { case handle, wait, full }

  /// Whether a map is being read.
  var isReading = false
  private var waiting: [(message: OSCMessage, peer: OSCPeer)] = []
  /// Whether messages that have waited are being handled, so that others must stay behind them.
  private var isBehind = false

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

  /// The next message to be handled; nil if none waits, or if a map is being read.
  mutating func next() -> (message: OSCMessage, peer: OSCPeer)? {
    guard !isReading, !waiting.isEmpty else {
      isBehind = isReading
      return nil
    }
    return waiting.removeFirst()
  }
}
