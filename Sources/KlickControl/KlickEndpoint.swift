import Control
import OSC

/// One message that klick understands: what it takes, and what it does.
struct KlickEndpoint: Sendable {
  typealias Change = @Sendable (inout KlickState, OSCArguments) throws -> [KlickState.Order]

  /// Below `/klick/`.
  let name: String
  /// The type tags that it takes, one way or another; nil for any.
  let types: [String]?
  /// The kind of metronome that it is for; nil for all.
  let kind: KlickState.Kind?
  let action: Action

  enum Action: Sendable {
    /// Answers with values to the sender, or to the address that the message names.
    case answer(@Sendable (KlickState) -> [KlickValue])
    /// Answers with a message of another name.
    case reply(String)
    case ports
    case register, unregister
    /// Changes something, and pushes values of it to the clients; where the conductor makes them, once it has.
    case change(pushing: [KlickValue], whenDone: Bool, Change)
    /// Asks the host for something that may take its time.
    case call(@Sendable (KlickHost, OSCArguments) throws -> Void)
    /// Ends the program.
    case quit
  }

  var address: String { KlickNamespace.root + name }

  init(_ name: String, _ types: [String]?, for kind: KlickState.Kind? = nil, _ action: Action) {
    (self.name, self.types, self.kind, self.action) = (name, types, kind, action)
  }

  /// Whether an address pattern reaches it: queries, and what sets a value. Commands are named in full, `quit` above all.
  var isReachedByPattern: Bool {
    switch action {
    case .answer: true
    case .change: types?.contains("") != true
    case .reply, .ports, .register, .unregister, .call, .quit: false
    }
  }

  /// One that answers with values.
  static func query(
    _ name: String, for kind: KlickState.Kind? = nil,
    _ values: @escaping @Sendable (KlickState) -> [KlickValue]
  ) -> KlickEndpoint {
    KlickEndpoint(name, ["", "s"], for: kind, .answer(values))
  }

  /// One that sets something.
  static func set(
    _ name: String, _ types: String..., for kind: KlickState.Kind? = nil, pushing values: KlickValue...,
    whenDone: Bool = false, _ change: @escaping Change
  ) -> KlickEndpoint {
    KlickEndpoint(name, types, for: kind, .change(pushing: values, whenDone: whenDone, change))
  }

  /// The arguments as types that it takes, numbers made from others as klick makes them; nil where it takes none of the
  /// kind.
  func arguments(_ given: [OSCArgument]) -> OSCArguments? {
    guard let types else { return OSCArguments(name: name, arguments: given) }
    for type in types where type.count == given.count {
      let arguments = zip(type, given).compactMap { KlickEndpoint.coerced($1, to: $0) }
      if arguments.count == given.count { return OSCArguments(name: name, arguments: arguments) }
    }
    return nil
  }

  private static func coerced(_ argument: OSCArgument, to tag: Character) -> OSCArgument? {
    if tag == "s" { return argument.text.map { .string($0) } }
    guard !argument.isTruth, let number = argument.number else { return nil }
    switch tag {
    case "f": return argument.tag == "f" ? argument : .float(Float(number))
    case "d": return .double(number)
    default: return .int32(Int32(clamping: Int(number.rounded(.towardZero).clamped(to: -1e9...1e9))))
    }
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
