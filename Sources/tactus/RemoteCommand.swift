import ArgumentParser
import Files
import Glibc
import OSC
import Validation
import Web

/// `tactus remote`: pairs phones and tablets with the web page.
struct RemoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remote",
    abstract: "Pair a phone or tablet: show the web page's address with a key, as a QR code.",
    discussion: """
      The key stays valid until it is revoked. Tactus must listen on the network: tactus play --web-bind 0.0.0.0 --web-allow 192.168.1.0/24
      """)

  @Option(help: "The key's name. An existing key of this name is shown again.") var name: String?
  @Flag(help: "A key for displays: it shows everything and changes nothing.") var viewer = false
  @Option(
    parsing: .unconditional, help: "The port that Tactus listens on. Default: 9700.",
    transform: { try readPort($0, from: 1) })
  var port: UInt16 = 9700
  @Option(
    help: "The address of this machine to show, if it has several.", transform: RemoteCommand.address)
  var address: IPAddress?
  @Flag(help: "List the keys.") var list = false
  @Option(
    help: "Revoke a key by its name; 'all' revokes all. Remotes with this key are disconnected within 15 s.")
  var revoke: String?

  func run() throws {
    try CommandError.reported {
      let file = KeyFile.own
      if let revoke { return try RemoteCommand.revoke(revoke, in: file) }
      if list { return RemoteCommand.list(file.read()) }
      try show(file)
    }
  }

  private static func address(_ text: String) throws -> IPAddress {
    guard let address = IPAddress(text) else {
      throw InvalidValue("address", quoted(text), allowed: "numeric, such as 192.168.1.5")
    }
    return address
  }

  private static func list(_ content: KeyFile.Content) {
    if content.keys.isEmpty { print("no keys") }
    for key in content.keys { print("\(key.name): \(key.mayWrite ? "controls" : "displays")") }
  }

  private static func revoke(_ name: String, in file: KeyFile) throws {
    try file.change { content in
      guard name == "all" || content.keys.contains(where: { $0.name == name }) else {
        let names = content.keys.map(\.name).joined(separator: ", ")
        throw InvalidValue(
          "key", quoted(name),
          allowed: names.isEmpty ? "one that exists: there is none" : "all, or one of \(names)")
      }
      content.keys.removeAll { name == "all" || $0.name == name }
      content.pin = nil
    }
    print(name == "all" ? "all keys are revoked" : "\(name) is revoked")
  }

  private func show(_ file: KeyFile) throws {
    let pairing = try Pairing(
      name: name ?? (viewer ? "viewer" : "remote"), mayWrite: !viewer, at: address ?? Pairing.address(),
      port: port, in: file)
    if isatty(1) == 1, let code = QRCode(pairing.url) { for line in code.lines { print(line) } }
    print(pairing.url)
    print(pairing.pinLine)
    if let advice = Pairing.advice(for: pairing.address, port: port) {
      StandardError.write("tactus: \(advice)")
    }
  }
}
