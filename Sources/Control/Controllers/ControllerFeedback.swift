import MIDI
import Realtime

/// Shows the state on controllers: LEDs of switches, motor faders, and the beat on the control for taps.
///
/// Each control receives the messages that it sends: a note on or 127 for on; a note off or 0 for off; a position as its
/// controller or pitch bend. A control that has just been used receives nothing for a moment, so that a motor does not work
/// against the hand. It receives the latest state afterwards.
struct ControllerFeedback {
  /// How long a beat lights the control for taps.
  static let flash = Duration.milliseconds(80)
  /// How long a fader or a switch receives nothing after its last message.
  static let faderRest = Duration.milliseconds(300)
  static let switchRest = Duration.milliseconds(50)
  /// A message that comes back within this time counts as an echo. After this many echoes in a row the control receives nothing
  /// more.
  static let echoTime = Duration.milliseconds(50)
  static let echoes = 4

  private enum Display: Equatable {
    case light(Bool)
    /// 0…16383.
    case position(Int)
  }

  private var isConnected = false
  private var isStale = false
  /// The state that each control shows; no entry if it is unknown.
  private var shown: [MIDISource: Display] = [:]
  /// When each control was used last, if it may have to be updated since.
  private var used: [MIDISource: Instant] = [:]
  /// The channels of controls that a map binds on every channel.
  private var channels: [MIDISource: UInt8] = [:]
  private var lightEnd: Instant?
  /// The last message to each switch until it comes back, and the number that have come back.
  private var sent: [MIDISource: (message: MIDIMessage, time: Instant)] = [:]
  private var returned: [MIDISource: Int] = [:]
  private var silenced: Set<MIDISource> = []

  /// When `update` must be called; `never` if nothing waits.
  private(set) var deadline = Instant.never

  /// Notes whether the port is connected. After a connection, controllers receive the whole state.
  mutating func note(isConnected: Bool) {
    guard isConnected != self.isConnected else { return }
    self = ControllerFeedback()
    (self.isConnected, isStale) = (isConnected, isConnected)
  }

  /// Sends everything again, because messages may have been lost.
  mutating func repeatAll() { (shown, isStale) = ([:], isConnected) }

  /// Notes that the state to show may have changed.
  mutating func noteChange() { isStale = isConnected }

  /// Lights the control for taps.
  mutating func note(beatAt time: Instant) {
    guard isConnected else { return }
    (lightEnd, isStale) = (time + ControllerFeedback.flash, true)
  }

  /// Notes a message from a control.
  /// - Returns: whether the message is an echo of a position that the fader was sent; and a warning if a control returns what
  ///   it is sent.
  mutating func note(
    _ message: MIDIMessage, at time: Instant, _ bindings: [MIDIBinding]
  ) -> (isEcho: Bool, warning: String?) {
    guard isConnected, let moved = MovedControl(message) else { return (false, nil) }
    var (isEcho, warning): (Bool, String?) = (false, nil)
    for source in Set(bindings.filter(moved.moves).map(\.source)) {
      if source.channel == nil { channels[source] = moved.source.channel.map { UInt8($0) } }
      if case .position(let position)? = shown[source],
        messages(source, .position(position)).contains(message)
      {
        isEcho = true
        continue
      }
      if let last = sent[source], last.message == message, time - last.time < ControllerFeedback.echoTime {
        sent[source] = nil
        returned[source, default: 0] += 1
        if returned[source, default: 0] >= ControllerFeedback.echoes, silenced.insert(source).inserted {
          warning =
            "'\(source)' sends back what it is shown, which would press it again: it is shown nothing more"
        }
      }
      (shown[source], used[source]) = (nil, time)
      isStale = true
    }
    return (isEcho, warning)
  }

