import MusicTime
import Validation

/// The user's settings for the voice. They apply to all documents.
package struct VoicePreferences: Hashable, Sendable {
  /// Whether texts are spoken; otherwise they are chimes.
  package var isOn = true
  package var rate = SpeechRate.ofDocument
  /// nil: the document's language.
  package var language: VoiceName?

  package init() {}

  /// The voice while no document plays.
  package var ofMetronome: VoiceSettings { applied(to: VoiceSettings()) }

  /// A document's voice with these settings applied.
  func applied(to voice: VoiceSettings) -> VoiceSettings {
    var voice = voice
    if let speed = rate.wordsPerMinute { voice.speed = speed }
    // Can't fail: a `VoiceName` is valid.
    if let language { try? voice.set(language: language.text) }
    return voice
  }
}

/// Words per minute; or the document's rate.
package struct SpeechRate: ParameterRepresentable {
  package static let ofDocument = SpeechRate()
  static let kind = ParameterKind.integer(0...VoiceSettings.speeds.upperBound)

  /// nil: the document's rate.
  package let wordsPerMinute: Int?

  private init() { wordsPerMinute = nil }

  package init(_ value: ParameterValue, of parameter: Parameter) throws(InvalidValue) {
    guard case .integer(let rate) = value, rate == 0 || VoiceSettings.speeds ~= rate else {
      throw InvalidValue(
        parameter.name, "\(value)",
        allowed: "\(VoiceSettings.speeds.lowerBound)…\(VoiceSettings.speeds.upperBound) words a minute, or 0")
    }
    wordsPerMinute = rate == 0 ? nil : rate
  }

  package init(text: String, of parameter: Parameter) throws(InvalidValue) {
    guard let rate = Int(text) else { throw parameter.invalid(quoted(text)) }
    try self.init(.integer(rate), of: parameter)
  }

  package var parameterValue: ParameterValue { .integer(wordsPerMinute ?? 0) }
}

/// The name of a voice of espeak-ng.
package struct VoiceName: TextRepresentable, AbsentRepresentable {
  package static var absent: ParameterValue { .text("") }

  let text: String

  init(text: String) throws(InvalidValue) {
    var voice = VoiceSettings()
    try voice.set(language: text)
    self.text = voice.language
  }
}

extension Settings {
  package var voice: VoicePreferences {
    var voice = VoicePreferences()
    voice.isOn = self[Parameters.voice]
    voice.rate = self[Parameters.voiceRate]
    voice.language = self[Parameters.voiceLanguage]
    return voice
  }
}
