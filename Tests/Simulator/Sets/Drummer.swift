import MIDI
import TestNumbers

/// A drummer with one pedal for `go`: presses late, too early when nervous, and often twice.
struct Drummer {
  /// The messages of the pedal.
  enum Pedal: CaseIterable {
    /// On when pressed, off when released.
    case controller, note
    /// The same message at each press, and none when released.
    case onlyOn, program
  }

  /// What the drummer hears and sees.
  struct Stage {
    let isPlaying: Bool
    /// Whether the section lasts until the player goes on.
    let isOpen: Bool
  }

  /// Nanoseconds between two looks.
  static let look: UInt64 = 10_000_000
  /// How long the foot stays down; shorter than the time between two presses.
  private static let press: UInt64 = 15_000_000

  private let pedal: Pedal
  private var random: Generator
  /// When the foot goes down, earliest first.
  private var presses: [UInt64] = []
  /// When the foot comes up; nil while it is up.
  private var release: UInt64?
  private(set) var pressCount = 0

  init(_ random: Generator) {
    self.random = random
    pedal = Pedal.allCases[self.random.number(0...Pedal.allCases.count - 1)]
  }

  /// Decides, at a look, whether to press.
  mutating func watch(_ stage: Stage, at now: UInt64) {
    let isAsked = !stage.isPlaying || stage.isOpen
    guard presses.isEmpty, random.number(1...1_000) <= (isAsked ? 12 : 4) else { return }
    press(at: now + UInt64(random.number(0...300)) * 1_000_000)
    guard random.oneIn(3) else { return }
    presses.append(presses[0] + UInt64(random.number(20...450)) * 1_000_000)
  }

  mutating func press(at time: UInt64) { presses.append(time) }

  /// What the pedal has sent up to now.
  mutating func messages(at now: UInt64) -> [MIDIMessage] {
    var messages: [MIDIMessage] = []
    while true {
      if let time = release, time <= now {
        release = nil
        messages += sent(down: false)
      } else if let time = presses.first, time <= now {
        presses.removeFirst()
        pressCount += 1
        release = time + Drummer.press
        messages += sent(down: true)
      } else {
        return messages
      }
    }
  }

  private func sent(down: Bool) -> [MIDIMessage] {
    let bytes: [UInt8]
    switch pedal {
    case .controller: bytes = [0xB0, 64, down ? 127 : 0]
    case .note: bytes = down ? [0x99, 36, 90] : [0x89, 36, 0]
    case .onlyOn: bytes = down ? [0xB3, 80, 127] : []
    case .program: bytes = down ? [0xC0, 5] : []
    }
    return bytes.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.flatMap { MIDIMessage($0, count: bytes.count) }.map { [$0] } ?? []
    }
  }
}