  /// The messages to send now.
  mutating func update(_ now: Snapshot, at time: Instant) -> [MIDIMessage] {
    guard isConnected, isStale || deadline <= time else { return [] }
    isStale = false
    deadline = .never
    if let end = lightEnd { if end <= time { lightEnd = nil } else { deadline = end } }
    var wanted: [MIDISource: Display] = [:]
    var news: [MIDIMessage] = []
    for binding in now.settings.bindings where wanted[binding.source] == nil {
      guard let display = display(binding, now) else { continue }
      let source = binding.source
      wanted[source] = display
      guard shown[source] != display, !silenced.contains(source) else { continue }
      if let last = used[source] {
        let end = last + rest(display)
        guard end <= time else {
          deadline = min(deadline, end)
          continue
        }
        used[source] = nil
      }
      shown[source] = display
      let messages = messages(source, display)
      if case .light = display, let message = messages.first {
        // The last message did not come back.
        if sent[source] != nil { returned[source] = nil }
        sent[source] = (message, time)
      }
      news += messages
    }
    for (source, display) in shown where wanted[source] == nil {
      if display == .light(true) { news += messages(source, .light(false)) }
      shown[source] = nil
    }
    return news
  }

  private func rest(_ display: Display) -> Duration {
    if case .light = display { ControllerFeedback.switchRest } else { ControllerFeedback.faderRest }
  }

  private func display(_ binding: MIDIBinding, _ now: Snapshot) -> Display? {
    if binding.action.target == .tap { return .light(lightEnd != nil && now.isPlaying) }
    if let way = FaderMapping(of: binding.action, now) {
      guard binding.source.kind.isFader else { return nil }
      return .position(Int((way.position.clamped(to: 0...1) * 16_383).rounded()))
    }
    return binding.action.target.isLit(now).map { .light($0) }
  }

  private func messages(_ source: MIDISource, _ display: Display) -> [MIDIMessage] {
    let channel = source.channel.map { UInt8($0) } ?? channels[source] ?? 1
    let number = UInt8(source.number ?? 0)
    switch (source.kind, display) {
    case (.note, .light(true)): return [.noteOn(channel: channel, note: number, velocity: 127)]
    case (.note, .light(false)): return [.noteOff(channel: channel, note: number, velocity: 0)]
    case (.controller, .light(let isLit)):
      return [.controlChange(channel: channel, controller: number, value: isLit ? 127 : 0)]
    case (.controller, .position(let position)):
      let value = UInt8((Double(position) * 127 / 16_383).rounded())
      return [.controlChange(channel: channel, controller: number, value: value)]
    case (.pair, .position(let position)):
      return [
        .controlChange(channel: channel, controller: number, value: UInt8(position >> 7)),
        .controlChange(channel: channel, controller: number + 32, value: UInt8(position & 127)),
      ]
    case (.pitchBend, .position(let position)): return [.pitchBend(channel: channel, value: UInt16(position))]
    default: return []
    }
  }
}

extension MIDITarget {
  /// Whether the LED of a control with this target is lit; nil if the target is neither on nor off.
  func isLit(_ now: Snapshot) -> Bool? {
    let progress = now.progress
    return switch self {
    case .start, .toggle, .playPause, .resume: now.isPlaying
    case .stop: !now.isPlaying && progress?.isPaused != true
    case .pause: progress?.isPaused == true
    case .stopAtBar: now.stopsAtBar
    case .fade: now.isFading
    case .hold: progress?.isHeld == true
    case .loop: progress?.loop != nil || progress?.loopMark != nil
    case .mute: now.settings.isMuted
    case .flip(let parameter): now.settings[parameter] == .flag(true)
    case .gap: now.gap != .off
    case .song(let number?): progress?.song == number
    case .preset(let choice?): now.settings.presets.isCurrent(choice)
    case .goto(let name):
      progress.flatMap { $0.outline?.isSection($0.sectionNumber - 1, named: name) }
    case .session(let path): now.settings.session?.path == path
    case .speed(let percent?): progress?.speed == percent
    case .set(let setting): now.settings[setting.parameter] == setting.value
    default: nil
    }
  }
}
