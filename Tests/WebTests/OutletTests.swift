import Synchronization
import Testing

@testable import Web

@Suite struct OutletTests {
  @Test func datagramsComeOutInTheirOrder() {
    let outlet = Outlet {}
    for byte in 1...100 { #expect(outlet.add([UInt8(byte)]) == 0) }
    for byte in 1...100 { #expect(outlet.take() == [UInt8(byte)]) }
    #expect(outlet.take() == nil)
  }

  @Test func ofAClientThatNeverReadsTheNewestAreKeptWithinABound() throws {
    let outlet = Outlet {}
    var lost = 0
    for number in 0..<100_000 { lost += outlet.add(Array("\(number)".utf8)) }
    var kept: [String] = []
    while let bytes = outlet.take() { kept.append(String(decoding: bytes, as: UTF8.self)) }
    #expect(kept.count + lost == 100_000)
    #expect(kept.count <= WebLimits.outgoing / WebLimits.overhead)
    #expect(kept.last == "99999")
    #expect(kept.first == "\(lost)")
  }

  @Test func aClientIsWokenOnceUntilAllIsTaken() {
    let wakes = Counter()
    let outlet = Outlet { wakes.count.add(1, ordering: .relaxed) }
    for _ in 0..<3 { _ = outlet.add([1]) }
    #expect(wakes.value == 1)
    while outlet.take() != nil {}
    _ = outlet.add([1])
    #expect(wakes.value == 2)
  }
}

private final class Counter: Sendable {
  let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
}
