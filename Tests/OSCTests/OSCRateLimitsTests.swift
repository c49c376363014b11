import OSCBench
import Realtime
import Testing

@testable import OSC

@Suite struct OSCRateLimitsTests {
  private let start = Instant.distantPast
  private let local = OSCPeer.udp(IPAddress("127.0.0.1")!, port: 9)
  private func remote(_ host: Int, port: UInt16 = 9) -> OSCPeer {
    .udp(IPAddress("10.0.\(host / 256).\(host % 256)")!, port: port)
  }

  @Test func whatIsSpentComesBackWithTimeUpToTheCapacity() {
    let (soon, later, late) = (start + .seconds(1), start + .seconds(40), start + .seconds(1_000))
    var allowance = TokenBucket(capacity: 10, perSecond: 2, now: start)
    let spent = [
      allowance.spend(8, now: start), allowance.spend(3, now: start), allowance.spend(3, now: soon),
    ]
    #expect(spent == [true, false, true])
    let owed = [allowance.overdraw(100, now: soon), allowance.overdraw(1, now: later)]
    #expect(owed == [true, false])
    #expect(allowance.available(now: late) == 10)
    #expect(allowance.available(now: start) == 10)
  }

  @Test func theErrorsOfARemoteAddressNeverExceedTwiceWhatItSent() {
    var allowances = OSCRateLimits()
    var caused = 0
    #expect(allowances.room(forRefusalBy: remote(1), now: start) == 0)
    for step in 0..<1_000 {
      let now = start + .milliseconds(10 * step)
      allowances.receive(24, from: remote(1, port: UInt16(1 + step)), now: now)
      let room = allowances.room(forRefusalBy: remote(1), now: now)
      if allowances.refuse(min(room, 120), by: remote(1, port: UInt16(1 + step)), now: now) {
        caused += min(room, 120)
      }
    }
    #expect(caused == 2 * 24 * 1_000)
  }

  @Test func whatOthersOverhearOfThisMachineIsEarnedByItsBytes() {
    var allowances = OSCRateLimits()
    let early = allowances.overhear(1, of: local, now: start)
    #expect(!early && allowances.room(forOverhearing: local, now: start) == 0)
    allowances.receive(50, from: local, now: start)
    #expect(allowances.room(forOverhearing: local, now: start) == 100)
    let spent = [60, 60, 40, 1].map { allowances.overhear($0, of: local, now: start) }
    #expect(spent == [true, false, true, false])
    // Time alone earns nothing, and no more than so much is saved up.
    let late = start + .seconds(1_000)
    let unearned = allowances.overhear(1, of: local, now: late)
    #expect(!unearned)
    allowances.receive(1_000_000, from: local, now: late)
    #expect(allowances.room(forOverhearing: local, now: late) == 16_384)
  }

  @Test func aRemoteAddressIsAnsweredTenTimesWhatItSentAtMost() {
    var allowances = OSCRateLimits()
    var bytes = 0
    for step in 0..<1_000 {
      let now = start + .seconds(step)
      allowances.receive(20, from: remote(1), now: now)
      while allowances.answer(30, to: remote(1), now: now) { bytes += 30 }
    }
    #expect(bytes <= 10 * 20 * 1_000)
    #expect(bytes > 9 * 20 * 1_000)
  }

  @Test func aRemoteAddressIsAnsweredAtItsRateWhateverItSends() {
    var allowances = OSCRateLimits()
    var bytes = 0
    for step in 0..<10_000 {
      let now = start + .milliseconds(step)
      allowances.receive(8_192, from: remote(1, port: UInt16(1 + step)), now: now)
      if allowances.answer(2_300, to: remote(1, port: UInt16(1 + step)), now: now) { bytes += 2_300 }
    }
    #expect(Double(bytes) <= 11 * OSCRateLimits.remoteAnswers)
    #expect(Double(bytes) > 9 * OSCRateLimits.remoteAnswers)
    let end = start + .seconds(10)
    allowances.receive(230, from: remote(2), now: end)
    let other = allowances.answer(2_300, to: remote(2), now: end)
    #expect(other, "each address has its own")
  }

  @Test func aProgramOfThisMachineHasAnAccountOfItsOwn() {
    var allowances = OSCRateLimits()
    let other = OSCPeer.udp(IPAddress("127.0.0.1")!, port: 10)
    spendUnearned(of: &allowances, now: start)
    allowances.receive(100, from: local, now: start)
    allowances.receive(100, from: other, now: start)
    let refused = [
      allowances.refuse(200, by: local, now: start), allowances.refuse(1, by: local, now: start),
      allowances.refuse(200, by: other, now: start),
    ]
    #expect(refused == [true, false, true])
    let answered = [
      allowances.answer(1_000, to: local, now: start), allowances.answer(1, to: local, now: start),
      allowances.answer(1_000, to: other, now: start),
    ]
    #expect(answered == [true, false, true])
  }

