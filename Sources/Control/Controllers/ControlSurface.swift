import MIDI
import MusicTime
import Realtime

/// Turns messages of MIDI controllers into updates, by the bindings.
struct ControlSurface {
  /// An update, and the time of the player's action.
  struct Move: Equatable {
    let update: Update
    let time: Instant
  }

  var learner = ControlLearner()

  /// The bindings that the state below belongs to.
  private var bindings: [MIDIBinding] = []
  private var switches: [MIDISource: FootswitchGesture] = [:]
  /// Controllers that are used as switches and are pressed, with the value and time of their last message.
  private var down: [MIDISource: (value: UInt8, time: Instant)] = [:]
  /// Whether a controller's last value was on; nil for those that have sent none. Kept when the bindings change.
  private var isOn: [MIDISource: Bool] = [:]
  /// Switches that have sent a release.
  private var releasing: Set<MIDISource> = []
  private var faders: [MIDIBinding: SoftTakeover] = [:]
  private var pairs = ControllerPairs()
  /// The fader that was moved last, if it must be picked up before it has an effect; nil otherwise.
  private(set) var pickUp: PickUp?

  /// When `update` must be called; `never` if no gesture is under way.
  var deadline: Instant {
    switches.values.compactMap(\.deadline).min().map { Instant(nanoseconds: $0) } ?? .never
  }

  /// Handles a message.
  /// - Parameter time: the time of the message.
  /// - Returns: the updates that were due before, then those of the message.
  mutating func handle(_ message: MIDIMessage, at time: Instant, _ now: Snapshot) -> [Move] {
    adopt(now.settings.bindings)
    let due = update(at: time, now)
    if let binding = learner.take(message, at: time) {
      // The control that was just learned is on.
      if case .controlChange(_, _, let value) = message { isOn[binding.source] = value >= 64 }
      return due + [Move(update: .bind(binding), time: time)]
    }
    let moves =
      switch message {
      case .noteOn(let channel, let note, _): press(.note, note, channel, at: time, now)
      case .noteOff(let channel, let note, _): release(.note, note, channel, now)
      case .controlChange(let channel, let controller, let value):
        control(controller, value, channel, at: time, now)
      case .programChange(let channel, let program): press(.program, program, channel, at: time, now)
      case .pitchBend(let channel, let value):
        move(.pitchBend, nil, channel, to: Double(value) / 16_383, at: time, now)
      case .start: press(.start, nil, nil, at: time, now)
      case .stop: press(.stop, nil, nil, at: time, now)
      case .continue: press(.continue, nil, nil, at: time, now)
      default: [Move]()
      }
    return due + moves
  }

  /// Carries out the gestures of switches that have been pressed or released long enough.
  mutating func update(at time: Instant, _ now: Snapshot) -> [Move] {
    adopt(now.settings.bindings)
    guard deadline <= time else { return [] }
    var moves: [Move] = []
    for source in switches.keys.sorted(by: { "\($0)" < "\($1)" }) {
      if let made = switches[source]!.update(now: time.nanoseconds) { moves += self.moves(source, made, now) }
    }
    return moves
  }

  private mutating func adopt(_ bindings: [MIDIBinding]) {
    guard bindings != self.bindings else { return }
    self.bindings = bindings
    pickUp = nil
    (switches, down) = ([:], [:])
    faders = faders.filter { bindings.contains($0.key) }
    for source in Set(bindings.map(\.source)) where source.kind.isReleased {
      // A switch that a map binds on every channel may have other bindings on its own channel.
      let gestures = bindings.filter { $0.source.isSame(as: source) && $0.isPressed }.map(\.action.gesture)
      switches[source] = FootswitchGesture(Set(gestures))
    }
  }

  // MARK: Switches

  /// The bindings that a switch's gestures trigger.
  private func pressed(_ source: MIDISource) -> [MIDIBinding] {
    bindings.filter { $0.source == source && $0.isPressed }
  }

  private func moves(
    _ source: MIDISource, _ made: FootswitchGesture.Made, _ now: Snapshot, program: UInt8? = nil
  ) -> [Move] {
    pressed(source).filter { $0.action.gesture == made.gesture }.compactMap { binding in
      binding.action.target.update(now, program: program).map {
        Move(update: $0, time: Instant(nanoseconds: made.time))
      }
    }
  }

  private func sources(_ kind: MIDISource.Kind, _ number: UInt8?, _ channel: UInt8?) -> [MIDISource] {
    var found: [MIDISource] = []
    for binding in bindings
    where binding.source.matches(kind, number.map(Int.init), channel: channel)
      && !found.contains(binding.source)
    {
      found.append(binding.source)
    }
    return found
  }

