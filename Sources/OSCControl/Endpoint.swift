import Control
import OSC
import Realtime

/// One address of the namespace: its arguments, its action and its documentation.
struct Endpoint: Sendable {
  /// The address below `/tactus/`; the whole address if it begins with a slash.
  let name: String
  let address: String
  /// The type tags of its arguments, as the reference table shows them.
  let types: String
  /// How many arguments `set` and `order` take.
  let counts: ClosedRange<Int>
  /// The permitted values, for the reference table.
  let range: String
  /// The default, for the reference table; empty for none.
  let standard: String
  /// The unit of its numbers; empty if they have no unit or several units.
  let unit: String
  private let shapes: [ArgumentShape]
  /// The name of its group. The addresses of one family contain the same value in several forms, or parts of it.
  let family: String
  /// Whether the value is a text for a label. A label does not send values, so feedback to it need not wait.
  let isLabel: Bool
  /// Whether it is another form or spelling of another address, or a part of it. A pattern sets it only if it names its last
  /// part.
  let isDerived: Bool
  /// What it does, in Markdown: for the reference table and OSCQuery.
  let summary: String
  let action: Action
  /// Its present value, for queries and subscribers; nil if it has none.
  let value: (@Sendable (Snapshot) -> [OSCArgument])?

  /// Turns a message's arguments into an update, and throws `InvalidValue` for invalid ones.
  enum Action: Sendable {
    /// Makes an update from as many arguments as `counts` permits.
    case set(@Sendable (OSCArguments) throws -> Update)
    /// Like `set`, but the arguments are a command and not a new value. Patterns do not reach it.
    case order(@Sendable (OSCArguments) throws -> Update)
    /// A command without arguments, or with one argument that is not zero.
    case trigger(Update)
    /// Makes an update from any number of arguments; nil to do nothing.
    case call(@Sendable (OSCArguments) throws -> Update?)
    /// Answers with one message for each row, at an instant of the monotonic clock.
    case list(@Sendable (Snapshot, _ now: Instant) -> [[OSCArgument]])
    /// Answers with at most `AddressSpace.rowLimit` rows of a list, from the first or from a given number. Each message begins
    /// with the row's number and the count of all rows; if there are none, it is two zeros and `none`.
    case pages(
      count: @Sendable (Snapshot) -> Int, row: @Sendable (Snapshot, _ index: Int) -> [OSCArgument],
      none: [OSCArgument])
    /// Lists, adds or removes feedback addresses.
    case feedback(FeedbackAction)
    /// Answers with one message for each document of the session folder.
    case documents(@Sendable (_ index: Int, _ count: Int, DocumentSummary?) -> [OSCArgument])
    case ping, time, query, subscribe, unsubscribe
    /// Read-only.
    case read
  }

  enum FeedbackAction { case list, add, remove }

  /// Whether a message without arguments is a query for the value, and not a command.
  var isReadWithoutArguments: Bool {
    switch action {
    case .set, .order, .read: value != nil
    default: false
    }
  }

  /// Whether it changes nothing, so that a remote that may only read may use it.
  var isHarmless: Bool {
    switch action {
    case .set, .order, .trigger, .call, .feedback: false
    case .list, .pages, .documents, .ping, .time, .query, .subscribe, .unsubscribe, .read: true
    }
  }

  /// What its arguments must be, for errors.
  var form: String { OSCArguments.form(ofTypes: types) }

  /// The argument lists that a message to it may have, the usual first; empty if it takes none.
  var signatures: [[ArgumentShape]] {
    var tags = types.split(whereSeparator: { " ,".contains($0) }).map(String.init).filter { $0 != "or" }
    // For "no arguments", OSCQuery has only the impulse.
    if tags.first == "—" { tags[0] = "I" }
    if let index = tags.firstIndex(of: "anything") { tags.remove(at: index) }
    return tags.compactMap { tags in
      guard tags.allSatisfy({ "IifdsTF".contains($0) }) else { return nil }
      return tags.enumerated().map { index, tag in
        let shape = shapes.indices.contains(index) ? shapes[index] : nil
        return shape?.tag == tag ? shape ?? ArgumentShape(tag: tag) : ArgumentShape(tag: tag)
      }
    }
  }

  /// Whether an address pattern reaches it, to read or set its value. No pattern reaches a command: `/tactus/*` queries all
  /// values and must not start or reset anything.
  func isReachedByPattern(_ pattern: String, arguments: Int) -> Bool {
    guard arguments > 0 else { return isReadWithoutArguments }
    if case .order = action { return false }
    let isNamed = pattern.split(separator: "/").last == name.split(separator: "/").last
    return value != nil && (isNamed || !isDerived)
  }

  /// Whether an argument is beyond the end of a fader, so that the value differs from what the sender's app shows.
  func clips(_ arguments: [OSCArgument]) -> Bool {
    zip(shapes, arguments).contains { shape, argument in argument.number.map(shape.clips) ?? false }
  }

  /// Whether it answers with its present value after a message that is refused or moves a fader beyond its end.
  var answersWithValueAfterRefusal: Bool {
    switch action {
    case .set, .order, .call: value != nil
    default: false
    }
  }

  /// A message with its value, or with a row of it.
  func answer(_ arguments: [OSCArgument]) -> OSCMessage {
    OSCMessage(address, arguments: arguments).printable
  }

  /// - Parameters:
  ///   - takes: how many arguments; nil for the number of letters in `types`.
  ///   - shapes: the ranges of its first arguments, for programs that build controls; empty if only the types are fixed.
  ///   - family: the name of the address of which it is another form or a part; nil for its own.
  init(
    _ name: String, _ types: String, takes counts: ClosedRange<Int>? = nil, _ range: String,
    standard: String = "", unit: String = "", shapes: [ArgumentShape] = [], family: String? = nil,
    isLabel: Bool = false, _ summary: String, _ action: Action,
    value: (@Sendable (Snapshot) -> [OSCArgument])? = nil
  ) {
    self.name = name
    address = name.hasPrefix("/") ? name : AddressSpace.root + name
    self.family = family ?? name
    self.isLabel = isLabel
    isDerived = family.map { $0 != name } ?? false
    self.types = types
    self.counts = counts ?? types.count...types.count
    self.range = range
    self.standard = standard
    self.unit = unit
    self.shapes = shapes
    self.summary = summary
    self.action = action
    self.value = value
  }

  /// An endpoint without a range.
  init(_ name: String, _ types: String, _ summary: String, _ action: Action) {
    self.init(name, types, "", summary, action)
  }
}
