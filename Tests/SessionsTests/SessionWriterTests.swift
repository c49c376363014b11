import Control
import Sessions
import Testing

@Suite struct SessionWriterTests {
  @Test(
    "Every text comes back",
    arguments: [
      "a: b", "- x", "#", "\"", "\\", "'", "yes", "12", "é", "*a", "&b", " x ", "{", "null", "~", "chime",
      "a #b", "!x",
    ])
  func text(text: String) throws {
    let yaml = "title: x\nsections: [{bars: 1}]"
    var session = try song(yaml)
    session.title = text
    session.parts = [.section(SessionSection(name: text, label: text, length: .open, cue: .speech(text)))]
    #expect(try song(session.yaml) == session)
  }

  @Test func everythingAtOnceComesBack() throws {
    let text = """
      title: All
      count-in: {time: 2500 ms, spoken: true}
      cycles: forever
      voice: {volume: 0.3, rate: 200, language: de}
      defaults: {tempo: [60, 61.5], swing: 0.333, silent: false}
      sections:
        - {bars: 2, name: A, label: l, tempo: {from: 60, to: 90.5, by: 0.5, every: 4, then: again}, gap: {play: 2, rest: 2}}
        - {bars: 9, tempo: {from: 90, to: 130.5, every: 3, random: true, seed: 12, by: 0.5}}
        - {tempo: {from: 90, to: 130, by: 10, every: 3, then: stop}}
        - repeat: 3
          defaults: {meter: 7/8, beat-unit: 3/8, sound: clave}
          sections:
            - {time: 1:30, random-silence: {percent: 3, rise: 2, seed: 9223372036854775807}, volumes: {cue: 0.1}}
            - {beats: 7, groups: 1+2, accents: Xo., subdivisions: {2: 0, 9: 0.7}, tempo: 3, colour: '#abc'}
            - {bars: 1, tempo: 99, subdivisions: [3], drop-out: {what: subdivisions, every: 4}, cue: chime}
      """
    let session = try song(text)
    #expect(try song(session.yaml) == session)
  }
}
