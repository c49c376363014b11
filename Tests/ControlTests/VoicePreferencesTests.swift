import ControlBench
import MusicTime
import Synchronization
import Testing
import Validation

@testable import Control
@testable import Engine

@Suite struct VoicePreferencesTests {
  /// What was spoken, as `text rate language`.
  private typealias Spoken = Box<[String]>

  private func song() throws -> SongPlan {
    var plans = try ["one", "two", "three", "four"].map {
      try section($0, .bars(1), tempo: 240_000, cue: .speech($0))
    }
    for index in plans.indices { plans[index].source = index }
    var voice = VoiceSettings()
    voice.speed = 150
    try voice.set(language: "de")
    return SongPlan(title: "song", plans: plans, loopStart: 0, voice: voice)
  }

  /// A rig whose voice is louder than any click.
  private func rig(_ spoken: Spoken, settings: Settings = Settings()) throws -> Rig {
    let plan = try song()
    return try Rig(
      Setlist(title: "", songs: [.init(song: plan), .init(song: plan)]), settings: settings,
      configure: { configuration in
        configuration.speak = { text, voice, _ in
          spoken.value.withLock { $0.append("\(text) \(voice.speed) \(voice.language)") }
          return Clip([Float](repeating: 0.5, count: 1_000))
        }
      })
  }

  private func take(_ spoken: Spoken) -> Set<String> {
    spoken.value.withLock { texts in
      defer { texts = [] }
      return Set(texts)
    }
  }

  private func texts(_ voice: String) -> Set<String> {
    Set(["one", "two", "three", "four"].map { "\($0) \(voice)" })
  }

  private func loudest(_ rig: Rig) -> Float {
    let end = rig.clock + 96_000
    var loudest: Float = 0
    while rig.clock < end {
      rig.render()
      loudest = max(loudest, rig.peak)
    }
    return loudest
  }

  @Test func `A change of rate or language speaks the texts again, and the music goes on`() throws {
    let spoken = Spoken(Mutex([]))
    let rig = try rig(spoken)
    rig.ask(.start)
    rig.pass(.seconds(1))
    #expect(take(spoken) == texts("150 de"))
    rig.ask(.set(try Setting(Parameters.voiceRate.parameter, text: "300")))
    rig.pass(.seconds(1))
    #expect(take(spoken) == texts("300 de"))
    rig.ask(.set(try Setting(Parameters.voiceLanguage.parameter, text: "en+f3")))
    rig.pass(.seconds(1))
    #expect(take(spoken) == texts("300 en+f3"))
    rig.ask(.reset)
    rig.pass(.seconds(1))
    #expect(take(spoken) == texts("150 de"))
    // Another setting changes no text.
    rig.ask(.set(.mute(true)))
    rig.pass(.seconds(1))
    #expect(take(spoken) == [])
    #expect(rig.heard.count == 20)
    #expect(rig.heard.allSatisfy { $0.frame.number % 12_000 == 0 })
  }

  @Test func `A language that can't be spoken is kept, and warned of once`() throws {
    let rig = try Rig(configure: { configuration in
      configuration.speak = { _, voice, _ in
        guard voice.language != "zzz" else {
          throw InvalidValue(sentence: "nobody speaks \(voice.language)")
        }
        return Clip([0])
      }
    })
    func warnings() -> [String] {
      rig.reports.all.compactMap { if case .warning(let text) = $0 { text } else { nil } }
    }
    for language in ["de", "zzz", ""] {
      rig.ask(.set(try Setting(Parameters.voiceLanguage.parameter, text: language)))
      rig.pass(.milliseconds(100))
      #expect(rig.settle().settings[Parameters.voiceLanguage.parameter] == .text(language))
    }
    #expect(warnings() == ["voice/language zzz: nobody speaks zzz; texts will be chimes"])
  }

