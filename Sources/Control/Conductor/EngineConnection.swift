import Engine
import MIDI
import Synchronization

/// The conductor's end of the channels to the engine: sends updates and commands, and frees the updates that come back.
/// - Thread: control
struct EngineConnection {
  let channels: UnsafePointer<Channels>
  private var sender: CommandSender
  /// The generation of the clips in the last update.
  private var generation = 1

  init(_ channels: UnsafePointer<Channels>) {
    self.channels = channels
    sender = CommandSender(channels)
  }

  /// Publishes an update.
  /// - Returns: the generation of the previous update's clips, if the engine had not taken that update; nil if it had.
  mutating func publish(_ update: UnsafePointer<ScoreUpdate>, generation: Int) -> Int? {
    defer { self.generation = generation }
    guard let untaken = channels.pointee.scoreUpdates.put(update) else { return nil }
    ScoreUpdate.free(untaken)
    return self.generation
  }

  mutating func send(_ command: Command) { sender.send(command) }

  /// Sends messages to controllers. If the ring is full, no client takes messages, and the rest is dropped: a client that
  /// connects later receives the complete state.
  func show(_ messages: [MIDIMessage]) {
    for message in messages where !channels.pointee.feedback.push(message) { return }
  }

  /// Sends the commands that wait for room in the ring.
  mutating func flush() { sender.flush() }

  /// Frees the updates that the engine no longer uses.
  func freeReturned() {
    while let returned = channels.pointee.returnedUpdates.pop() { ScoreUpdate.free(returned) }
  }

  /// Reads the engine's latest values.
  func read() -> EngineReading {
    var reading = EngineReading()
    let channels = channels
    reading.clock = channels.pointee.clock.load(ordering: .relaxed)
    reading.changes = channels.pointee.changes.load(ordering: .acquiring)
    reading.successions = channels.pointee.successions.load(ordering: .acquiring)
    reading.nextEvent = channels.pointee.nextEvent.load(ordering: .relaxed)
    reading.needsForecast = channels.pointee.reportsAhead.load(ordering: .relaxed)
    reading.scoreFrame = channels.pointee.scoreFrame.load(ordering: .relaxed)
    reading.transportFrame = channels.pointee.transportFrame.load(ordering: .relaxed)
    reading.isMIDIClockRolling = channels.pointee.isMIDIClockRolling.load(ordering: .relaxed)
    reading.oldestClips = channels.pointee.oldestClips.load(ordering: .acquiring)
    reading.sounding = channels.pointee.sounding.load(ordering: .relaxed)
    reading.gaps = channels.pointee.gaps.load(ordering: .relaxed)
    reading.droppedClips = channels.pointee.droppedClips.load(ordering: .relaxed)
    reading.droppedEvents = channels.pointee.droppedEvents.load(ordering: .relaxed)
    reading.droppedCommands = channels.pointee.droppedCommands.load(ordering: .relaxed) + sender.dropped
    reading.droppedControls = channels.pointee.droppedControls.load(ordering: .relaxed)
    return reading
  }
}

/// Sends commands to the engine in order. Commands wait while the ring is full; if too many wait, the oldest is dropped.
struct CommandSender {
  static let capacity = 256

  private let channels: UnsafePointer<Channels>
  private var waiting: [Command] = []
  /// Commands that were dropped because too many waited.
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

  /// Sends the waiting commands for which there is room.
  mutating func flush() {
    let sent = waiting.prefix { channels.pointee.commands.push($0) }.count
    waiting.removeFirst(sent)
  }
}
