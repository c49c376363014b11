import Files
import Foundation
import Synchronization
import Testing

@Suite struct FileLockTests {
  private let path = NSTemporaryDirectory() + "/tactus-lock-\(UUID().uuidString)"

  @Test func `One body at a time holds a lock`() throws {
    defer { unlink(path + ".lock") }
    let counts = Mutex((inside: 0, most: 0, failed: 0))
    DispatchQueue.concurrentPerform(iterations: 20) { _ in
      do {
        try FileLock.holding(path, within: .seconds(60)) {
          counts.withLock {
            $0.inside += 1
            $0.most = max($0.most, $0.inside)
          }
          usleep(1_000)
          counts.withLock { $0.inside -= 1 }
        }
      } catch {
        counts.withLock { $0.failed += 1 }
      }
    }
    let (_, most, failed) = counts.withLock { $0 }
    #expect(most == 1 && failed == 0)
  }

  @Test func `A lock that is held is refused, and free again after the body, even if that threw`() throws {
    defer { unlink(path + ".lock") }
    var reason: String?
    func hold() throws {
      try FileLock.holding(path, within: .zero) {
        do { try FileLock.holding(path, within: .milliseconds(5)) {} } catch let error as WriteError {
          reason = error.reason
        }
        throw CancellationError()
      }
    }
    #expect(throws: CancellationError.self) { try hold() }
    #expect(reason?.contains("another program") == true)
    #expect(try FileLock.holding(path, within: .zero) { 7 } == 7)
    #expect(!fileExists(path))
  }

  @Test func `Links to one file share its lock`() throws {
    let link = path + ".link"
    defer { for file in [link, path + ".lock", link + ".lock"] { unlink(file) } }
    #expect(symlink(path, link) == 0)
    let lock = try FileLock(on: path)
    #expect(throws: WriteError.self) { try FileLock.holding(link, within: .zero) {} }
    withExtendedLifetime(lock) {}
  }
}
