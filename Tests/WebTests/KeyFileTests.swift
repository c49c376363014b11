import Files
import Foundation
import Synchronization
import Testing

@testable import Web

@Suite struct KeyFileTests {
  /// The folder of the keys, which is removed with the test.
  private final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "tactus-keys-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private let folder = Folder()
  private let file: KeyFile

  init() { file = KeyFile(path: folder.path + "/remote-keys") }

  private func content(viewer: Bool = false) throws -> KeyFile.Content {
    var content = KeyFile.Content(keys: [try RemoteKey(name: "phone", mayWrite: true)])
    if viewer { content.keys.append(try RemoteKey(name: "band", mayWrite: false)) }
    content.pin = RemotePIN(for: content.keys[0], now: 1_000)
    return content
  }

  @Test func whatIsWrittenIsReadByItsUserAlone() throws {
    let content = try content(viewer: true)
    try file.write(content)
    #expect(file.read() == content)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `If the folder cannot be created, the error tells why`() throws {
    // Nobody can create a folder there, whether as root, as a user, or where it is read-only.
    let file = KeyFile(path: "/sys/tactus/state/remote-keys")
    let failure = #expect(throws: WriteError.self) { try file.change { $0.pin = nil } }
    #expect(failure?.reason != String(cString: strerror(ENOENT)))
  }

  @Test func aFileThatOthersCanReadLetsNobodyIn() throws {
    let content = try content()
    try file.write(content)
    chmod(file.path, 0o644)
    #expect(file.read() == KeyFile.Content())
    #expect(Authenticator(file).key(for: content.keys[0].token, now: 1_000) == nil)
  }

  @Test func whatWritingAnewWouldLoseIsNotRead() throws {
    #expect(try file.readForChange() == KeyFile.Content())
    try file.write(content())
    #expect(try file.readForChange() == file.read())
    chmod(file.path, 0o640)
    #expect(throws: KeyFileError.self) { try file.readForChange() }
    chmod(file.path, 0o600)
    let lines = try String(contentsOfFile: file.path, encoding: .utf8) + "something else\n"
    try lines.write(toFile: file.path, atomically: false, encoding: .utf8)
    #expect(throws: KeyFileError.self) { try file.readForChange() }
  }

