import Engine

/// Counts of losses since the start.
package struct Health: Equatable, Sendable {
  /// Xruns that the audio server reported.
  package var xruns = 0
  /// How often the engine missed cycles while it played.
  package var gaps = 0
  /// Clips that did not begin because all voices were in use.
  package var droppedClips = 0
  /// Beats and other events that were not reported.
  package var droppedEvents = 0
  /// Starts, stops and jumps that were dropped because too many waited.
  package var droppedCommands = 0
  /// Messages of MIDI controllers that were dropped because too many arrived at once.
  package var droppedControls = 0
  /// Messages that were refused because too many arrived at once.
  package var droppedMessages = 0
  /// OSC answers and pushes that were not sent because too many waited or the receiver was slow.
  package var droppedAnswers = 0

  package init() {}

  /// The losses since an earlier reading, as text; nil if there are none. Refused messages are omitted because they are
  /// reported at once, and answers because a report would send more.
  func losses(since before: Health) -> String? {
    let xruns = xruns - before.xruns
    let gaps = gaps - before.gaps
    let clips = droppedClips - before.droppedClips
    let events = droppedEvents - before.droppedEvents
    let commands = droppedCommands - before.droppedCommands
    let controls = droppedControls - before.droppedControls
    let losses = [
      xruns > 0 ? "the JACK server reports \(counted(xruns, "xrun"))" : nil,
      gaps > 0 ? "cycles were missed \(gaps == 1 ? "once" : "\(gaps) times")" : nil,
      clips > 0 ? "\(counted(clips, "click")) not begun: too many sounded" : nil,
      events > 0 ? "\(counted(events, "event")) not reported: too many at once" : nil,
      commands > 0 ? "\(counted(commands, "command")) lost: too many waited" : nil,
      controls > 0 ? "\(counted(controls, "MIDI message")) lost: too many at once" : nil,
    ].compactMap { $0 }
    return losses.isEmpty ? nil : losses.joined(separator: "; ")
  }
}

private func counted(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
