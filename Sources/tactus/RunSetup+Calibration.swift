import Control
import Listening
import Sessions
import TimeCheck

/// The settings of a run that calibrates an input.
extension RunSetup {
  /// The inputs of the run. A calibration needs an input; that of an e-drum also needs a microphone.
  static func listening(_ options: Play, _ settings: Settings, calibrating: String?) -> ListeningSetup {
    var setup = options.listening.setup(over: settings.listening)
    let calibratesNotes = calibrating == ListeningSetup.notesPort
    if calibratesNotes { setup.hasNotes = true }
    let isUnsaid = options.listening.listen == nil
    if calibratesNotes ? setup.judged.isEmpty && isUnsaid : calibrating != nil && !setup.isOn {
      setup.inputs = ListeningSetup.standard
    }
    return setup
  }

  /// The settings for a calibration: the click as the user hears it, at the tempo and in the role that a calibration needs.
  static func calibrationSettings(_ own: Settings) throws -> Settings {
    var settings = Settings()
    try settings.set(.sound(own.sound))
    for fader in Fader.allCases { try settings.set(.volume(fader, own.volume(fader))) }
    settings.keepListening(of: own)
    // Listen with the user's parameters, so that the measurement is valid later.
    for parameter in Parameters.all where parameter.savedAs.first == "listen" {
      try settings.set(Setting(parameter, own[parameter]))
    }
    settings.connections = own.connections
    return settings
  }

  /// A function that saves the calibrations and connections, and nothing else. After a failed calibration it saves nothing.
  /// - Parameter own: the user's settings, with the inputs to listen to from now on.
  static func savingCalibrations(
    to file: OwnedStateFile, of own: Settings, keepingAs backup: String?, _ state: RunState
  ) -> @Sendable (Settings) throws -> Void {
    { settings in
      guard !state.hasFailedToCalibrate else { return }
      var kept = own
      kept.keepCalibrations(of: settings)
      kept.connections = settings.connections
      try warn(of: file.write(kept, keepingAs: backup), file, state)
    }
  }
}
