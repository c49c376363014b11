import Engine

/// Sends commands to the engine in order; those for which its ring has no room wait, and of too many the oldest goes.
struct CommandSender {
  static let capacity = 256

  private let channels: UnsafePointer<Channels>
  private var waiting: [Command] = []
  /// Commands that went because too many waited.
  private(set) var dropped = 0

  init(_ channels: UnsafePointer<Channels>) {
    self.channels = channels
  }

  mutating func send(_ command: Command) {
    if waiting.count == CommandSender.capacity {
      waiting.removeFirst()
      dropped += 1
    }
    waiting.append(command)
    flush()
  }

  /// Sends what waits, as far as there is room.
  mutating func flush() {
    let sent = waiting.prefix { channels.pointee.commands.push($0) }.count
    waiting.removeFirst(sent)
  }
}
