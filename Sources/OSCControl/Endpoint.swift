import Control
import OSC

/// One address of the namespace: what it takes, what it does, and what it says of itself.
struct Endpoint: Sendable {
  /// Below `/tactus/`.
  let name: String
  /// The type tags that it takes, as people write them.
  let types: String
  /// How many arguments that is, for one that sets something.
  let counts: ClosedRange<Int>
  let range: String
  let standard: String
  let summary: String
  let action: Action
  /// The value as things stand, which a query answers and subscribers get; nil where it has none.
  let value: (@Sendable (Snapshot) -> [OSCArgument])?

  /// What it makes of a message's arguments; those that can't be are thrown as `InvalidValue`.
  enum Action: Sendable {
    /// Makes an update of as many arguments as it takes.
    case set(@Sendable (OSCArguments) throws -> Update)
    /// As `set`, but what is given is to be done rather than to be the value.
    case order(@Sendable (OSCArguments) throws -> Update)
    /// Does something when it is triggered: without arguments, or with one that isn't zero.
    case trigger(Update)
    /// Takes arguments or none.
    case call(@Sendable (OSCArguments) throws -> Update?)
    /// Answers a message for each row.
    case list(@Sendable (Snapshot) -> [[OSCArgument]])
    case ping, query, subscribe, unsubscribe
    /// Can only be read.
    case read
  }

  /// Whether a message without arguments asks for the value, rather than for something to be done.
  var isReadWithoutArguments: Bool {
    switch action {
    case .set, .order, .read: value != nil
    default: false
    }
  }

  /// Whether an address pattern reaches it, to ask for its value or to set it. Commands it doesn't: who asks for all
  /// values with `/tactus/*` wants nothing started or reset.
  func isReachedByPattern(arguments: Int) -> Bool {
    guard arguments > 0 else { return isReadWithoutArguments }
    if case .order = action { return false }
    return value != nil
  }

  var address: String { AddressSpace.root + name }

  /// The message that answers with its value, or a row of it.
  func answer(_ arguments: [OSCArgument]) -> OSCMessage {
    OSCMessage(address, arguments: arguments).printable
  }

  /// - Parameter takes: how many arguments; as many as `types` has letters where nil.
  init(
    _ name: String, _ types: String, takes counts: ClosedRange<Int>? = nil, _ range: String,
    standard: String = "", _ summary: String, _ action: Action,
    value: (@Sendable (Snapshot) -> [OSCArgument])? = nil
  ) {
    self.name = name
    self.types = types
    self.counts = counts ?? types.count...types.count
    self.range = range
    self.standard = standard
    self.summary = summary
    self.action = action
    self.value = value
  }

  /// One without a range.
  init(_ name: String, _ types: String, _ summary: String, _ action: Action) {
    self.init(name, types, "", summary, action)
  }
}