  @Test func `With the voice off the texts are chimes, from the first song on and after a change at once`()
    throws
  {
    let spoken = Spoken(Mutex([]))
    let rig = try rig(spoken)
    rig.ask(.start)
    #expect(loudest(rig) >= 0.5)
    rig.ask(.set(try Setting(Parameters.voice.parameter, text: "off")))
    rig.pass(.milliseconds(100))
    #expect(loudest(rig) < 0.1)
    rig.ask(.set(try Setting(Parameters.voice.parameter, text: "on")))
    rig.pass(.milliseconds(100))
    #expect(loudest(rig) >= 0.5)

    var settings = Settings()
    try settings.set(try Setting(Parameters.voice.parameter, text: "0"))
    _ = take(spoken)
    let silent = try self.rig(spoken, settings: settings)
    silent.ask(.start)
    #expect(loudest(silent) < 0.1)
    #expect(take(spoken) == [])
  }

  @Test func `The voice's volume changes spoken texts at once, and no chime`() throws {
    let spoken = Spoken(Mutex([]))
    let rig = try rig(spoken)
    rig.ask(.set(try Parameters.mute(.accent).setting(true)))
    rig.ask(.set(try Parameters.mute(.beat).setting(true)))
    rig.ask(.start)
    #expect(abs(loudest(rig) - 0.5) < 0.001)
    _ = take(spoken)
    rig.ask(.set(try Parameters.voiceVolume.setting(Volume(0.2))))
    rig.pass(.milliseconds(500))
    #expect(abs(loudest(rig) - 0.1) < 0.001)
    #expect(take(spoken) == [])
    rig.ask(.set(try Setting(Parameters.voice.parameter, text: "off")))
    rig.pass(.milliseconds(500))
    let chime = loudest(rig)
    rig.ask(.set(try Parameters.voiceVolume.setting(.full)))
    rig.pass(.milliseconds(500))
    #expect(chime > 0 && abs(loudest(rig) - chime) < 0.001)
    let starts = rig.sectionStarts
    #expect(starts.count > 8 && starts.allSatisfy { Int64($0.split(separator: "@")[1])! % 48_000 == 0 })
  }

  @Test func `A change of rate or language reads counting sounds again, also those of layers`() throws {
    let read = Spoken(Mutex([]))
    var settings = Settings()
    try settings.set(.layer(2, try Layer(text: "every 1/4, sound voice-bars")))
    try settings.set(.sound("voice"))
    let rig = try Rig(
      settings,
      configure: { configuration in
        configuration.readSound = { [readSound = configuration.readSound] name, voice, rate in
          read.value.withLock { $0.append("\(name) \(voice.speed) \(voice.language)") }
          return try readSound(name, voice, rate)
        }
      })
    #expect(take(read) == ["voice 175 en", "voice-bars 175 en"])
    rig.ask(.set(try Setting(Parameters.voiceLanguage.parameter, text: "de")))
    rig.pass(.seconds(1))
    #expect(take(read) == ["voice 175 de", "voice-bars 175 de"])
    rig.ask(.set(try Setting(Parameters.voiceRate.parameter, text: "300")))
    rig.pass(.seconds(1))
    #expect(take(read) == ["voice 300 de", "voice-bars 300 de"])
    rig.ask(.set(.mute(true)))
    rig.pass(.seconds(1))
    #expect(take(read) == [])
    #expect(rig.look().settings.sound == "voice")
  }

  @Test func `The voice's settings apply to the next song too`() throws {
    let spoken = Spoken(Mutex([]))
    let rig = try rig(spoken)
    rig.settle()
    _ = take(spoken)
    rig.ask(.set(try Setting(Parameters.voiceRate.parameter, text: "90")))
    rig.settle()
    #expect(take(spoken) == texts("90 de"))
    rig.ask(.go(.nextSong))
    #expect(rig.look().progress?.isReady == true)
    #expect(take(spoken) == [])
  }

  @Test func `Invalid values of the voice are refused`() throws {
    for (parameter, text) in [
      (Parameters.voiceRate.parameter, "79"), (Parameters.voiceRate.parameter, "451"),
      (Parameters.voiceRate.parameter, "fast"), (Parameters.voiceLanguage.parameter, "../de"),
      (Parameters.voiceLanguage.parameter, "-v"), (Parameters.voice.parameter, "maybe"),
    ] {
      #expect(throws: InvalidValue.self, "\(text)") { try Setting(parameter, text: text) }
    }
    #expect(VoicePreferences().applied(to: try song().voice) == (try song().voice))
  }
}
