import Engine

/// Sends commands to the engine in order; those for which its ring has no room wait, and of too many the oldest goes.
struct CommandSender {
  static let capacity = 256

  private let channels: UnsafePointer<Channels>
  private var waiting: [Command] = []

  init(_ channels: UnsafePointer<Channels>) {
    self.channels = channels
  }

  mutating func send(_ command: Command) {
    if waiting.count == CommandSender.capacity { waiting.removeFirst() }
    waiting.append(command)
    flush()
  }

  /// Sends what waits, as far as there is room.
  mutating func flush() {
    let sent = waiting.prefix { channels.pointee.commands.push($0) }.count
    waiting.removeFirst(sent)
  }
}
