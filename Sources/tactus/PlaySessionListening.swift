import Control
import Engine
import JACKClient
import Listening
import Sessions
import TimeCheck

/// What a run needs to listen.
extension PlaySession {
  /// Has the host capture what the setup asks for.
  /// - Returns: where it goes; nil if Tactus does not listen.
  static func capture(
    _ setup: ListeningSetup, sampleRate: Int, _ configuration: inout JACKHost.Configuration
  ) -> UnsafePointer<Capture>? {
    guard setup.isOn else { return nil }
    let capture = Capture.make(inputs: setup.inputs.count, sampleRate: sampleRate)
    configuration.listening = setup.inputs.map(\.port)
    configuration.hasHits = setup.hasNotes
    configuration.capture = capture
    return capture
  }

  static func listener(
    _ capture: UnsafePointer<Capture>, _ setup: ListeningSetup, _ updates: UpdateQueue
  ) -> Listener {
    Listener(
      capture, setup, hear: { updates.push(Request(.hits($0))) },
      warn: { updates.push(Request(.problem($0))) })
  }

  /// Saves what was measured, and leaves all else as it was. A calibration that fails changes nothing.
  /// - Parameter own: the user's settings.
  static func savingCalibrations(
    to file: StateFile, of own: Settings, _ state: RunState
  ) -> @Sendable (Settings) throws -> Void {
    { settings in
      guard !state.hasFailedToCalibrate else { return }
      var kept = own
      kept.keepListening(of: settings)
      kept.connections = settings.connections
      try file.write(kept)
    }
  }

  /// The settings for a calibration: the click as the user hears it, at the tempo and in the role that a calibration needs.
  static func calibrationSettings(_ own: Settings) throws -> Settings {
    var settings = Settings()
    try settings.set(.sound(own.sound))
    for fader in Fader.allCases { try settings.set(.volume(fader, own.volume(fader))) }
    settings.keepListening(of: own)
    settings.connections = own.connections
    return settings
  }

  /// Asks for a calibration once the server runs, and ends the run if that is refused.
  func calibrate(_ input: String) {
    conductor.updates.push(
      Request(
        .update(.calibrate(input)),
        refuse: { [display, end, state] reason in
          display.warn(reason)
          state.hasFailedToCalibrate = true
          end.signal()
        }))
  }

  /// Whether the run was to calibrate and did not.
  var hasFailedToCalibrate: Bool { state.hasFailedToCalibrate }
}
