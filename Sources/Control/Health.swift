import Engine

/// What has gone wrong since the start, counted.
public struct Health: Equatable, Sendable {
  /// Times that the audio server said that somebody was late.
  public var xruns = 0
  /// Times that the engine missed cycles while playing.
  public var gaps = 0
  /// Clips not begun because all voices sounded.
  public var droppedClips = 0
  /// Beats and other events that were not told.
  public var droppedEvents = 0
  /// Starts, stops and jumps that were lost because too many waited.
  public var droppedCommands = 0
  /// Messages of MIDI controllers that were lost because too many came at once.
  public var droppedControls = 0
  /// Messages turned away because too many came at once.
  public var droppedMessages = 0
  /// Answers and news over OSC that were not sent: too many waited, or their receiver was slow.
  public var droppedAnswers = 0

  public init() {}

  /// What was lost since an earlier look, for people; nil where nothing was. Messages are left out: that they were turned
  /// away is said at once. So are answers: to tell of them would be to send more.
  func losses(since before: Health) -> String? {
    let xruns = xruns - before.xruns
    let gaps = gaps - before.gaps
    let clips = droppedClips - before.droppedClips
    let events = droppedEvents - before.droppedEvents
    let commands = droppedCommands - before.droppedCommands
    let controls = droppedControls - before.droppedControls
    let losses = [
      xruns > 0 ? "the JACK server reports \(counted(xruns, "xrun"))" : nil,
      gaps > 0 ? "cycles were missed \(counted(gaps, "time"))" : nil,
      clips > 0 ? "\(counted(clips, "click")) not begun: too many sounded" : nil,
      events > 0 ? "\(counted(events, "event")) not told: too many at once" : nil,
      commands > 0 ? "\(counted(commands, "command")) lost: too many waited" : nil,
      controls > 0 ? "\(counted(controls, "MIDI message")) lost: too many at once" : nil,
    ].compactMap { $0 }
    return losses.isEmpty ? nil : losses.joined(separator: "; ")
  }
}

private func counted(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
