import OSC
import Testing

@testable import Web

@Suite struct WebRulesTests {
  private func rules(_ address: String = "127.0.0.1") throws -> WebRules {
    var rules = WebRules(address: try #require(IPAddress(address)))
    rules.machineName = "stage"
    return rules
  }

  @Test(
    "Only names of this machine are served",
    arguments: [
      "localhost", "localhost:9700", "LOCALHOST:9700", "127.0.0.1:9700", "[::1]:9700", "stage.local:9700",
      "Stage.Local",
    ])
  func ownNames(host: String) throws {
    #expect(try rules().refusal(hosts: [host], origins: []) == nil)
  }

  @Test(
    "A name of somebody else's is refused, whatever it points to",
    arguments: [
      "evil.example", "evil.example:9700", "192.168.1.5:9700", "localhost.evil.example",
      "127.0.0.1.evil.example",
      "stage.local.evil.example", "", ":9700", "localhost:", "localhost:99999", "localhost:9700:1", "[::1",
      "[::1]9700",
      "127.1", "0x7f000001", "2130706433",
    ])
  func foreignNames(host: String) throws {
    #expect(try rules().refusal(hosts: [host], origins: []) == 421)
  }

  @Test func aRequestWithoutAHostOrWithTwoIsRefused() throws {
    #expect(try rules().refusal(hosts: [], origins: []) == 400)
    #expect(try rules().refusal(hosts: ["localhost", "localhost"], origins: []) == 400)
  }

  @Test(
    "Another page's script is refused",
    arguments: [
      "http://evil.example", "null", "http://localhost:9701", "http://localhost", "file://",
      "http://127.0.0.1:9700", "",
    ])
  func foreignOrigins(origin: String) throws {
    #expect(try rules().refusal(hosts: ["localhost:9700"], origins: [origin]) == 403)
  }

  @Test func theOwnPageMaySpeakOverATunnelToo() throws {
    #expect(try rules().refusal(hosts: ["localhost:8080"], origins: ["http://localhost:8080"]) == nil)
    #expect(try rules().refusal(hosts: ["localhost:8080"], origins: ["https://localhost:8080"]) == 403)
    #expect(try rules().refusal(hosts: ["localhost:8080"], origins: [], isForwarded: true) == 403)
  }

  @Test func whoListensEverywhereIsServedUnderItsOwnAddressesAlone() throws {
    for address in IPAddress.ofThisMachine where address.isIPv4 {
      #expect(try rules("0.0.0.0").refusal(hosts: ["\(address):9700"], origins: []) == nil)
    }
    #expect(try rules("0.0.0.0").refusal(hosts: ["203.0.113.7:9700"], origins: []) == 421)
  }

  // MARK: With a certificate

  private func certified(_ names: [String], _ addresses: [String] = []) throws -> WebRules {
    var rules = try rules("0.0.0.0")
    rules.certificate = CertificateNames(
      names: names, addresses: try addresses.map { try #require(IPAddress($0)) })
    return rules
  }

  @Test func `A name of the certificate is this machine's, and its page speaks over https alone`() throws {
    var rules = try certified(["click.example"])
    rules.isEncrypted = true
    let host = "click.example:9700"
    #expect(rules.refusal(hosts: [host], origins: ["https://\(host)"]) == nil)
    #expect(rules.refusal(hosts: [host], origins: ["http://\(host)"]) == 403)
    #expect(rules.refusal(hosts: ["evil.example:9700"], origins: []) == 421)
  }

  @Test(arguments: [
    ("192.168.1.5:9700", "https://click.example:9700/a?b"),
    ("Click.Example:9700", "https://click.example:9700/a?b"),
    ("192.168.1.7", "https://192.168.1.7/a?b"), ("[fe80::1]:9700", "https://[fe80::1]:9700/a?b"),
    ("[fe80::2]:9700", "https://click.example:9700/a?b"),
  ])
  func `Another machine is redirected to the certificate's address`(
    _ host: String, _ place: String
  ) throws {
    let rules = try certified(["click.example", "stage.local"], ["192.168.1.7", "fe80::1"])
    let phone = try #require(IPAddress("192.168.1.20"))
    #expect(rules.redirection(from: phone, host: host, target: "/a?b") == place)
  }

  @Test(arguments: ["@evil.example/", ".evil.example/", "0/", "http://evil.example/", "*", ""])
  func `No target leads to another host or port`(_ target: String) throws {
    let phone = try #require(IPAddress("192.168.1.20"))
    let place = try certified(["click.example"])
      .redirection(from: phone, host: "click.example:9700", target: target)
    #expect(place == "https://click.example:9700/")
  }

  @Test func `Within this machine, over https, and without a certificate nobody is sent elsewhere`() throws {
    var rules = try certified(["click.example"])
    let phone = try #require(IPAddress("192.168.1.20"))
    #expect(
      rules.redirection(from: try #require(IPAddress("127.0.0.1")), host: "localhost", target: "/") == nil)
    rules.isEncrypted = true
    #expect(rules.redirection(from: phone, host: "click.example", target: "/") == nil)
    #expect(try self.rules("0.0.0.0").redirection(from: phone, host: "stage.local", target: "/") == nil)
  }
}
