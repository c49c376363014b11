import Foundation
import Testing

@testable import Web

@Suite struct KeyFileTests {
  private let file: KeyFile

  init() {
    file = KeyFile(path: NSTemporaryDirectory() + "tactus-keys-\(UUID().uuidString)/remote-keys")
  }

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
    let doorkeeper = Authenticator(file)
    let key = try #require(doorkeeper.key(for: content.keys[1].token, now: 0))
    #expect(!key.mayWrite)
    #expect(doorkeeper.knows(key))
    content.keys.removeLast()
    try file.write(content)
    #expect(!doorkeeper.knows(key))
    #expect(doorkeeper.key(for: key.token, now: 0) == nil)
    #expect(doorkeeper.key(for: "", now: 0) == nil)
  }

  @Test func `Of ten thousand wrong tokens none lets in, however near it is`() throws {
    let content = try content()
    try file.write(content)
    let doorkeeper = Authenticator(file)
    let token = content.keys[0].token
    var generator = SystemRandomNumberGenerator()
    for number in 0..<10_000 {
      var wrong = Array(try RemoteKey(name: "a", mayWrite: true).token.utf8)
      if number % 2 == 0 {
        wrong = Array(token.utf8)
        let place = Int.random(in: 0..<22, using: &generator)
        wrong[place] = wrong[place] == UInt8(ascii: "a") ? UInt8(ascii: "b") : UInt8(ascii: "a")
      }
      #expect(doorkeeper.key(for: String(decoding: wrong, as: UTF8.self), now: 0) == nil)
    }
    #expect(doorkeeper.key(for: token, now: 0) == content.keys[0])
  }

  @Test func aPINIsTakenOnceWithinItsTime() throws {
    let content = try content()
    let pin = try #require(content.pin)
    try file.write(content)
    #expect(Authenticator(file).key(for: pin.digits, now: pin.end) == nil)
    let doorkeeper = Authenticator(file)
    #expect(doorkeeper.key(for: pin.digits, now: pin.end - 1) == content.keys[0])
    #expect(doorkeeper.key(for: pin.digits, now: pin.end - 1) == nil)
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
    let doorkeeper = Authenticator(file)
    for _ in 0..<Authenticator.tries { #expect(doorkeeper.key(for: wrong, now: 1_000) == nil) }
    #expect(Authenticator(file).key(for: pin.digits, now: 1_000) == nil)
  }

  @Test func fiveWrongPINsEndAPIN() throws {
    let content = try content()
    let pin = try #require(content.pin)
    try file.write(content)
    let doorkeeper = Authenticator(file)
    let wrong = pin.digits == "000000" ? "000001" : "000000"
    for _ in 0..<Authenticator.tries { #expect(doorkeeper.key(for: wrong, now: 1_000) == nil) }
    #expect(doorkeeper.key(for: pin.digits, now: 1_000) == nil)
  }
}