  /// Spends what the programs of this machine need not earn.
  private func spendUnearned(of allowances: inout OSCRateLimits, now: Instant) {
    let spent = allowances.refuse(Int(OSCRateLimits.unearnedRefusals), by: local, now: now)
    #expect(spent)
  }

  @Test func `The programs of this machine get their first errors whole, and then some each second`() {
    var allowances = OSCRateLimits()
    var caused = 0
    for step in 0..<10_000 {
      let (now, port) = (start + .milliseconds(step), UInt16(1 + step))
      let peer = OSCPeer.udp(IPAddress("127.0.0.1")!, port: port)
      if step < 40 { #expect(allowances.room(forRefusalBy: peer, now: now) >= 100) }
      if allowances.refuse(100, by: peer, now: now) { caused += 100 }
      // Others overhear only what was earned.
      let isOverheard = allowances.overhear(1, of: peer, now: now)
      #expect(!isOverheard)
    }
    let bound = OSCRateLimits.unearnedRefusals + 10 * OSCRateLimits.unearnedRefusalRate
    #expect(Double(caused) <= bound && Double(caused) > bound - 200)
    let remote = allowances.refuse(1, by: remote(1), now: start + .seconds(60))
    #expect(!remote)
  }

  @Test func errorsOfThisMachineToTheirSendersAndToOthersAreTwiceItsBytesTogether() {
    var allowances = OSCRateLimits()
    spendUnearned(of: &allowances, now: start)
    var (sent, caused) = (0, 0)
    for port: UInt16 in 1...100 {
      let peer = OSCPeer.udp(IPAddress("127.0.0.1")!, port: port)
      allowances.receive(24, from: peer, now: start)
      sent += 24
      for _ in 0..<10 {
        if allowances.refuse(8, by: peer, now: start) { caused += 8 }
        if allowances.overhear(8, of: peer, now: start) { caused += 8 }
      }
    }
    #expect(caused == 2 * sent)
  }

  @Test func theFirstValuesOfSubscriptionsOfThisMachineAreBoundedASecondAndEarnNothingElse() {
    var allowances = OSCRateLimits()
    var values = 0
    for step in 0..<10_000 {
      let now = start + .milliseconds(step)
      allowances.credit(2_800, to: local, now: now)
      if allowances.answer(2_800, to: local, now: now) { values += 2_800 }
    }
    let bound = OSCRateLimits.welcome + 10 * OSCRateLimits.welcomeRate
    #expect(Double(values) <= bound + 2_800 && Double(values) > bound - 2_800)
    let end = start + .seconds(10)
    spendUnearned(of: &allowances, now: end)
    let unearned = [allowances.answer(1, to: local, now: end), allowances.refuse(1, by: local, now: end)]
    #expect(unearned == [false, false])
    // One of another machine may be forged.
    allowances.credit(1, to: remote(1), now: end)
    let forged = allowances.answer(1, to: remote(1), now: end)
    #expect(!forged)
  }

  @Test func thereIsAnEndToTheAccountsAndWhoComesLaterSharesOne() {
    var allowances = OSCRateLimits()
    var answered = 0
    for host in 0..<10_000 {
      let now = start + .nanoseconds(host)
      allowances.receive(1_000, from: remote(host), now: now)
      if allowances.answer(8_000, to: remote(host), now: now) { answered += 1 }
    }
    #expect(answered == OSCRateLimits.capacity + 1)
    // Those that have been quiet for a while make room.
    let end = start + .seconds(10)
    allowances.receive(1_000, from: remote(20_000), now: end)
    let later = allowances.answer(8_000, to: remote(20_000), now: end)
    #expect(later)
  }

  @Test func anErrorIsCutToTheRoomThereIs() throws {
    let error = OSCRefusal.message(
      to: "/tactus/error", "/tactus/tempo", "tempo '0': must be 1…999.999 beats a minute")
    #expect(OSCRefusal.message(error, in: 1_000) == error)
    let cut = try #require(OSCRefusal.message(error, in: 48))
    #expect(LibloWriter.length(of: cut) <= 48)
    #expect(cut.arguments == [.string("/tactus/tempo"), .string("tempo …")])
    #expect(OSCRefusal.message(error, in: 36) == nil)
    let long = OSCRefusal.message(to: "/tactus/error", "/a", String(repeating: "e\u{301}", count: 5_000))
    #expect(LibloWriter.length(of: long) < OSCRefusal.limit + 40)
  }
}
