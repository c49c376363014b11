import OSC
import Testing
import Validation

@Suite struct OSCNetworkTests {
  @Test(arguments: [
    ("192.168.1.0/24", "192.168.1.255", true), ("192.168.1.77/24", "192.168.1.1", true),
    ("192.168.1.0/24", "192.168.2.0", false), ("10.0.0.5", "10.0.0.5", true), ("10.0.0.5", "10.0.0.6", false),
    ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false), ("fe80::/10", "fe80::1", true),
    ("fe80::/10", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
    ("10.0.0.0/8", "::ffff:10.1.2.3", true),
  ])
  func membershipFollowsThePrefix(_ network: String, _ address: String, _ isMember: Bool) throws {
    #expect(try OSCNetwork(network).contains(#require(IPAddress(address))) == isMember)
  }

  @Test(arguments: [
    "", "studio.local", "192.168.1", "192.168.1.0/33", "192.168.1.0/-1", "192.168.1.0/", "::/129",
    "1.2.3.4/8/8",
    "1.2.3.4/x",
  ])
  func anythingElseIsRefusedByName(_ text: String) {
    #expect { try OSCNetwork(text) } throws: { ($0 as? InvalidValue)?.value == text }
  }

  @Test(arguments: [
    ("192.168.1.0/24", "192.168.0.0/16", true), ("192.168.1.0/24", "192.168.1.7", true),
    ("192.168.1.0/24", "192.168.2.0/24", false), ("0.0.0.0/0", "10.0.0.0/8", true),
    ("0.0.0.0/0", "::/0", false),
  ])
  func rangesOverlapWhereOneLiesInTheOther(_ one: String, _ other: String, _ overlaps: Bool) throws {
    #expect(try OSCNetwork(one).overlaps(OSCNetwork(other)) == overlaps)
    #expect(try OSCNetwork(other).overlaps(OSCNetwork(one)) == overlaps)
  }

  @Test func descriptionSaysTheWholeRange() throws {
    #expect(try OSCNetwork("192.168.1.77/24").description == "192.168.1.0/24")
    #expect(try OSCNetwork("10.0.0.5").description == "10.0.0.5/32")
  }
}