  private mutating func press(
    _ kind: MIDISource.Kind, _ number: UInt8?, _ channel: UInt8?, at time: Instant, _ now: Snapshot
  ) -> [Move] {
    sources(kind, number, channel).flatMap { source -> [Move] in
      // A control without a release has only one gesture.
      guard switches[source] != nil else {
        return moves(source, (.press, time.nanoseconds), now, program: number)
      }
      return switches[source]!.press(at: time.nanoseconds).map { moves(source, $0, now) } ?? []
    }
  }

  private mutating func release(
    _ kind: MIDISource.Kind, _ number: UInt8?, _ channel: UInt8?, _ now: Snapshot
  ) -> [Move] {
    sources(kind, number, channel).flatMap { source in
      switches[source]?.release().map { moves(source, $0, now) } ?? []
    }
  }

  // MARK: Controllers

  private mutating func control(
    _ controller: UInt8, _ value: UInt8, _ channel: UInt8, at time: Instant, _ now: Snapshot
  ) -> [Move] {
    var moves = move(.controller, controller, channel, to: Double(value) / 127, at: time, now)
    if let pair = pairs.take(channel: channel, controller: controller, value: value) {
      moves += move(.pair, pair.controller, channel, to: Double(pair.value) / 16_383, at: time, now)
    }
    for binding in bindings where binding.source.matches(.controller, Int(controller), channel: channel) {
      guard let detents = binding.action.coding?.detents(value), detents != 0 else { continue }
      if let update = turn(binding.action, detents, now) { moves.append(Move(update: update, time: time)) }
    }
    for source in sources(.controller, controller, channel) {
      moves += flip(source, to: value, at: time, now)
    }
    return moves
  }

  /// After this time, a repeated value of a switch counts as another press.
  private static let repeatTime = Duration.milliseconds(60)

  /// Handles a value of a controller that is used as a switch. A switch sends 127 when pressed and 0 when released; a pedal
  /// also sends values between. Some switches send only 127, for each press. Latching ones send 127 and 0 in turn, one value
  /// for each press.
  private mutating func flip(
    _ source: MIDISource, to value: UInt8, at time: Instant, _ now: Snapshot
  ) -> [Move] {
    let (last, wasOn) = (down[source], isOn.updateValue(value >= 64, forKey: source))
    if isLatching(source) {
      return wasOn == (value >= 64) ? [] : moves(source, (.latch, time.nanoseconds), now)
    }
    guard value >= 64 else {
      down[source] = nil
      releasing.insert(source)
      return last == nil ? [] : switches[source]?.release().map { moves(source, $0, now) } ?? []
    }
    down[source] = (value, time)
    if let last {
      // A switch that sends releases repeats values without being pressed again.
      guard last.value == value, time - last.time >= ControlSurface.repeatTime, !releasing.contains(source)
      else { return [] }
      // The switch sends no releases: if it was not held until now, it was pressed.
      let released = switches[source]?.release().map { moves(source, $0, now) } ?? []
      return released + (switches[source]?.press(at: time.nanoseconds).map { moves(source, $0, now) } ?? [])
    }
    return switches[source]?.press(at: time.nanoseconds).map { moves(source, $0, now) } ?? []
  }

  private func isLatching(_ source: MIDISource) -> Bool {
    pressed(source).contains { $0.action.gesture == .latch }
  }

  /// Handles a fader that has moved to a position, 0…1.
  private mutating func move(
    _ kind: MIDISource.Kind, _ number: UInt8?, _ channel: UInt8, to position: Double, at time: Instant,
    _ now: Snapshot
  ) -> [Move] {
    bindings.compactMap { binding in
      guard binding.source.matches(kind, number.map(Int.init), channel: channel),
        binding.action.coding == nil, let way = FaderMapping(of: binding.action, now)
      else { return nil }
      guard faders[binding, default: SoftTakeover()].take(position, current: way.position) else {
        pickUp = way.pickUp(binding.action.target, at: position)
        return nil
      }
      pickUp = nil
      return way.update(to: position).map { Move(update: $0, time: time) }
    }
  }

  /// The update for an encoder that was turned; nil if the action has none.
  private func turn(_ action: MIDIAction, _ detents: Int, _ now: Snapshot) -> Update? {
    switch action.target {
    case .nudge(let thousandths): return .nudge(thousandths: thousandths * detents)
    case .speed(nil):
      return now.progress.map { .speed(percent: ($0.speed + detents).clamped(to: SessionSpeed.range)) }
    case .parameter(let parameter):
      guard let control = parameter.control, case .number(let value) = now.settings[parameter] else {
        return nil
      }
      let range = parameter.range(action.range, in: now.settings)
      let wanted = (value + Double(detents) * control.detent).clamped(to: range)
      return (try? Setting(parameter, .number(wanted))).map { .set($0) }
    default: return nil
    }
  }
}
