import Engine
import MIDI
import MusicTime
import Realtime
import Validation

/// MIDI controllers: gestures, times, feedback, and learning.
struct Controllers {
  private var surface = ControlSurface()
  private var times = FrameTimes()
  var feedback = ControllerFeedback()
  /// The control that was moved last; nil if none has been moved.
  private(set) var moved: MovedControl?

  /// The action to bind to the next moved control; nil if none.
  var learning: MIDIAction? { surface.learner.action }

  /// The fader that was moved last, if it must be picked up first; nil otherwise.
  var pickUp: PickUp? { surface.pickUp }

  /// When `update` must be called; `never` if no gesture is under way.
  var deadline: Instant { surface.deadline }

  /// Updates the state that controllers show.
  /// - Returns: the messages to send to them.
  mutating func show(_ now: Snapshot, at time: Instant) -> [MIDIMessage] { feedback.update(now, at: time) }

  /// Handles a message.
  /// - Returns: the updates that it makes, and a warning: why its control can't be learned, or receives nothing more.
  mutating func handle(_ event: MIDIEvent, at moment: Moment, sampleRate: Int, _ now: Snapshot) -> (
    moves: [ControlSurface.Move], warning: String?
  ) {
    let estimate = moment.clock?.instant(of: event.frame) ?? moment.instant
    return handle(
      event.message, at: times.time(of: event.frame, estimate: estimate, sampleRate: sampleRate), now)
  }

  /// Handles a message.
  /// - Parameter time: the time of the message.
  mutating func handle(_ message: MIDIMessage, at time: Instant, _ now: Snapshot) -> (
    moves: [ControlSurface.Move], warning: String?
  ) {
    let (isEcho, warning) = feedback.note(message, at: time, now.settings.bindings)
    guard !isEcho else { return ([], nil) }
    if let control = MovedControl(message) { moved = control }
    let moves = surface.handle(message, at: time, now)
    return (moves, warning ?? surface.learner.misfit(message).map { "\($0)" })
  }

  /// Carries out the gestures of switches that have been pressed or released long enough.
  mutating func update(at time: Instant, _ now: Snapshot) -> [ControlSurface.Move] {
    surface.update(at: time, now)
  }

  /// Changes bindings or learning.
  /// - Throws: `InvalidValue` if there is no room for a binding, or no control has learned a target.
  mutating func teach(_ update: Update, _ settings: inout Settings) throws(InvalidValue) {
    switch update {
    case .learn(let action): surface.learner.action = action
    case .unlearn(let target):
      let isWaiting = learning != nil && (target == nil || learning?.target == target)
      if isWaiting { surface.learner.action = nil }
      // A target that waits for a control may have no binding.
      if isWaiting, !settings.bindings.contains(where: { $0.action.target == target }) { break }
      try settings.unbind(target)
    case .bind(let binding): try settings.bind(binding)
    case .unbind(let binding): try settings.unbind(binding)
    case .load(let map): for binding in map.bindings { try settings.bind(binding) }
    default: break
    }
  }
}
