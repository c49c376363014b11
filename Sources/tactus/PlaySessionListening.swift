import Control
import Engine
import JACKClient
import Listening
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
