import Foundation
import Synchronization
import TestBench

/// Senders that flood a port of this machine with datagrams at a rate.
final class Flood: Sendable {
  private let isOver = Atomic(false)
  private let count = Atomic(0)
  private let hasEnded = Atomic(false)
  private let ended = TestBench.Event()

  /// The number of datagrams sent.
  var sent: Int { count.load(ordering: .relaxed) }

  /// - Parameters:
  ///   - senders: sockets that take turns.
  ///   - address: the address of this machine from which they send.
  ///   - rate: datagrams a second.
  ///   - datagrams: sent in turn, again and again.
  init(
    port: UInt16, senders: Int, from address: String = "127.0.0.1", rate: Double, datagrams: [[UInt8]]
  ) {
    let thread = Thread { [self] in
      let sockets = (0..<senders).map { _ in UDPSocket(address: address) }
      let began = ContinuousClock.now
      while !isOver.load(ordering: .acquiring) {
        // After a delay the missing datagrams are sent.
        let due = Int((ContinuousClock.now - began) / .seconds(1) * rate)
        for number in sent..<max(sent, due) {
          sockets[number % senders].send(datagrams[number % datagrams.count], to: port)
        }
        count.store(max(sent, due), ordering: .relaxed)
        pause(.milliseconds(1))
      }
      hasEnded.store(true, ordering: .releasing)
      ended.post()
    }
    thread.start()
  }

  /// Ends the flood; a second call does nothing.
  func stop() {
    isOver.store(true, ordering: .releasing)
    _ = ended.wait(until: .within(.seconds(30))) { hasEnded.load(ordering: .acquiring) ? true : nil }
  }

  /// Harmful datagrams, and valid faders among them.
  static func datagrams(subscribing foreign: String) -> [[UInt8]] {
    let fader = { (name: String, value: Float) in OSCBytes.message("/tactus/volume/" + name, value) }
    let inAnHour = UInt64(Date().timeIntervalSince1970 + 2_208_988_800 + 3_600) << 32
    let never = UInt64.max
    var kinds: [[UInt8]] = []
    for step in 0..<100 {
      let value = 0.2 + Float(step) / 200
      kinds += [
        fader("beat", value), fader("accent", value), fader("master", 1 - value / 2), fader("cue", value),
        OSCBytes.bundle(at: inAnHour, fader("beat", value)),
        OSCBytes.bundle(at: never, fader("beat", value)),
        (0...3).reduce(fader("subdivision", value)) { inner, _ in OSCBytes.bundle(at: 1, inner) },
        (0...300).reduce(fader("beat", 0)) { inner, _ in OSCBytes.bundle(at: 1, inner) },
        [UInt8](repeating: UInt8(ascii: "/"), count: 8_200 + step),
        OSCBytes.message("/" + String(repeating: "*t", count: 100) + "{a,aa}[!b]", value),
        OSCBytes.message("/tactus/" + String(repeating: "{a,aa}", count: 40), value),
        OSCBytes.message("/tactus/subscribe", foreign),
      ]
    }
    return kinds
  }

  /// Datagrams with as many and as long errors as fit, which 63 subscribers would receive.
  static let multiplying: [[UInt8]] = [
    OSCBytes.bundle(at: 1, (0..<64).map { _ in OSCBytes.message("/tactus/*", "\u{301}") }),
    OSCBytes.bundle(at: 1, (0..<64).map { _ in OSCBytes.message("/tactus/tempo", "fast") }),
    OSCBytes.bundle(
      at: 1, (0..<31).map { _ in OSCBytes.message("/*" + String(repeating: "{,a}", count: 50), 1) }),
    OSCBytes.bundle(at: 1, (0..<64).map { _ in OSCBytes.message("/tactus/query", "") }),
    OSCBytes.message("/tactus/*", String(repeating: "\u{301}", count: 4_000)),
    // The same in klick's namespace.
    OSCBytes.bundle(at: 1, (0..<64).map { _ in OSCBytes.message("/klick/*/*", "\u{301}") }),
    OSCBytes.bundle(
      at: 1, (0..<31).map { _ in OSCBytes.message("/klick/*" + String(repeating: "{,a}", count: 50), 1) }),
    OSCBytes.bundle(at: 1, (0..<64).map { _ in OSCBytes.message("/klick/simple/tempo", "fast") }),
  ]
}

/// Encoded OSC.
enum OSCBytes {
  static func message(_ address: String, _ value: Float) -> [UInt8] {
    padded(address) + padded(",f") + bigEndian(value.bitPattern)
  }

  static func message(_ address: String, _ text: String) -> [UInt8] {
    padded(address) + padded(",s") + padded(text)
  }

  /// - Parameter time: seconds since 1900, in 2⁻³² s; 1 for at once.
  static func bundle(at time: UInt64, _ element: [UInt8]) -> [UInt8] { bundle(at: time, [element]) }

  static func bundle(at time: UInt64, _ elements: [[UInt8]]) -> [UInt8] {
    elements.reduce(padded("#bundle") + bigEndian(time)) { $0 + bigEndian(UInt32($1.count)) + $1 }
  }

  private static func padded(_ text: String) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: 4 - text.utf8.count % 4)
  }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
