import Engine
import MIDI
import MusicTime
import Realtime
import Validation

/// MIDI controllers: their gestures, their times, and learning.
struct Controllers {
  private var surface = ControlSurface()
  private var times = FrameTimes()
  var feedback = ControllerFeedback()
  /// The control that was moved last; nil before any was.
  private(set) var moved: MovedControl?

  /// The action that the next moved control learns; nil if none waits.
  var learning: MIDIAction? { surface.learner.action }

  /// The fader that was moved last, if it must be picked up first.
  var pickUp: PickUp? { surface.pickUp }

  /// When `update` must be called; `never` if no gesture is under way.
  var deadline: Instant { surface.deadline }

  /// Shows on controllers what is.
  /// - Returns: the messages to send to them.
  mutating func show(_ now: Snapshot, at time: Instant) -> [MIDIMessage] { feedback.update(now, at: time) }

  /// Handles a message.
  /// - Returns: the updates that it makes, and why its control cannot be learned, or is shown nothing more.
  mutating func handle(_ event: MIDIEvent, at moment: Moment, sampleRate: Int, _ now: Snapshot) -> (
    moves: [ControlSurface.Move], warning: String?
  ) {
    let told = moment.clock?.instant(of: event.frame) ?? moment.instant
    return handle(event.message, at: times.time(of: event.frame, told: told, sampleRate: sampleRate), now)
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

  /// Makes the gestures of switches that have been down or up long enough.
  mutating func update(at time: Instant, _ now: Snapshot) -> [ControlSurface.Move] {
    surface.update(at: time, now)
  }

  /// Changes what controllers do.
  /// - Throws: `InvalidValue` if there is no room for a binding, or no control has learned a target.
  mutating func teach(_ update: Update, _ settings: inout Settings) throws(InvalidValue) {
    switch update {
    case .learn(let action): surface.learner.action = action
    case .unlearn(let target):
      let isWaiting = learning != nil && (target == nil || learning?.target == target)
      if isWaiting { surface.learner.action = nil }
      // A target that waits for a control need not have had one.
      if isWaiting, !settings.bindings.contains(where: { $0.action.target == target }) { break }
      try settings.unbind(target)
    case .bind(let binding): try settings.bind(binding)
    case .unbind(let binding): try settings.unbind(binding)
    case .load(let map): for binding in map.bindings { try settings.bind(binding) }
    default: break
    }
  }
}
