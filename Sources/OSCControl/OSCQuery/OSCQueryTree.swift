import Control
import OSC

/// The namespace as an OSCQuery tree, made from the table of addresses.
package enum OSCQueryTree {
  /// The answer to a query: an HTTP status, and JSON, which is empty if the status is not 200.
  package struct Answer: Equatable, Sendable {
    /// An HTTP status: 200, 204, 400 or 404 from this module.
    package let status: Int
    /// Empty unless the status is 200.
    package let json: String

    package init(status: Int, json: String) { (self.status, self.json) = (status, json) }

    static let noSuchPath = Answer(status: 404, json: "")
    static let noSuchAttribute = Answer(status: 400, json: "")
    static let absent = Answer(status: 204, json: "")
  }

  /// The attributes that a query may request, besides HOST_INFO.
  static let attributes: Set = [
    "FULL_PATH", "CONTENTS", "TYPE", "ACCESS", "DESCRIPTION", "VALUE", "RANGE", "CLIPMODE", "UNIT",
    "OVERLOADS",
  ]

  /// A node and the nodes below it.
  private final class Branch: Sendable {
    let path: String
    let endpoint: Endpoint?
    let branches: [(name: String, branch: Branch)]

    /// The whole tree.
    convenience init(of table: ParameterTable) {
      let endpoints = AddressSpace.endpoints(of: table) + AddressSpace.announcements
      self.init("/", endpoints.map { ($0.address.split(separator: "/")[...], $0) })
    }

    private init(_ path: String, _ endpoints: [(rest: ArraySlice<Substring>, endpoint: Endpoint)]) {
      self.path = path
      endpoint = endpoints.first { $0.rest.isEmpty }?.endpoint
      var names: [String] = []
      var groups: [String: [(rest: ArraySlice<Substring>, endpoint: Endpoint)]] = [:]
      for (rest, endpoint) in endpoints {
        guard let name = rest.first.map(String.init) else { continue }
        if groups[name] == nil { names.append(name) }
        groups[name, default: []].append((rest.dropFirst(), endpoint))
      }
      branches = names.map { name in
        (name, Branch(path == "/" ? "/" + name : "\(path)/\(name)", groups[name] ?? []))
      }
    }

    func json(_ snapshot: Snapshot) -> [(String, JSONText)] {
      let own = OSCQueryNode(path: path, endpoint: endpoint).attributes(snapshot)
      guard !branches.isEmpty || endpoint == nil else { return own }
      return own + [("CONTENTS", .object(branches.map { ($0.name, .object($0.branch.json(snapshot))) }))]
    }
  }

  private static let root = Branch(of: .standard)

  private static func branch(_ path: String, in root: Branch) -> Branch? {
    var branch = root
    for name in path.split(separator: "/") {
      guard let next = branch.branches.first(where: { $0.name == name })?.branch else { return nil }
      branch = next
    }
    return branch
  }

  /// The answer to a request that is invalid whatever the values are; nil for a valid one.
  static func objection(path: String, attribute: String?) -> Answer? {
    guard branch(path, in: root) != nil else { return .noSuchPath }
    return attribute.map { attributes.contains($0) } ?? true ? nil : .noSuchAttribute
  }

  /// Describes a node with its contents, or one attribute of it.
  /// - Parameter attribute: nil for all.
  static func answer(path: String, attribute: String?, _ snapshot: Snapshot) -> Answer {
    answer(path: path, attribute: attribute, snapshot, in: root)
  }

  /// The same, for the parameters of another table.
  static func answer(
    path: String, attribute: String?, _ snapshot: Snapshot, among table: ParameterTable
  ) -> Answer {
    answer(path: path, attribute: attribute, snapshot, in: Branch(of: table))
  }

  private static func answer(
    path: String, attribute: String?, _ snapshot: Snapshot, in root: Branch
  ) -> Answer {
    guard let branch = branch(path, in: root) else { return .noSuchPath }
    let members = branch.json(snapshot)
    guard let attribute else { return Answer(status: 200, json: JSONText.object(members).text) }
    guard attributes.contains(attribute) else { return .noSuchAttribute }
    guard let member = members.first(where: { $0.0 == attribute }) else { return .absent }
    return Answer(status: 200, json: JSONText.object([member]).text)
  }

  /// The answer to HOST_INFO.
  /// - Parameter address: the address of the UDP socket; nil if it receives on all addresses. Clients then use the address that
  ///   they know.
  static func hostInfo(name: String, address: String?, port: UInt16) -> Answer {
    let extensions = [
      "ACCESS", "VALUE", "RANGE", "DESCRIPTION", "CLIPMODE", "UNIT", "OVERLOADS", "LISTEN",
    ]
    var members: [(String, JSONText)] = [
      ("NAME", .text(name)),
      // The addresses never change while Tactus runs, so no changes need to be reported.
      (
        "EXTENSIONS",
        .object(
          extensions.map { ($0, .truth(true)) }
            + ["PATH_CHANGED", "TAGS", "HTML"].map { ($0, .truth(false)) })
      ),
      ("OSC_PORT", .integer(Int(port))), ("OSC_TRANSPORT", .text("UDP")), ("WS_PORT", .integer(Int(port))),
    ]
    if let address { members.append(("OSC_IP", .text(address))) }
    return Answer(status: 200, json: JSONText.object(members).text)
  }
}
