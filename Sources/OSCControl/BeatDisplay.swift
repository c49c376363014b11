import Control
import Engine
import OSC
import Realtime

/// Makes the messages about beats for displays: the bar, the beat, and a lamp that each beat lights.
struct BeatDisplay {
  /// How long a beat lights the lamp; half the time since the beat before if that is shorter.
  static let flash = Duration.milliseconds(80)

  private var isPlaying = false
  private var place = BeatPlace()
  private var last: Instant?

  /// Handles a start or a stop.
  /// - Returns: the messages to send.
  mutating func note(isPlaying: Bool) -> [OSCMessage] {
    self.isPlaying = isPlaying
    last = nil
    return move(to: BeatPlace())
  }

  /// Handles a beat that begins.
  /// - Returns: the messages to send, and after how long the lamp goes dark; nil if it stays dark.
  mutating func note(_ beat: Event.Beat, at now: Instant) -> (messages: [OSCMessage], flash: Duration?) {
    // Beats that were reported before a stop may arrive after it.
    guard isPlaying, beat.layer == 0, beat.role != .subdivision else { return ([], nil) }
    let moves = move(to: BeatPlace(bar: beat.bar, beat: beat.beat))
    let flash = min(BeatDisplay.flash, last.map { (now - $0) / 2 } ?? BeatDisplay.flash)
    last = now
    guard beat.strength > 0 else { return (moves, nil) }
    return ([BeatDisplay.lamp(isLit: true)] + moves, flash)
  }

  static func lamp(isLit: Bool) -> OSCMessage {
    OSCMessage(AddressSpace.lamp, arguments: AddressSpace.ints(isLit ? 1 : 0))
  }

  private mutating func move(to next: BeatPlace) -> [OSCMessage] {
    defer { place = next }
    var messages: [OSCMessage] = []
    if next.bar != place.bar {
      messages.append(OSCMessage(AddressSpace.bar, arguments: AddressSpace.ints(next.bar)))
    }
    if next.beat != place.beat {
      messages.append(OSCMessage(AddressSpace.beatNumber, arguments: AddressSpace.ints(next.beat)))
    }
    return messages
  }
}
