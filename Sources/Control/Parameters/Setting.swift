import Engine
import MusicTime
import Validation

/// A valid new value for one parameter.
package struct Setting: Hashable, Sendable {
  package let parameter: Parameter
  package let value: ParameterValue
  /// Whether a fader has set the value: then the nearest value that the profile allows is used.
  package let isOfFader: Bool

  /// - Throws: `InvalidValue` if the parameter does not allow the value.
  package init(_ parameter: Parameter, _ value: ParameterValue) throws(InvalidValue) {
    self.parameter = parameter
    self.value = try parameter.checked(value)
    isOfFader = false
  }

  /// The value of a parameter at a fader's position: the nearest allowed value.
  /// - Throws: `InvalidValue` if the parameter's values are not numbers.
  package init(fader parameter: Parameter, _ number: Double) throws(InvalidValue) {
    self.parameter = parameter
    value = try parameter.checked(.number(number.clamped(to: parameter.bounds)))
    isOfFader = true
  }

  /// Parses the value's text form: `7/8`, `133.7`, `lead`.
  /// - Throws: `InvalidValue`.
  package init(_ parameter: Parameter, text: String) throws(InvalidValue) {
    self.parameter = parameter
    value = try parameter.value(text: text)
    isOfFader = false
  }

  /// For values that their type has validated.
  private init<Value>(_ parameter: TypedParameter<Value>, _ value: Value) {
    self.parameter = parameter.parameter
    self.value = value.parameterValue
    isOfFader = false
  }

  /// The value, if the setting belongs to that parameter; otherwise nil.
  package func value<Value>(of parameter: TypedParameter<Value>) -> Value? {
    self.parameter == parameter.parameter ? try? Value(value, of: self.parameter) : nil
  }
}

extension TypedParameter {
  /// - Throws: `InvalidValue` if the parameter does not allow the value.
  package func setting(_ value: Value) throws(InvalidValue) -> Setting {
    try Setting(parameter, value.parameterValue)
  }
}

extension Setting {
  package static func tempo(_ tempo: Tempo) -> Setting { Setting(Parameters.tempo, tempo) }
  package static func meter(_ meter: Meter) -> Setting { Setting(Parameters.meter, meter) }
  /// - Parameter unit: nil: the meter's own note.
  package static func beatUnit(_ unit: BeatUnit?) -> Setting { Setting(Parameters.beatUnit, unit) }
  package static func subdivision(_ subdivision: Subdivision, _ volume: Volume) -> Setting {
    Setting(Parameters.subdivision(subdivision), volume)
  }
  /// - Parameter pattern: nil: the default accents.
  package static func accents(_ pattern: AccentPattern?) -> Setting { Setting(Parameters.accents, pattern) }
  /// - Parameter groups: nil: no groups.
  package static func groups(_ groups: Groups?) -> Setting { Setting(Parameters.groups, groups) }
  /// - Parameter layer: nil turns the layer off.
  package static func layer(_ number: Int, _ layer: Layer?) -> Setting {
    Setting(Parameters.layer(number), layer)
  }
  package static func polyrhythm(_ polyrhythm: Polyrhythm?) -> Setting {
    Setting(Parameters.polyrhythm, polyrhythm)
  }
  package static func swing(_ swing: Swing) -> Setting { Setting(Parameters.swing, swing) }
  package static func gap(_ gap: Gap) -> Setting { Setting(Parameters.gap, gap) }
  package static func volume(_ fader: Fader, _ volume: Volume) -> Setting {
    Setting(Parameters.volume(fader), volume)
  }
  package static func mute(_ isMuted: Bool) -> Setting { Setting(Parameters.mute, isMuted) }
  package static func stageView(_ isOn: Bool) -> Setting { Setting(Parameters.stageView, isOn) }
  package static func sound(_ name: String) -> Setting { Setting(Parameters.sound, name) }
  package static func quantise(_ quantise: Quantise) -> Setting { Setting(Parameters.quantise, quantise) }
  package static func role(_ role: SyncMode) -> Setting { Setting(Parameters.role, role) }
  package static func publishedBeat(_ beat: PublishedBeat) -> Setting {
    Setting(Parameters.publishedBeat, beat)
  }
  package static func profile(_ profile: TempoProfile) -> Setting { Setting(Parameters.profile, profile) }
  package static func followPace(_ follows: Bool) -> Setting { Setting(Parameters.followPace, follows) }
  package static func clockInLoss(_ loss: MIDIClockLoss) -> Setting { Setting(Parameters.clockInLoss, loss) }
  package static func clockInOffset(_ offset: ClockOffset) -> Setting {
    Setting(Parameters.clockInOffset, offset)
  }
  package static func clockRunsWhileStopped(_ runs: Bool) -> Setting {
    Setting(Parameters.clockRunsWhileStopped, runs)
  }
  package static func clockOffset(_ offset: ClockOffset) -> Setting {
    Setting(Parameters.clockOffset, offset)
  }
}
