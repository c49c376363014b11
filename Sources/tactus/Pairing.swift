import Files
import Glibc
import OSC
import Panel
import Validation
import Web

/// A key with which a phone or tablet opens the web page, and the page's address.
struct Pairing {
  let key: RemoteKey
  let pin: RemotePIN
  let address: IPAddress
  let port: UInt16

  /// Makes a key, or uses the existing one of that name, and a PIN for it. Writes both to the file.
  /// - Throws: `InvalidValue` if the existing key has another purpose; the errors of reading and writing the file.
  init(name: String, mayWrite: Bool, at address: IPAddress, port: UInt16, in file: KeyFile) throws {
    let (key, pin) = try file.change { content in
      let known = content.keys.first { $0.name == name }
      let key = try known ?? RemoteKey(name: name, mayWrite: mayWrite)
      guard key.mayWrite == mayWrite else {
        throw InvalidValue(
          "name", quoted(name),
          allowed: "another name: the key of this name \(key.mayWrite ? "controls" : "is for displays")")
      }
      if known == nil { content.keys.append(key) }
      let pin = RemotePIN(for: key, now: Int64(time(nil)))
      content.pin = pin
      return (key, pin)
    }
    (self.key, self.pin, self.address, self.port) = (key, pin, address, port)
  }

  /// The address under which other machines reach this one.
  /// - Throws: `CommandError` if there is none.
  static func address() throws -> IPAddress {
    guard let address = WebAddress.reachable.first else {
      throw CommandError("this machine has no address that a phone could reach", code: .unavailable)
    }
    return address
  }

  /// The URL of the page with the key.
  var url: String { WebAddress.url(address, port: port, token: key.token) }

  /// The PIN and where to enter it, in one line.
  var pinLine: String {
    "PIN \(pin.digits), once, for \(RemotePIN.lifetime / 60) minutes, at http://\(address):\(port)/"
  }

  /// The options to add if no program listens at an address; nil if one does.
  static func advice(for address: IPAddress, port: UInt16) -> String? {
    guard !WebAddress.isServed(address, port: port) else { return nil }
    let network = address.isIPv4 ? (try? OSCNetwork("\(address)/24"))?.description : nil
    return
      "nothing listens on \(address) port \(port): start tactus with --web-bind 0.0.0.0 --web-allow NETWORK, such as \(network ?? "\(address)")"
  }

  /// The panel's card for pairing, or the reason why it is not possible.
  /// - Parameter port: the port of the web page; nil if there is none.
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
