import Control
import Testing

@testable import tactus

@Suite struct RoleEventTests {
  private func lines(_ old: Snapshot, _ new: Snapshot) -> [String] {
    EventLine.events(of: .changed(from: old, to: new)) { preconditionFailure("no connection is reported") }
      .compactMap(\.line)
  }

  @Test func `A change of role is an event with the role, and with the wanted one while Tactus has another`()
    throws
  {
    var settings = Settings()
    try settings.set(.role(.lead))
    let leading = Snapshot(settings: settings)
    var demoted = leading
    demoted.role = .follow
    #expect(
      lines(leading, demoted) == [
        #"{"event":"state","meter":"4/4","playing":false,"role":"follow","state":"idle","tempo":120,"wantedRole":"lead"}"#
      ])
    #expect(
      lines(demoted, leading) == [
        #"{"event":"state","meter":"4/4","playing":false,"role":"lead","state":"idle","tempo":120}"#
      ])
  }
}
