import Glibc
import TestBench
import Testing

@Suite(.serialized) struct ServerWatchTests {
  @Test func `A server that is stopped for a moment was held up`() async throws {
    try await JACKServer.run { server in
      let process = try #require(server.processID)
      let never = Event()
      kill(process, SIGSTOP)
      never.wait(until: .within(.milliseconds(200)))
      kill(process, SIGCONT)
      let deadline = Deadline.within(.seconds(5))
      while !ServerWatch.latestSawHoldUp, !deadline.hasPassed {
        never.wait(until: .within(.milliseconds(10)))
      }
      #expect(ServerWatch.latestSawHoldUp)
    }
    #expect(ServerWatch.latestSawHoldUp)
    ServerWatch.forget()
    #expect(!ServerWatch.latestSawHoldUp)
  }
}
