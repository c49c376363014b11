import OSCBench
import Realtime
import Testing

@testable import OSC

@Suite struct OSCInboxTests {
  private let start = Instant.distantPast
  /// When all that came at the start has waited for long.
  private let late = Instant.distantPast + OSCInbox.patience

  private func datagram(
    _ port: UInt16, _ number: UInt8, size: Int = 1, isUrgent: Bool = false
  ) -> OSCInbox.Datagram {
    let peer = OSCPeer.udp(IPAddress("127.0.0.1")!, port: port)
    return .init(
      bytes: [UInt8](repeating: number, count: size), length: size, peer: peer, arrival: start,
      isUrgent: isUrgent)
  }

  private func takeAll(_ inbox: inout OSCInbox) -> [UInt8] {
    var taken: [UInt8] = []
    while !inbox.isEmpty { taken += inbox.take(now: late).compactMap(\.bytes.first) }
    #expect(inbox.take(now: late).isEmpty)
    return taken
  }

  @Test func asLongAsNothingWaitsForLongAllComesOutAsItCame() {
    var inbox = OSCInbox()
    for number: UInt8 in 1...40 {
      #expect(inbox.add(datagram(UInt16(number % 7 + 1), number, isUrgent: number == 40)) == 0)
    }
    let early = late - .nanoseconds(1)
    for number: UInt8 in 1...30 { #expect(inbox.take(now: early).map(\.bytes[0]) == [number]) }
    #expect(inbox.take(now: late).map(\.bytes[0]) != [31])
  }

  @Test func aPeersDatagramsStayInOrderAndPeersTakeTurns() {
    var inbox = OSCInbox()
    for number: UInt8 in 1...3 { #expect(inbox.add(datagram(1, number)) == 0) }
    for number: UInt8 in 11...12 { _ = inbox.add(datagram(2, number)) }
    #expect(takeAll(&inbox) == [1, 11, 2, 12, 3])
    _ = inbox.add(datagram(1, 4))
    #expect(takeAll(&inbox) == [4])
  }

  @Test func whatIsUrgentOvertakesOthersButNotItsOwnPeer() {
    var inbox = OSCInbox()
    for port: UInt16 in 1...50 { _ = inbox.add(datagram(port, UInt8(port))) }
    _ = inbox.add(datagram(60, 60))
    _ = inbox.add(datagram(60, 61, isUrgent: true))
    _ = inbox.add(datagram(70, 70, isUrgent: true))
    #expect(inbox.take(now: late).map(\.bytes[0]) == [70, 1])
    let rest = takeAll(&inbox)
    #expect(rest == (2...50).map { UInt8($0) } + [60, 61])
  }

  @Test func aFloodOfUrgentOnesHoldsUpNobody() {
    var inbox = OSCInbox()
    _ = inbox.add(datagram(1, 1))
    for port: UInt16 in 2...200 { _ = inbox.add(datagram(port, 0, isUrgent: true)) }
    #expect(inbox.take(now: late).map(\.bytes[0]) == [0, 1])
  }

  @Test func whoPoursInMoreThanThereIsRoomForLosesItsOwnOldest() {
    var inbox = OSCInbox()
    _ = inbox.add(datagram(1, 1))
    var lost = 0
    for _ in 0..<100 { lost += inbox.add(datagram(2, 2, size: 8_000)) }
    lost += inbox.add(datagram(2, 3, size: 8_000))
    #expect(lost == 70)
    _ = inbox.add(datagram(3, 4, isUrgent: true))
    #expect(inbox.take(now: late).map(\.bytes[0]) == [4, 1])
    let rest = takeAll(&inbox)
    #expect(rest.count == 31 && rest.last == 3)
  }

  @Test func whatIsUrgentIsNotLostBehindHeavyOnes() {
    var inbox = OSCInbox()
    for port: UInt16 in 1...31 { _ = inbox.add(datagram(port, 1, size: 8_000)) }
    _ = inbox.add(datagram(40, 9, isUrgent: true))
    for port: UInt16 in 41...70 { _ = inbox.add(datagram(port, 2, size: 8_000)) }
    #expect(inbox.take(now: late).first?.bytes == [9])
  }

  @Test func aCrowdTakesTurnsAtOnce() {
    var inbox = OSCInbox()
    for port: UInt16 in 1...64 { _ = inbox.add(datagram(port, UInt8(port))) }
    #expect(inbox.take(now: start).map(\.bytes[0]) == [1])
    for port: UInt16 in 65...66 { _ = inbox.add(datagram(port, UInt8(port), isUrgent: true)) }
    // With more than 64 peers the oldest datagram is not searched.
    #expect(inbox.take(now: start).map(\.bytes[0]) == [65, 2])
  }

  @Test(arguments: [.zero, OSCInbox.patience] as [Duration])
  func aFloodOfUrgentOnesTakesNoMoreRoomTheLongerItLasts(waited: Duration) {
    let now = start + waited
    var inbox = OSCInbox()
    var most = 0
    for _ in 1...10_000 {
      for port: UInt16 in 1...4 { _ = inbox.add(datagram(port, 1, isUrgent: true)) }
      _ = inbox.take(now: now)
      most = max(most, inbox.hurried.count)
    }
    #expect(most <= 32)
  }

  @Test func aNewcomerFindsRoomInAFullInbox() {
    var inbox = OSCInbox()
    for port: UInt16 in 1...5_000 { _ = inbox.add(datagram(port, 1)) }
    _ = inbox.add(datagram(6_000, 9, isUrgent: true))
    #expect(inbox.take(now: late).first?.bytes == [9])
    #expect(takeAll(&inbox).count <= OSCInbox.capacity / OSCInbox.overhead)
  }
}
