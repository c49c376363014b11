/// The commands that wait for their frame, soonest first; those for one frame in the order in which they came.
struct Agenda: ~Copyable {
  /// How many commands may wait for a later frame.
  static let capacity = 256
  /// How many more may be due at once: all that a full ring of commands can bring in a cycle.
  static let capacityDue = 256

  private struct Entry: BitwiseCopyable {
    let action: Command.Action
    let frame: Int64
  }

  private let entries: UnsafeMutablePointer<Entry>
  private var count = 0

  init() {
    entries = .allocate(capacity: Agenda.capacity + Agenda.capacityDue)
  }

  deinit { entries.deallocate() }

  /// The frame of the soonest command; `Int64.max` where there is none.
  /// - Thread: audio
  var nextFrame: Int64 { @_noLocks get { count > 0 ? entries[0].frame : .max } }

  /// Takes a command in, or returns false where there is no room. One that is due finds room though many wait.
  /// - Parameter now: what is due before this frame is due on it.
  /// - Thread: audio
  @_noLocks
  mutating func insert(_ command: Command, at now: Int64) -> Bool {
    let frame = max(command.frame ?? now, now)
    guard count < (frame == now ? Agenda.capacity + Agenda.capacityDue : Agenda.capacity) else {
      return false
    }
    var index = count
    while index > 0, entries[index - 1].frame > frame {
      (entries + index).initialize(to: entries[index - 1])
      index -= 1
    }
    (entries + index).initialize(to: Entry(action: command.action, frame: frame))
    count += 1
    return true
  }

  /// Takes the next command that is due at a frame or was before.
  /// - Thread: audio
  @_noLocks
  mutating func take(dueAt frame: Int64) -> Command.Action? {
    guard nextFrame <= frame else { return nil }
    let action = entries[0].action
    count -= 1
    for index in 0..<count { entries[index] = entries[index + 1] }
    return action
  }
}
