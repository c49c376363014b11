import MIDI
import MusicTime
import Realtime
import Validation

/// Waits for a control that is moved, and binds it.
struct ControlLearner {
  /// The action to bind to the next moved control; nil if none.
  var action: MIDIAction? { didSet { misfit = nil } }
  /// The last moved control that can't perform the action.
  private var misfit: MIDISource?
  /// The last learned binding and its time. The controller's fine half may follow.
  private var learned: (binding: MIDIBinding, time: Instant)?

  /// The time within which the two halves of a controller follow each other.
  private static let pairTime = Duration.milliseconds(5)

  /// The binding that a message makes; nil if it makes none.
  /// - Parameter time: the time of the message.
  mutating func take(_ message: MIDIMessage, at time: Instant) -> MIDIBinding? {
    if let learned, case .controlChange(let channel, let controller, _) = message,
      time - learned.time < ControlLearner.pairTime, let coarse = learned.binding.source.number,
      Int(controller) == coarse + 32, Int(channel) == learned.binding.source.channel
    {
      self.learned = nil
      return (try? MIDISource(.pair, coarse, channel: Int(channel))).flatMap {
        try? MIDIBinding($0, learned.binding.action)
      }
    }
    guard let action, let source = ControlLearner.source(of: message, for: action),
      let binding = try? MIDIBinding(source, action)
    else { return nil }
    self.action = nil
    let mayBePair = action.target.followsControl && action.coding == nil && source.kind == .controller
    learned = mayBePair ? (binding, time) : nil
    return binding
  }

  /// The reason why a message's control can't be learned; nil if it can. Returned once for each control, because a wheel sends
  /// many messages.
  mutating func misfit(_ message: MIDIMessage) -> InvalidValue? {
    guard let action, let source = ControlLearner.source(of: message, for: action),
      source != misfit
    else { return nil }
    misfit = source
    do { _ = try MIDIBinding(source, action) } catch { return error }
    return nil
  }

  /// The control that a message comes from, if it was pressed or moved.
  private static func source(of message: MIDIMessage, for action: MIDIAction) -> MIDISource? {
    switch message {
    case .noteOn(let channel, let note, _): try? MIDISource(.note, Int(note), channel: Int(channel))
    case .controlChange(let channel, let controller, let value):
      // A switch is learned when it is pressed, not when it is released.
      action.target.followsControl || action.coding != nil || value >= 64
        ? try? MIDISource(.controller, Int(controller), channel: Int(channel)) : nil
    case .programChange(let channel, let program):
      try? MIDISource(.program, action.target.takesProgram ? nil : Int(program), channel: Int(channel))
    case .pitchBend(let channel, _): try? MIDISource(.pitchBend, channel: Int(channel))
    case .start: try? MIDISource(.start)
    case .stop: try? MIDISource(.stop)
    case .continue: try? MIDISource(.continue)
    default: nil
    }
  }
}
