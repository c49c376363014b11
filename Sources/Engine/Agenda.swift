/// The commands that wait for their frame, soonest first; those for one frame in the order in which they came.
struct Agenda: ~Copyable {
  static let capacity = 64

  private let commands: UnsafeMutablePointer<Command>
  private var count = 0

  init() {
    commands = .allocate(capacity: Agenda.capacity)
  }

  deinit { commands.deallocate() }

  /// - Thread: audio
  var hasRoom: Bool { @_noLocks get { count < Agenda.capacity } }

  /// The frame of the soonest command; `Int64.max` where there is none.
  /// - Thread: audio
  var nextFrame: Int64 { @_noLocks get { count > 0 ? commands[0].frame ?? .min : .max } }

  /// - Precondition: `hasRoom`.
  /// - Thread: audio
  @_noLocks
  mutating func insert(_ command: Command) {
    let frame = command.frame ?? .min
    var index = count
    while index > 0, (commands[index - 1].frame ?? .min) > frame {
      (commands + index).initialize(to: commands[index - 1])
      index -= 1
    }
    (commands + index).initialize(to: command)
    count += 1
  }

  /// Takes the next command that is due at a frame or was before.
  /// - Thread: audio
  @_noLocks
  mutating func take(dueAt frame: Int64) -> Command? {
    guard nextFrame <= frame else { return nil }
    let command = commands[0]
    count -= 1
    for index in 0..<count { commands[index] = commands[index + 1] }
    return command
  }
}
