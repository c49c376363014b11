import Control
import OSC
import Realtime

/// One address of the namespace: its arguments, its action and its documentation.
struct Endpoint: Sendable {
  /// Below `/tactus/`; with a slash at its start, an address of its own.
  let name: String
  let address: String
  /// The type tags of its arguments, as the reference shows them.
  let types: String
  /// How many arguments an action that sets something takes.
  let counts: ClosedRange<Int>
  let range: String
  let standard: String
  /// The unit of its numbers; empty if they have none, or several.
  let unit: String
  private let shapes: [ArgumentShape]
  /// What the address is about: those of one family tell the same in several forms.
  let family: String
  /// Whether it is a text for a label, which no control sends back unasked.
  let isLabel: Bool
  /// Whether it is another form or spelling of another address, or a part of it. A pattern sets it only where it names its last part.
  let isDerived: Bool
  let summary: String
  let action: Action
  /// The present value, which queries and subscribers get; nil if it has none.
  let value: (@Sendable (Snapshot) -> [OSCArgument])?

  /// Turns a message's arguments into an update, and throws `InvalidValue` for invalid ones.
  enum Action: Sendable {
    /// Makes an update of as many arguments as it takes.
    case set(@Sendable (OSCArguments) throws -> Update)
    /// As `set`, but the arguments are an order and not a new value.
    case order(@Sendable (OSCArguments) throws -> Update)
    /// Acts without arguments, or with one that is not zero.
    case trigger(Update)
    /// Takes arguments or none.
    case call(@Sendable (OSCArguments) throws -> Update?)
    /// Answers a message for each row, as things stand at an instant of the monotonic clock.
    case list(@Sendable (Snapshot, _ now: Instant) -> [[OSCArgument]])
    /// Answers a message for each row of a list that may be long, from the first or from a number, after its number and how
    /// many there are; `none` after two zeros if there is none.
    case pages(
      count: @Sendable (Snapshot) -> Int, row: @Sendable (Snapshot, _ index: Int) -> [OSCArgument],
      none: [OSCArgument])
    /// Lists, adds or removes those who are told of everything.
    case feedback(FeedbackAction)
    /// Answers a message for each document of the session folder.
    case documents(@Sendable (_ index: Int, _ count: Int, DocumentSummary?) -> [OSCArgument])
    case ping, time, query, subscribe, unsubscribe
    /// Can only be read.
    case read
  }

  enum FeedbackAction { case list, add, remove }

  /// Whether a message without arguments asks for the value, and not for an action.
  var isReadWithoutArguments: Bool {
    switch action {
    case .set, .order, .read: value != nil
    default: false
    }
  }

  /// Whether it changes nothing, so that a remote that may only look may use it.
  var isHarmless: Bool {
    switch action {
    case .set, .order, .trigger, .call, .feedback: false
    case .list, .pages, .documents, .ping, .time, .query, .subscribe, .unsubscribe, .read: true
    }
  }

  /// What a message to it may hold, the usual first; empty if it takes nothing.
  var signatures: [[ArgumentShape]] {
    var tags = types.split(whereSeparator: { " ,".contains($0) }).map(String.init).filter { $0 != "or" }
    // Of what takes no arguments too, a program sends an impulse.
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

  /// Whether an address pattern reaches it, to read its value or to set it. No pattern reaches a command: `/tactus/*` asks for all
  /// values and must start or reset nothing.
  func isReachedByPattern(_ pattern: String, arguments: Int) -> Bool {
    guard arguments > 0 else { return isReadWithoutArguments }
    if case .order = action { return false }
    let isNamed = pattern.split(separator: "/").last == name.split(separator: "/").last
    return value != nil && (isNamed || !isDerived)
  }

  /// Whether arguments are beyond the ends of a fader, so that it stands elsewhere than its app shows.
  func clips(_ arguments: [OSCArgument]) -> Bool {
    zip(shapes, arguments).contains { shape, argument in argument.number.map(shape.clips) ?? false }
  }

  /// Whether a message that it refuses, or that moves a fader beyond its end, is answered with the value that counts.
  var tellsTruth: Bool {
    switch action {
    case .set, .call: value != nil
    default: false
    }
  }

  /// The message that carries its value, or a row of it.
  func answer(_ arguments: [OSCArgument]) -> OSCMessage {
    OSCMessage(address, arguments: arguments).printable
  }

  /// - Parameters:
  ///   - takes: how many arguments; nil for as many as `types` has letters.
  ///   - family: what it is another form or a part of; nil for nothing else.
  ///   - shapes: what its first arguments may be, for programs that build controls; empty where `types` says all that is fixed.
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
