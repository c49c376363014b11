import Engine
import Validation

/// A role as the user requests it: a mode, or `lead-if-free`.
package struct RequestedRole: Equatable, Sendable {
  private static let ifFree = "lead-if-free"

  /// The names of all roles that can be requested.
  package static let names = SyncMode.allCases.flatMap { mode in
    mode == .lead ? [mode.rawValue, ifFree] : [mode.rawValue]
  }

  package let role: SyncMode
  /// Whether it is `lead-if-free`: Tactus leads unless another client does. `role` is then `lead`.
  package let isConditional: Bool

  package init(_ role: SyncMode) { (self.role, isConditional) = (role, false) }

  /// The role that settings contain.
  package init(of settings: Settings) { (role, isConditional) = (settings.role, settings.leadsIfFree) }

  /// - Throws: `InvalidValue` if no role has that name.
  package init(text: String) throws(InvalidValue) {
    isConditional = text == RequestedRole.ifFree
    guard let role = isConditional ? .lead : SyncMode(rawValue: text) else {
      let names = RequestedRole.names.joined(separator: ", ")
      throw InvalidValue("role", quoted(text), allowed: "one of \(names)")
    }
    self.role = role
  }

  package var name: String { isConditional ? RequestedRole.ifFree : role.rawValue }

  package var update: Update { isConditional ? .leadIfFree : .set(.role(role)) }
}
