import Dispatch
import Glibc
import OSCBench
import Testing

@testable import OSC

@Suite struct OSCServerLifeTests {
  private func cause(_ change: (inout OSCServer.Configuration) -> Void) -> OSCStartError.Cause? {
    do {
      _ = try TestServer(change)
      return nil
    } catch {
      return (error as? OSCStartError)?.cause
    }
  }

  @Test func aPortThatIsTakenIsNamed() throws {
    let first = try TestServer()
    #expect { try TestServer { $0.port = first.port } } throws: {
      guard let error = $0 as? OSCStartError else { return false }
      return error.cause == .inUse && error.description.contains("\(first.port)")
    }
  }

  @Test func addressesThatAreNotThisMachinesAreRefused() {
    #expect(cause { $0.address = "192.0.2.1" } == .badAddress)
    #expect(cause { $0.address = "localhost" } == .badAddress)
  }

  @Test func aStoppedServerStartsAgainOnTheSamePort() throws {
    let test = try TestServer { $0.address = "127.0.0.77" }
    let port = test.port
    for _ in 0..<20 {
      #expect(test.server.stop())
      #expect(test.server.port == nil)
      try test.server.start()
      #expect(test.server.port != nil)
    }
    #expect(test.server.stop())
    let same = try TestServer {
      $0.address = "127.0.0.77"
      $0.port = port
    }
    #expect(same.port == port)
  }

  @Test func aServerThatWasStartedAgainIsHeard() throws {
    let test = try TestServer()
    #expect(test.server.stop())
    try test.server.start()
    Peer().send(message("/again"), to: try #require(test.server.port))
    #expect(test.messages.next()?.0 == OSCMessage("/again"))
  }

  @Test func startingTwiceIsRefusedAndStoppingTwiceIsNot() throws {
    let test = try TestServer()
    #expect(throws: OSCStartError.self) { try test.server.start() }
    #expect(test.server.stop())
    #expect(test.server.stop())
  }

  @Test func whatIsSentToAStoppedServerIsCounted() throws {
    let test = try TestServer()
    test.server.stop()
    test.server.send([OSCMessage("/a")], to: .udp(IPAddress("127.0.0.1")!, port: 9))
    #expect(test.server.counts.dropped == 1)
  }

  @Test func stoppingFromAHandlerDoesNotWaitForItself() throws {
    let stopped = Arrivals<Bool>()
    let holder = Arrivals<OSCServer>()
    var configuration = OSCServer.Configuration()
    configuration.port = 0
    let server = OSCServer(
      configuration, onMessages: { _, _, _ in stopped.add(holder.next()?.stop() ?? true) },
      onFault: { _, _ in })
    try server.start()
    holder.add(server)
    Peer().send(message("/quit"), to: try #require(server.port))
    #expect(stopped.next() == false)
    #expect(server.port == nil)
  }

  @Test func aHandlerThatHoldsOnDelaysStopByTwoSecondsAtMost() throws {
    let entered = Arrivals<Bool>()
    let leave = DispatchSemaphore(value: 0)
    var configuration = OSCServer.Configuration()
    configuration.port = 0
    let server = OSCServer(
      configuration,
      onMessages: { _, _, _ in
        entered.add(true)
        _ = leave.wait(timeout: .now() + 30)
      }, onFault: { _, _ in })
    try server.start()
    Peer().send(message("/hold"), to: try #require(server.port))
    #expect(entered.next() == true)
    #expect(!server.stop())
    try server.start()
    leave.signal()
    #expect(server.stop())
  }

  @Test func aRestartLeavesNoDescriptorBehind() throws {
    let test = try TestServer { $0.path = freshPath() }
    let before = try descriptors()
    for _ in 0..<500 {
      #expect(test.server.stop())
      try test.server.start()
    }
    // Other tests open theirs meanwhile; a leak of one a round would still show.
    #expect(try descriptors() < before + 500)
  }

  private func descriptors() throws -> Int {
    let folder = try #require(opendir("/proc/self/fd"))
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
