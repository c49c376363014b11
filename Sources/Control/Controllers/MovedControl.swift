import MIDI

/// A control that was moved, for displays that show its bindings.
package struct MovedControl: Equatable, Sendable {
  package let source: MIDISource
  /// Whether it is pressed, or in the upper half of its range. Makes each press of a switch a change.
  package let isDown: Bool

  /// The control that sent a message; nil if the message does not belong to a control.
  package init?(_ message: MIDIMessage) {
    let control: (source: MIDISource?, isDown: Bool)? =
      switch message {
      case .noteOn(let channel, let note, _): (try? MIDISource(.note, Int(note), channel: Int(channel)), true)
      case .noteOff(let channel, let note, _):
        (try? MIDISource(.note, Int(note), channel: Int(channel)), false)
      case .controlChange(let channel, let controller, let value):
        (try? MIDISource(.controller, Int(controller), channel: Int(channel)), value >= 64)
      case .programChange(let channel, let program):
        (try? MIDISource(.program, Int(program), channel: Int(channel)), true)
      case .pitchBend(let channel, let value):
        (try? MIDISource(.pitchBend, channel: Int(channel)), value >= 8_192)
      case .start: (try? MIDISource(.start), true)
      case .stop: (try? MIDISource(.stop), true)
      case .continue: (try? MIDISource(.continue), true)
      default: nil
      }
    guard let control, let source = control.source else { return nil }
    (self.source, isDown) = (source, control.isDown)
  }

  /// Whether the binding belongs to this control.
  package func moves(_ binding: MIDIBinding) -> Bool {
    binding.source.isSame(as: source)
      || binding.source.matches(source.kind, source.number, channel: source.channel.map(UInt8.init))
  }
}
