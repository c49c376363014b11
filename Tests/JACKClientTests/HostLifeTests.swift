import Control
import Engine
import JACKClient
import Testing

@Suite struct HostLifeTests {
  @Test func `Without a server the host counts as silent`() throws {
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
    host.stopNewClips()
    // No cycle will come in which a clip could end.
    #expect(host.hasFallenSilent)
  }
}