  @Test func `Of keys that are made and revoked at the same time none is lost and none comes back`() throws {
    var content = KeyFile.Content()
    content.keys = try (0..<16).map { try RemoteKey(name: "old-\($0)", mayWrite: true) }
    try file.write(content)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 16) { number in
      do {
        try file.change(within: .seconds(60)) { content in
          content.keys.removeAll { $0.name == "old-\(number)" }
          let key = try RemoteKey(name: "new-\(number)", mayWrite: false)
          content.keys.append(key)
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    let failed = failures.withLock { $0 }
    #expect(failed == [])
    #expect(Set(file.read().keys.map(\.name)) == Set((0..<16).map { "new-\($0)" }))
    #expect(file.read().keys.count == 16)
  }

  @Test func `Who cannot wait until the keys are free changes nothing`() throws {
    let content = try content()
    try file.write(content)
    try FileLock.holding(file.path, within: .zero) {
      #expect(throws: WriteError.self) { try file.change(within: .milliseconds(5)) { $0.keys = [] } }
    }
    #expect(file.read() == content)
    try file.change(within: .zero) { $0.keys = [] }
    #expect(file.read().keys.isEmpty)
  }

  @Test func `A change that is refused leaves the file as it is`() throws {
    let content = try content()
    try file.write(content)
    #expect(throws: CancellationError.self) {
      try file.change { content in
        content.keys = []
        throw CancellationError()
      }
    }
    #expect(file.read() == content)
  }

  @Test func `A PIN used while another program changes the keys is removed with the next attempt`() throws {
    let content = try content()
    let pin = try #require(content.pin)
    try file.write(content)
    let authenticator = Authenticator(file)
    try FileLock.holding(file.path, within: .zero) {
      #expect(authenticator.key(for: pin.digits, now: 1_000) == content.keys[0])
    }
    #expect(file.read().pin == pin)
    #expect(authenticator.key(for: pin.digits, now: 1_000) == nil)
    #expect(file.read().pin == nil && file.read().keys == content.keys)
  }

  @Test(
    "What is no key is left out",
    arguments: ["", "key a control short\n", "pin 12345 x 9\n", "\u{0}\n", "key a b c d e\n"])
  func damaged(text: String) {
    #expect(KeyFile.content(text) == KeyFile.Content())
  }

  @Test func tokensHave128BitsAndDiffer() throws {
    let tokens = Set(try (0..<1_000).map { _ in try RemoteKey(name: "a", mayWrite: true).token })
    #expect(tokens.count == 1_000)
    #expect(tokens.allSatisfy { $0.utf8.count == 22 && $0.utf8.allSatisfy(RemoteKey.isPlain) })
  }

  @Test func aKeyLetsInUntilItIsRevoked() throws {
    var content = try content(viewer: true)
    try file.write(content)
    let authenticator = Authenticator(file)
    let key = try #require(authenticator.key(for: content.keys[1].token, now: 0))
    #expect(!key.mayWrite)
    #expect(authenticator.knows(key))
    content.keys.removeLast()
    try file.write(content)
    #expect(!authenticator.knows(key))
    #expect(authenticator.key(for: key.token, now: 0) == nil)
    #expect(authenticator.key(for: "", now: 0) == nil)
  }

  @Test func `Of ten thousand wrong tokens none lets in, however near it is`() throws {
    let content = try content()
    try file.write(content)
    let authenticator = Authenticator(file)
    let token = content.keys[0].token
    var generator = SystemRandomNumberGenerator()
    for number in 0..<10_000 {
      var wrong = Array(try RemoteKey(name: "a", mayWrite: true).token.utf8)
      if number % 2 == 0 {
        wrong = Array(token.utf8)
        let place = Int.random(in: 0..<22, using: &generator)
        wrong[place] = wrong[place] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
      }
      #expect(authenticator.key(for: String(decoding: wrong, as: UTF8.self), now: 0) == nil)
    }
    #expect(authenticator.key(for: token, now: 0) == content.keys[0])
  }

  @Test func aPINIsTakenOnceWithinItsTime() throws {
    let content = try content()
    let pin = try #require(content.pin)
    try file.write(content)
    #expect(Authenticator(file).key(for: pin.digits, now: pin.end) == nil)
    let authenticator = Authenticator(file)
    #expect(authenticator.key(for: pin.digits, now: pin.end - 1) == content.keys[0])
    #expect(authenticator.key(for: pin.digits, now: pin.end - 1) == nil)
  }

  @Test func `A PIN that was used or guessed at does not count after a restart`() throws {
    var content = try content()
    let pin = try #require(content.pin)
    try file.write(content)
    #expect(Authenticator(file).key(for: pin.digits, now: pin.end - 1) != nil)
    #expect(file.read().pin == nil && file.read().keys == content.keys)
    #expect(Authenticator(file).key(for: pin.digits, now: pin.end - 1) == nil)
    content.pin = pin
    try file.write(content)
    let wrong = pin.digits == "000000" ? "000001" : "000000"
    let authenticator = Authenticator(file)
    for _ in 0..<Authenticator.tries { #expect(authenticator.key(for: wrong, now: 1_000) == nil) }
    #expect(Authenticator(file).key(for: pin.digits, now: 1_000) == nil)
  }

  @Test func fiveWrongPINsEndAPIN() throws {
    let content = try content()
    let pin = try #require(content.pin)
    try file.write(content)
    let authenticator = Authenticator(file)
    let wrong = pin.digits == "000000" ? "000001" : "000000"
    for _ in 0..<Authenticator.tries { #expect(authenticator.key(for: wrong, now: 1_000) == nil) }
    #expect(authenticator.key(for: pin.digits, now: 1_000) == nil)
  }
}
