import Glibc
import OSCBench
import Testing

@testable import OSC

@Suite struct UnixSocketTests {
  @Test func aPeerWithAPathIsAnsweredFromTheSocketItSpokeTo() throws {
    let path = freshPath()
    let test = try TestServer { $0.path = path }
    let peer = Peer(unix: freshPath())
    peer.send(message("/ping"), to: path)
    let (read, sender) = try #require(test.messages.next())
    #expect(read == OSCMessage("/ping"))
    #expect(sender == peer.path.map { .unix(path: $0) })
    test.server.send([OSCMessage("/pong")], to: sender)
    #expect(peer.receive() == [OSCMessage("/pong")])
  }

  @Test func aPeerWithoutAPathIsHeardButCantBeAnswered() throws {
    let path = freshPath()
    let test = try TestServer { $0.path = path }
    let peer = Peer(unix: nil)
    peer.send(message("/ping"), to: path)
    let (read, sender) = try #require(test.messages.next())
    #expect(read == OSCMessage("/ping"))
    #expect(sender == .anonymous)
    test.server.send([OSCMessage("/pong")], to: sender)
    #expect(test.server.counts.dropped == 1)
  }

  @Test func aSlowPeerGetsEverythingInOrder() throws {
    let path = freshPath()
    let test = try TestServer { $0.path = path }
    let peer = Peer(unix: freshPath())
    let to = OSCPeer.unix(path: try #require(peer.path))
    // More than the system queues for a UNIX socket. If a busy machine delays the peer for too long, it loses some: then the test
    // tries again.
    var read: [Int32] = []
    for _ in 0..<20 where read.count < 60 {
      let before = test.server.counts.dropped
      read = []
      for index: Int32 in 0..<60 { test.server.send([OSCMessage("/n", .int32(index))], to: to) }
      while read.count + test.server.counts.dropped - before < 60 {
        guard peer.isAddressed else {
          usleep(1_000)
          continue
        }
        if case .int32(let index)? = peer.receive()?.first?.arguments.first { read.append(index) }
      }
      #expect(read == read.sorted())
    }
    #expect(read == Array(0..<60))
  }

  @Test func aPeerThatIsGoneCostsACountAndNothingElse() throws {
    let path = freshPath()
    let test = try TestServer { $0.path = path }
    test.server.send([OSCMessage("/a")], to: .unix(path: freshPath()))
    let peer = Peer(unix: freshPath())
    test.server.send([OSCMessage("/b")], to: .unix(path: try #require(peer.path)))
    #expect(peer.receive() == [OSCMessage("/b")])
    #expect(test.server.counts.dropped == 1)
  }

  @Test func thePathIsRemovedOnStopAndTakenAgainOnStart() throws {
    let path = freshPath()
    let test = try TestServer { $0.path = path }
    #expect(access(path, F_OK) == 0)
    #expect(test.server.stop())
    #expect(access(path, F_OK) != 0)
    try test.server.start()
    #expect(access(path, F_OK) == 0)
  }

  @Test func onlyTheUserMayWriteToTheSocket() throws {
    let path = freshPath()
    let test = try TestServer { $0.path = path }
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o077 == 0)
    test.server.stop()
  }

  @Test func aSocketThatADeadProcessLeftIsReplaced() throws {
    let path = freshPath()
    leaveStaleSocket(at: path)
    let test = try TestServer { $0.path = path }
    Peer(unix: nil).send(message("/here"), to: path)
    #expect(test.messages.next()?.0 == OSCMessage("/here"))
  }

  @Test func aLiveSocketIsLeftAlone() throws {
    let path = freshPath()
    let first = try TestServer { $0.path = path }
    #expect { try TestServer { $0.path = path } } throws: { ($0 as? OSCStartError)?.cause == .inUse }
    Peer(unix: nil).send(message("/still"), to: path)
    #expect(first.messages.next()?.0 == OSCMessage("/still"))
  }

  @Test func aFileOfAnotherKindIsLeftAlone() throws {
    let path = freshPath()
    let file = open(path, O_CREAT | O_WRONLY, 0o600)
    close(file)
    defer { unlink(path) }
    #expect { try TestServer { $0.path = path } } throws: { ($0 as? OSCStartError)?.cause == .badPath }
    #expect(access(path, F_OK) == 0)
  }

  @Test(arguments: ["relative", "/nowhere/at/all/socket", "/" + String(repeating: "a", count: 108)])
  func pathsThatCantBeAreRefused(_ path: String) {
    #expect { try TestServer { $0.path = path } } throws: { ($0 as? OSCStartError)?.cause == .badPath }
  }

  /// Binds a socket and closes it without removing its path.
  private func leaveStaleSocket(at path: String) {
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    _ = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    close(socket)
  }
}
