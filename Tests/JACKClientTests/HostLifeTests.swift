import Control
import Engine
import JACKClient
import Testing

@Suite struct HostLifeTests {
  @Test func `If there is no server, nothing is left to sound`() throws {
    let channels = Channels.make()
    let settings = Settings()
    let conductor = try Conductor(
      Conductor.Configuration(
        settings: settings, sampleRate: 48_000, readSound: { name, _, _ in (name, Rig.impulses) },
        save: { _ in }
      ),
      channels: channels)
    let host = JACKHost(
      JACKHost.Configuration(), kernel: conductor.makeKernel(), channels: channels, onNews: { _ in })
    host.beginNothingMore()
    // No cycle will come that could carry an end away.
    #expect(host.hasFallenSilent)
  }
}
