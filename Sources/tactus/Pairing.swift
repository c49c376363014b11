import Files
import Glibc
import OSC
import Panel
import Validation
import Web

/// A key with which a phone or tablet opens the web page, and where it does.
struct Pairing {
  let key: RemoteKey
  let pin: RemotePIN
  let address: IPAddress
  let port: UInt16

  /// Makes a key, or takes the one of that name, and a PIN for it. Both are kept.
  /// - Throws: `InvalidValue` if the key of that name has another purpose, and what writing the file throws.
  init(name: String, mayWrite: Bool, at address: IPAddress, port: UInt16, in file: KeyFile) throws {
    var content = try file.readForChange()
    let known = content.keys.first { $0.name == name }
    let key = try known ?? RemoteKey(name: name, mayWrite: mayWrite)
    guard key.mayWrite == mayWrite else {
      throw InvalidValue(
        "name", quoted(name), allowed: "another one: this key \(key.mayWrite ? "controls" : "only looks")")
    }
    if known == nil { content.keys.append(key) }
    let pin = RemotePIN(for: key, now: Int64(time(nil)))
    content.pin = pin
    try file.write(content)
    (self.key, self.pin, self.address, self.port) = (key, pin, address, port)
  }

  /// This machine's address for others.
  /// - Throws: `CommandError` if it is on no network.
  static func address() throws -> IPAddress {
    guard let address = WebAddress.reachable.first else {
      throw CommandError("this machine is on no network that a phone could be on", code: .unavailable)
    }
    return address
  }

  var url: String { WebAddress.url(address, port: port, token: key.token) }

  var pinLine: String {
    "PIN \(pin.digits), once, for \(RemotePIN.lifetime / 60) minutes, at http://\(address):\(port)/"
  }

  /// What is missing if nothing listens at an address; nil if something does.
  static func advice(for address: IPAddress, port: UInt16) -> String? {
    guard !WebAddress.isServed(address, port: port) else { return nil }
    let network = address.isIPv4 ? (try? OSCNetwork("\(address)/24"))?.description : nil
    return
      "nothing listens on \(address) port \(port): start tactus with --web-bind 0.0.0.0 --web-allow NETWORK, such as \(network ?? "\(address)")"
  }

  /// What the panel shows.
  /// - Parameter port: of the web page; nil if there is none.
  static func card(port: UInt16?) -> PairingCard {
    guard let port else { return PairingCard(lines: ["there is no web page: start tactus without --no-web"]) }
    do {
      let address = try address()
      if let advice = advice(for: address, port: port) { return PairingCard(lines: [advice]) }
      let pairing = try Pairing(name: "remote", mayWrite: true, at: address, port: port, in: .own)
      return PairingCard(code: QRCode(pairing.url)?.rows ?? [], lines: [pairing.url, pairing.pinLine])
    } catch {
      return PairingCard(lines: ["\(error)"])
    }
  }
}
