import Control
import Dispatch
import Foundation

/// The keys of the terminal on which Tactus plays: each does what an OSC message would.
struct Keyboard: Sendable {
  static let help = [
    "space  start, stop; a session is paused     h    hold the section, let it go on",
    "n p    next, previous section               + -  tempo by 1; a session's speed by 5 %",
    "N P    next, previous song                  t    tap the tempo",
    "q      quit                                 s    save the settings",
  ]

  let updates: UpdateQueue
  let display: Display
  let quit: @Sendable () -> Void

  /// Reads keys until the terminal is gone.
  func listen(to terminal: RawTerminal) {
    let thread = Thread {
      var buffer = [UInt8](repeating: 0, count: 64)
      while true {
        // Nothing tells when Tactus comes to the foreground.
        terminal.enter()
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard terminal.isInForeground else {
          usleep(500_000)
          continue
        }
        guard poll(&input, 1, 500) != 0, terminal.isInForeground else { continue }
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        for key in Keyboard.keys(in: buffer[..<count]) { press(key) }
      }
    }
    thread.name = "keyboard"
    thread.start()
  }

  /// The keys among what a terminal sends, without arrows and function keys: escape sequences, as ESC [ 3 ~ or ESC O P.
  static func keys(in bytes: some Sequence<UInt8>) -> [Character] {
    var keys: [Character] = []
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      guard byte == 0x1B else {
        keys.append(Character(UnicodeScalar(byte)))
        continue
      }
      switch iterator.next() {
      case UInt8(ascii: "["): while let next = iterator.next(), !(0x40...0x7E ~= next) {}
      case UInt8(ascii: "O"): _ = iterator.next()
      default: break
      }
    }
    return keys
  }

  private func press(_ key: Character) {
    switch key {
    case " ": push { $0.progress == nil ? .toggle : $0.isPlaying ? .pause : .start }
    case "n": push { _ in .go(.next) }
    case "p": push { _ in .go(.previous) }
    case "N": push { _ in .go(.nextSong) }
    case "P": push { _ in .go(.previousSong) }
    case "h": push { .hold($0.progress?.isHeld != true) }
    case "+", "=": push { Keyboard.faster($0, by: 1) }
    case "-", "_": push { Keyboard.faster($0, by: -1) }
    case "t": push { _ in .tap(seconds: nil) }
    case "s": push { _ in .save }
    case "q": quit()
    case "?": for line in Keyboard.help { display.say(line) }
    default: break
    }
  }

  private static func faster(_ now: Snapshot, by step: Int) -> Update {
    guard let speed = now.progress?.speed else { return .nudge(thousandths: 1_000 * step) }
    return .speed(percent: min(max(speed + 5 * step, 10), 400))
  }

  /// Asks how things stand and pushes what is to be done about it.
  private func push(_ update: @escaping @Sendable (Snapshot) -> Update) {
    let arrival = Monotonic.now
    let isPushed = DispatchSemaphore(value: 0)
    let complain: @Sendable (String) -> Void = { [display] in display.warn($0) }
    updates.push(
      Request(
        .query { [updates] snapshot in
          updates.push(Request(.update(update(snapshot)), arrival: arrival, refuse: complain))
          isPushed.signal()
        }, refuse: complain))
    // The next key is to find what this one has done.
    _ = isPushed.wait(timeout: .now() + .milliseconds(100))
  }
}
