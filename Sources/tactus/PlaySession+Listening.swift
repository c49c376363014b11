import Control
import Engine
import Files
import Glibc
import JACKClient
import Listening
import Realtime
import Recording
import Sessions
import TimeCheck
import Validation

/// The inputs of a run: listening, recording and calibrating.
extension PlaySession {
  /// Configures the host to capture the inputs of the setup.
  /// - Returns: the capture; nil if Tactus does not listen.
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

  /// Configures the host to capture the inputs and the click for a recording.
  /// - Returns: the recorder; nil without `--record`.
  /// - Throws: `CommandError` if there are no inputs or too many, or if the folder can't be used.
  static func recorder(
    _ options: Play, _ setup: ListeningSetup, sampleRate: Int, _ updates: UpdateQueue,
    _ configuration: inout JACKHost.Configuration
  ) throws -> Recorder? {
    guard let wanted = options.listening.record else { return nil }
    guard !setup.inputs.isEmpty else {
      throw CommandError(
        "--record: there is no input to record: add --listen mic, or --listen record for an input that is not judged",
        code: .usage)
    }
    guard setup.inputs.count <= Recorder.mostInputs else {
      throw CommandError(
        "--record: there are \(setup.inputs.count) inputs: must be at most \(Recorder.mostInputs)",
        code: .usage)
    }
    let folder = try RecordingFolder.made(wanted)
    let capture = Capture.make(
      inputs: setup.inputs.count + 1, sampleRate: sampleRate, seconds: Recorder.patience)
    configuration.recording = capture
    return Recorder(
      capture, folder: folder, inputs: setup.inputs.map(\.title),
      warn: { updates.push(Request(.problem($0))) })
  }

  static func listener(
    _ capture: UnsafePointer<Capture>, _ settings: Settings, _ updates: UpdateQueue
  ) -> Listener {
    Listener(
      capture, settings.listening, settings.triggerControls, receive: { updates.push(Request(.hits($0))) },
      warn: { updates.push(Request(.problem($0))) })
  }

  /// Requests a calibration, and ends the run if the request is refused.
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

  /// Whether the requested calibration has failed.
  var hasFailedToCalibrate: Bool { state.hasFailedToCalibrate }
}

/// The folder of recordings.
enum RecordingFolder {
  /// Creates the folder if it is missing.
  /// - Returns: its absolute path.
  /// - Throws: `CommandError` if it can't be created or written to.
  static func made(_ path: String) throws -> String {
    mkdir(path, 0o777)
    guard isFolder(path), let full = realpath(path, nil) else {
      throw CommandError(
        "--record \(quoted(path)): must be a folder, or a new one in an existing folder",
        code: .usage)
    }
    defer { free(full) }
    guard access(full, W_OK | X_OK) == 0 else {
      throw CommandError("--record \(quoted(path)): can't be written to", code: .usage)
    }
    return String(cString: full)
  }
}

extension Recorder {
  /// Records while the music plays.
  /// - Thread: control
  func observe(_ report: Report) {
    guard case .changed(_, let new) = report else { return }
    let isOn =
      new.isPlaying && new.settings[Parameters.records] && new.timing?.isCalibrating != true
    record(
      start: isOn ? new.starts : nil, title: new.progress?.title ?? "", offsets: new.timing?.offsets ?? [:])
  }
}
