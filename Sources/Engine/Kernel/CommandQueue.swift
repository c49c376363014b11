import MusicTime
import Synchronization

/// The commands that wait for their frame, soonest first; commands for the same frame in order of arrival. A command to perform
/// immediately overtakes those that are late only because cycles were missed. It comes after its predecessors, which are then performed
/// at once: their time has passed, although the engine has not reached their frames, because a server was lost or hangs.
struct CommandQueue: ~Copyable {
  /// The maximum number of commands that wait for a later frame.
  static let capacity = 256
  /// Additional room for commands that are due: a full ring in one cycle.
  static let capacityDue = 256

  private struct Entry: BitwiseCopyable {
    let action: Command.Action
    var frame: ClockFrame
    /// The requested frame; without one, the frame of the command's predecessor.
    let order: ClockFrame
    let successions: Int?
  }

  private let entries: UnsafeMutablePointer<Entry>
  private var count = 0

  init() {
    entries = .allocate(capacity: CommandQueue.capacity + CommandQueue.capacityDue)
  }

  deinit { entries.deallocate() }

  /// The frame of the soonest command; `never` if there is none.
  /// - Thread: audio
  var nextFrame: ClockFrame { @_noLocks get { count > 0 ? entries[0].frame : .never } }

  /// Takes over the commands sent by the conductor; a command without room counts as dropped.
  /// - Thread: audio
  @_noLocks
  mutating func receive(from channels: UnsafePointer<Channels>, at now: ClockFrame) {
    // Read at most a full ring, so that a continuous producer can't prolong the cycle.
    for _ in 0..<CommandQueue.capacityDue {
      guard let command = channels.pointee.commands.pop() else { return }
      if !insert(command, at: now) { channels.pointee.droppedCommands.wrappingAdd(1, ordering: .relaxed) }
    }
  }

  /// Queues a command, or returns false if there is no room. Commands that are due have room of their own.
  /// - Parameter now: commands for earlier frames are due at this frame.
  /// - Thread: audio
  @_noLocks
  private mutating func insert(_ command: Command, at now: ClockFrame) -> Bool {
    let frame = max(command.frame ?? now, now)
    guard count < (frame == now ? CommandQueue.capacity + CommandQueue.capacityDue : CommandQueue.capacity)
    else {
      return false
    }
    let latest = command.frame == nil ? command.predecessor : .never
    if latest < .never {
      for index in 0..<count where entries[index].order <= latest { entries[index].frame = frame }
    }
    var index = count
    while index > 0, entries[index - 1].frame > frame || entries[index - 1].order > latest {
      (entries + index).initialize(to: entries[index - 1])
      index -= 1
    }
    (entries + index).initialize(
      to: Entry(
        action: command.action, frame: frame, order: command.frame ?? command.predecessor,
        successions: command.successions))
    count += 1
    return true
  }

  /// Removes the next command that is due at or before a frame.
  /// - Parameter successions: the number of successors that have begun. Commands of the music before are dropped.
  /// - Thread: audio
  @_noLocks
  mutating func take(dueAt frame: ClockFrame, successions: Int) -> Command.Action? {
    while nextFrame <= frame {
      let entry = entries[0]
      count -= 1
      for index in 0..<count { entries[index] = entries[index + 1] }
      guard let number = entry.successions, number != successions else { return entry.action }
    }
    return nil
  }
}
