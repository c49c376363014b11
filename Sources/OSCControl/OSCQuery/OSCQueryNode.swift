import Control
import OSC

/// The OSCQuery description of an address.
///
/// A node has one type. If an address answers with other arguments than it takes, the node has the type of its value, which can
/// be read, and what it takes is an overload, which can be written.
struct OSCQueryNode {
  private let path: String
  private let endpoint: Endpoint?

  /// - Parameter endpoint: nil for a node that only contains others.
  init(path: String, endpoint: Endpoint?) { (self.path, self.endpoint) = (path, endpoint) }

  private enum Access: Int {
    case none, read, write, both
  }

  /// One way to use an address.
  private struct Signature {
    var shapes: [ArgumentShape]
    var access: Access

    var tags: String { String(shapes.map(\.tag)) }
  }

  /// All attributes except CONTENTS, in the order of the specification.
  func attributes(_ snapshot: Snapshot) -> [(String, JSONText)] {
    var members: [(String, JSONText)] = [("FULL_PATH", .text(path))]
    guard let endpoint else { return members + [("ACCESS", .integer(Access.none.rawValue))] }
    let value = endpoint.value?(snapshot)
    let (main, others) = signatures(endpoint, value)
    members += describe(main, endpoint)
    members.append(("DESCRIPTION", .text(endpoint.summary)))
    if let value { members.append(("VALUE", .array(printable(value).map(JSONText.init)))) }
    if !others.isEmpty {
      members.append(("OVERLOADS", .array(others.map { .object(describe($0, endpoint)) })))
    }
    return members
  }

  private func printable(_ value: [OSCArgument]) -> [OSCArgument] {
    OSCMessage(path, arguments: value).printable.arguments
  }

  private func signatures(_ endpoint: Endpoint, _ value: [OSCArgument]?) -> (Signature, [Signature]) {
    let access: Access = if case .read = endpoint.action { .read } else { .write }
    let accepted = endpoint.signatures.map { Signature(shapes: $0, access: access) }
    guard let value else {
      guard let first = accepted.first else {
        return (Signature(shapes: [ArgumentShape(tag: "I")], access: .write), [])
      }
      return (first, Array(accepted.dropFirst()))
    }
    let tags = String(value.map(\.tag))
    if let index = accepted.firstIndex(where: { $0.tags == tags }) {
      var (main, others) = (accepted[index], accepted)
      others.remove(at: index)
      main.access = .both
      return (main, others)
    }
    return (Signature(shapes: value.map { ArgumentShape(tag: $0.tag) }, access: .read), accepted)
  }

  private func describe(_ signature: Signature, _ endpoint: Endpoint) -> [(String, JSONText)] {
    var members: [(String, JSONText)] = [
      ("TYPE", .text(signature.tags)), ("ACCESS", .integer(signature.access.rawValue)),
    ]
    let ranges = signature.shapes.map { shape -> JSONText in
      if !shape.choices.isEmpty { return .object([("VALS", .array(shape.choices.map { .text($0) }))]) }
      guard let bounds = shape.bounds else { return .null }
      return .object([("MIN", .number(bounds.lowerBound)), ("MAX", .number(bounds.upperBound))])
    }
    if signature.shapes.contains(where: { $0.bounds != nil || !$0.choices.isEmpty }) {
      members.append(("RANGE", .array(ranges)))
      members.append(
        ("CLIPMODE", .array(signature.shapes.map { .text($0.isClipped ? "both" : "none") })))
    }
    if !endpoint.unit.isEmpty {
      members.append(("UNIT", .array(signature.shapes.map { _ in .text(endpoint.unit) })))
    }
    return members
  }
}
