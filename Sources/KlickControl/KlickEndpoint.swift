import Control
import OSC
import Realtime

/// One address of klick's: its arguments and its action.
struct KlickEndpoint: Sendable {
  /// Changes klick's variables at an instant, and returns the orders to the conductor.
  typealias Change = @Sendable (inout KlickState, OSCArguments, _ now: Instant) throws -> [KlickOrder]

  /// The address below `/klick/`.
  let name: String
  /// The accepted combinations of type tags; nil for any.
  let types: [String]?
  /// The kind of metronome that has this address; nil for all.
  let kind: KlickState.Kind?
  let action: Action

  enum Action: Sendable {
    /// Answers with values to the sender, or to the address that the message names.
    case answer(@Sendable (KlickState) -> [KlickValue])
    /// Answers with a message without arguments, at the given address below `/klick/`.
    case reply(String)
    /// Answers with the audio inputs of the JACK server.
    case ports
    /// Adds or removes the sender, or the address that the message names, as a client.
    case register, unregister
    /// Changes klick's variables and reports values to the clients, either at once or when the conductor has made the change.
    case change(pushing: [KlickValue], whenDone: Bool, Change)
    /// Calls the host, which may take long. Runs on a queue.
    case call(@Sendable (KlickHost, OSCArguments) throws -> Void)
    /// Ends the program.
    case quit
  }

  var address: String { KlickNamespace.root + name }

  init(_ name: String, _ types: [String]?, for kind: KlickState.Kind? = nil, _ action: Action) {
    (self.name, self.types, self.kind, self.action) = (name, types, kind, action)
  }

  /// Whether an address pattern reaches it. Patterns reach queries and setters, but no commands such as `quit`.
  var isReachedByPattern: Bool {
    switch action {
    case .answer: true
    case .change: types?.contains("") != true
    case .reply, .ports, .register, .unregister, .call, .quit: false
    }
  }

  /// Makes an endpoint that answers with values.
  static func query(
    _ name: String, for kind: KlickState.Kind? = nil,
    _ values: @escaping @Sendable (KlickState) -> [KlickValue]
  ) -> KlickEndpoint {
    KlickEndpoint(name, ["", "s"], for: kind, .answer(values))
  }

  /// Makes an endpoint that changes klick's variables.
  static func set(
    _ name: String, _ types: String..., for kind: KlickState.Kind? = nil, pushing values: KlickValue...,
    whenDone: Bool = false, _ change: @escaping Change
  ) -> KlickEndpoint {
    KlickEndpoint(name, types, for: kind, .change(pushing: values, whenDone: whenDone, change))
  }

  /// The arguments converted to accepted types, as klick converts numbers; nil if that is not possible.
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
