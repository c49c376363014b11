import Testing

@testable import JACKClient

@Suite struct ServerArrivalTests {
  /// As Linux prints it: a server, the connection of a client, and others.
  private static let table = """
    Num       RefCount Protocol Flags    Type St Inode Path
    00000000fb8a6b27: 00000002 00000000 00010000 0001 01 2194049 /dev/shm/jack_default_1000_0
    00000000d5a0258b: 00000003 00000000 00000000 0001 03 2194051 /dev/shm/jack_studio_1000_0
    0000000011111111: 00000002 00000000 00010000 0001 01 2194052 @/tmp/.X11-unix/X0
    0000000022222222: 00000002 00000000 00000000 0002 01 2194053
    """

  @Test func serversThatWaitForClientsAreFound() {
    func servers(_ user: UInt32 = 1_000, _ table: String = ServerArrivalTests.table, exists: Bool = true)
      -> Set<String>
    {
      ServerArrival.servers(user: user, in: table) {
        #expect($0.hasPrefix("/dev/shm/jack_"))
        return exists
      }
    }
    #expect(servers() == ["default"])
    #expect(servers(0).isEmpty && servers(exists: false).isEmpty && servers(1_000, "").isEmpty)
    #expect(PrivateServer.isPrivate("tactus-24308"))
    #expect(!PrivateServer.isPrivate("tactus-studio") && !PrivateServer.isPrivate("default"))
  }

  @Test func aServerIsNoticedOnceWithinTwoSeconds() {
    var arrival = ServerArrival()
    var (looks, notices): (Int, [Int]) = (0, [])
    for now in stride(from: 500, to: 60_000, by: 250) {
      // It comes, goes and comes back.
      let runs = now > 10_000 && now < 20_000 || now > 30_000
      let isNoticed = arrival.isNoticed(now: now) {
        looks += 1
        return runs
      }
      if isNoticed { notices.append(now) }
    }
    #expect(notices == [10_500])
    #expect(looks == 6)
  }
}
