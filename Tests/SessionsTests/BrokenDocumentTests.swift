import Control
import Sessions
import Testing

/// One wrong document: its text, and where and what the fault is.
struct Broken: Sendable, CustomTestStringConvertible {
  let text: String
  let fault: String

  init(_ text: String, _ fault: String) {
    self.text = text
    self.fault = fault
  }

  var testDescription: String { fault }
}

@Suite struct BrokenDocumentTests {
  static let head = "sections:\n  - bars: 4\n"

  static let corpus: [Broken] = [
    Broken("", "1:1 empty document"),
    Broken("# nothing\n", "1:1 empty document"),
    Broken("- 1\n- 2\n", "1:1 session (a list)"),
    Broken("title: x\n", "1:1 missing key sections"),
    Broken("sections: 3\n", "1:11 sections '3'"),
    Broken("sections: []\n", "1:11 sections (a list)"),
    Broken("sections:\n  - 7\n", "2:5 section '7'"),
    Broken("titel: x\n" + head, "1:1 unknown key 'titel' of session"),
    Broken(head + "    tempi: 120\n", "3:5 unknown key 'tempi' of section"),
    Broken(head + "    [1, 2]: 3\n", "3:5 unknown key '(a list)' of section"),
    Broken("title: [a]\n" + head, "1:8 title (a list)"),
    Broken("title:\n" + head, "1:7 title (nothing)"),
    Broken("title: \"a\\nb\"\n" + head, "1:8 title 'a\u{FFFD}b'"),
    Broken(head + "    tempo: fast\n", "3:12 tempo 'fast'"),
    Broken(head + "    tempo: -120\n", "3:12 tempo '-120'"),
    Broken(head + "    tempo: 0.5\n", "3:12 tempo '0.5'"),
    Broken(head + "    tempo: 1000\n", "3:12 tempo '1000'"),
    Broken(head + "    tempo: .nan\n", "3:12 tempo '.nan'"),
    Broken(head + "    tempo: 1e300\n", "3:12 tempo '1e300'"),
    Broken(
      head + "    tempo: 99999999999999999999999999999999999999999999\n",
      "3:12 tempo '9999999999999999999999999999999999999999…'"),
    Broken(head + "    tempo: \"120\"\n", "3:12 tempo '120'"),
    Broken(head + "    tempo: []\n", "3:12 empty list of tempos"),
    Broken(head + "    tempo: [120, x]\n", "3:18 tempo 'x'"),
    Broken(head + "    tempo: {from: 1}\n", "3:12 missing key to"),
    Broken(head + "    tempo: {from: 60, to: 90, by: 0, every: 1}\n", "3:35 by '0'"),
    Broken(head + "    tempo: {from: 60, to: 90, by: 5, every: 0}\n", "3:45 every '0'"),
    Broken(head + "    tempo: {from: 60, to: 90, by: 5, every: 1, then: halt}\n", "3:54 then 'halt'"),
    Broken(head + "    meter: 4\n", "3:12 meter '4'"),
    Broken(head + "    meter: 0/4\n", "3:12 meter 0/4"),
    Broken(head + "    meter: 4/100\n", "3:12 meter 4/100"),
    Broken(head + "    beat-unit: 2/7\n", "3:16 beat unit '2/7'"),
    Broken(head + "    groups: 3+x\n", "3:13 groups '3+x'"),
    Broken(head + "    groups: 3+2\n", "3:13 groups 3+2"),
    Broken(head + "    accents: Xxy.\n", "3:14 accents 'Xxy.'"),
    Broken(head + "    accents: Xx\n", "3:14 accents 'Xx'"),
    Broken(head + "    swing: 2\n", "3:12 swing 2.0"),
    Broken(head + "    subdivisions: {1: 0.5}\n", "3:20 subdivision '1'"),
    Broken(head + "    subdivisions: {3: 1.5}\n", "3:23 volume '1.5'"),
    Broken(head + "    volumes: {accents: 1}\n", "3:15 unknown key 'accents' of volumes"),
    Broken(head + "    volumes: {accent: -1}\n", "3:23 volume '-1'"),
    Broken(head + "    sound: banjo\n", "3:12 sound 'banjo'"),
    Broken(head + "    colour: #ff0000\n", "3:12 colour (nothing)"),
    Broken(head + "    colour: '#12'\n", "3:13 colour '#12'"),
    Broken(head + "    silent: perhaps\n", "3:13 silent 'perhaps'"),
    Broken(head + "    gap: {play: 0, rest: 1}\n", "3:17 play '0'"),
    Broken(head + "    gap: {play: 1}\n", "3:10 missing key rest"),
    Broken(head + "    silent: true\n    gap: {play: 1, rest: 1}\n", "4:5 gap besides silent"),
    Broken(head + "    random-silence: {percent: 101}\n", "3:31 percent '101'"),
    Broken(head + "    random-silence: {percent: 10, seed: -1}\n", "3:41 seed '-1'"),
    Broken(head + "    drop-out: {what: beats, every: 4}\n", "3:22 what 'beats'"),
    Broken(
      head + "    drop-out: {what: accents, every: 4}\n    tempo: {from: 60, to: 90}\n",
      "3:15 drop-out with a ramp or a list"),
    Broken(
      head + "    tempo: {from: 60, to: 90, by: 5, every: 3}\n    gap: {play: 3, rest: 1}\n",
      "4:10 gap 3 + 1 bars within steps"),
    Broken(head + "    beats: 4\n", "3:5 beats besides bars"),
    Broken("sections:\n  - name: x\n", "2:5 section without a length"),
    Broken("sections:\n  - bars: 0\n", "2:11 bars '0'"),
    Broken("sections:\n  - bars: -3\n", "2:11 bars '-3'"),
    Broken("sections:\n  - bars: 2.5\n", "2:11 bars '2.5'"),
    Broken("sections:\n  - bars: 9223372036854775808\n", "2:11 bars '9223372036854775808'"),
    Broken("sections:\n  - time: 1:75\n", "2:11 time '1:75'"),
    Broken("sections:\n  - time: 0\n", "2:11 time '0'"),
    Broken("sections:\n  - time: soon\n", "2:11 time 'soon'"),
    Broken("sections:\n  - until: later\n", "2:12 until 'later'"),
    Broken("sections:\n  - until: next\n    tempo: {from: 60, to: 90}\n", "2:12 until next"),
    Broken(
      "sections:\n  - until: next\n    tempo: {from: 60, to: 90, by: 5, every: 1, then: again}\n  - bars: 1\n",
      "3:12 tempo ladder without end"),
    Broken(
      "sections:\n  - until: next\n    tempo: {from: 60, to: 90, every: 1, random: true}\n  - bars: 1\n",
      "3:12 tempo drawn at random without end"),
    Broken(
      "cycles: 2\nsections:\n  - until: next\n    tempo: {from: 60, to: 90, every: 1, random: true}\n",
      "4:12 tempo drawn at random without end"),
    Broken(
      "sections:\n  - tempo: {from: 60, to: 90, by: 5, every: 1}\n",
      "2:5 section without a length"),
    Broken("sections:\n  - bars: 8\n    tempo: {from: 60, to: 90, random: true}\n", "3:12 missing key every"),
    Broken(
      "sections:\n  - bars: 8\n    tempo: {from: 60, to: 90, every: 1, random: maybe}\n",
      "3:49 random 'maybe'"),
    Broken(
      "sections:\n  - bars: 8\n    tempo: {from: 60, to: 90, every: 1, random: true, then: stop}\n",
      "3:61 then of a random tempo"
    ),
    Broken(
      "sections:\n  - bars: 8\n    tempo: {from: 60, to: 90, seed: 3}\n",
      "3:37 seed of a tempo that is not random"
    ),
    Broken(
      "sections:\n  - tempo: {from: 60, to: 90, every: 1, random: true}\n", "2:5 section without a length"),
    Broken("sections:\n  - bars: 1\n    label: a\n  - bars: 1\n    label: a\n", "5:12 label 'a' twice"),
    Broken("sections:\n  - repeat: 2\n", "2:5 missing key sections"),
    Broken("sections:\n  - sections: [{bars: 1}]\n", "2:5 missing key repeat"),
    Broken("sections:\n  - repeat: 0\n    sections: [{bars: 1}]\n", "2:13 repeat '0'"),
    Broken(
      "sections:\n  - repeat: 2\n    bars: 1\n    sections: [{bars: 1}]\n", "3:5 unknown key 'bars' of group"),
    Broken("cycles: 0\n" + head, "1:9 cycles '0'"),
    Broken(
      "cycles: 100000\nsections: [{bars: 1}, {bars: 1}]\n",
      "2:1 sections of more than 100000 with all repeats"),
    Broken("count-in: 0\n" + head, "1:11 count-in '0'"),
    Broken("count-in: {spoken: true}\n" + head, "1:11 count-in without a length"),
    Broken("count-in: {bars: 1, time: 3}\n" + head, "1:21 time besides bars"),
    Broken("voice: {speed: 10}\n" + head, "1:16 speed '10'"),
    Broken("voice: {rate: 10}\n" + head, "1:15 rate '10'"),
    Broken("voice: {rate: 100, speed: 100}\n" + head, "1:20 speed besides rate"),
    Broken("voice: {language: -f/etc/passwd}\n" + head, "1:19 language '-f/etc/passwd'"),
    Broken("songs: []\n", "1:8 songs (a list)"),
    Broken("songs: [{file: a, than: wait}]\n", "1:19 unknown key 'than' of song"),
    Broken("songs: [{then: wait}]\n", "1:9 missing key file"),
    Broken("songs: [{file: a, then: 2 days}]\n", "1:25 then '2 days'"),
    Broken("sections: [\n", "2:1 YAML: did not find expected node content"),
    Broken("title: 'x\nsections:\n", "3:1 YAML: found unexpected end of stream"),
    Broken("title: x\n\tsections: 3\n", "2:1 tab before the text"),
    Broken("title: a\ntitle: b\n" + head, "2:1 key 'title' twice"),
    Broken(head + "---\n" + head, "3:1 another document"),
    Broken("title: \u{1}\n" + head, "1:8 YAML: control characters are not allowed"),
    Broken("title: &a x\nvoice: *a\n", "2:8 alias *a"),
    Broken("title: *a\n" + head, "1:8 alias *a"),
  ]

  @Test("A wrong value is reported where it stands", arguments: corpus)
  func place(broken: Broken) {
    #expect(faults(broken.text) == [broken.fault])
  }

  @Test func allFaultsAreReportedInTheOrderOfTheText() {
    let text = "titel: x\nsections:\n  - bars: 0\n    tempo: 5000\n  - time: 20 s\n    meter: 7\n"
    #expect(
      faults(text) == [
        "1:1 unknown key 'titel' of session", "3:11 bars '0'", "4:12 tempo '5000'", "6:12 meter '7'",
      ])
  }

  @Test func aLadderWithoutALengthIsToldHowItLastsForAllSteps() throws {
    let ladder = "sections:\n  - tempo: {from: 60, to: 90, by: 5, every: 1}\n"
    #expect(try #require(reported(ladder).first).description.contains("then: stop"))
    #expect(try !#require(reported("sections: [{name: x}]\n").first).description.contains("then: stop"))
  }

  @Test func aVoiceThatDoesNotExistIsReportedWhereItStands() throws {
    let folder = try DocumentFolder()
    let path = try folder.write("song.yaml", "voice: {language: xyzzy}\nsections: [{bars: 1}]\n")
    #expect(throws: Never.self) { try SessionLoader().load(path) }
    #expect(throws: Never.self) { try SessionLoader(voices: { $0 == "xyzzy" }).load(path) }
    let faults = #expect(throws: Faults.self) { try SessionLoader(voices: { $0 == "en" }).load(path) }
    #expect(
      faults?.description.contains(":1:19: language 'xyzzy': must be a voice that espeak-ng has") == true)
  }

  @Test func anUnknownKeyNamesTheNearestKnownOne() throws {
    let fault = try #require(reported("sections:\n  - bars: 1\n    beatunit: 1/4\n").first)
    #expect(
      fault.description.hasPrefix(
        "song.yaml:3:5: unknown key 'beatunit' of section: must be beat-unit, perhaps; known are name,"))
  }

  /// What people write who know music and not YAML.
  @Test(arguments: [
    ("sections:\n\t- {bars: 4}\n", "2:1: tab before the text: must be spaces: YAML allows no tabs there"),
    (head + "    tempo: 92,5\n", "3:12: tempo '92,5': must be written with a point, as 92.5"),
    (head + "    swing: 0,5\n", "3:12: swing '0,5': must be written with a point, as 0.5"),
    ("sections:\n  - {bars: 4, tempo: 92,5}\n", "2:25: unknown key '5' of section: must be after a point"),
    (head + "    tempo: {from: 92,5, to: 99, by: 2,5}\n", "3:39: key '5' twice: must be after a point"),
    (
      "sections:\n  - {bars: 4, tempo:100}\n",
      "unknown key 'tempo:100' of section: must be with a space after the colon, as tempo: 100"
    ),
    (
      "sections:\n  - {bars: 4, tempo: 100\n  - {bars: 4}\n",
      "{ or [ that is not closed, here or in a line above"
    ),
    (head + "    minutes: 5\n", "unknown key 'minutes' of section: must be time, perhaps"),
    (head + "    tempo: 100 bpm\n", "3:12: tempo '100 bpm': must be the number alone, as 100"),
    (head + "    tempo: 92.5BPM\n", "3:12: tempo '92.5BPM': must be the number alone, as 92.5"),
    (head + "    tempo: 80-120\n", "tempo '80-120': must be {from: 80, to: 120} for one that changes"),
    (head + "    tempo: 80 - 120\n", "tempo '80 - 120': must be {from: 80, to: 120} for one that changes"),
    (
      head + "    countin: 2\n",
      "3:5: unknown key 'countin' of section: must be count-in at the top of the document"
    ),
    (
      "sections:\n  - name:Ladder\n    bars: 4\n",
      "no space after the colon of 'name', in this line or the one above: must be one, as name: text"
    ),
    (head + "    bpm: 92\n", "3:5: unknown key 'bpm' of section: must be tempo, perhaps; known are name,"),
    (head + "    BPM: 92\n", "must be tempo, perhaps"),
    ("bpm: 92\n" + head, "1:1: unknown key 'bpm' of session: must be tempo in a section, or below defaults"),
    ("tempo: 92\n" + head, "unknown key 'tempo' of session: must be tempo in a section, or below defaults"),
    (head + "    color: red\n", "unknown key 'color' of section: must be colour, perhaps"),
    (
      "sections:\n  - name: Song: the reprise\n    bars: 4\n",
      "2:15: colon in a text: must be in quotes, as name: \"Song: the reprise\""
    ),
    ("title: x\n  cycles: 2\n" + head, "2:9: key that is indented more than the one above: must be"),
    (head + "    swing: 62\n", "62 per cent is written 62%"),
  ])
  func `Common mistakes get a helpful message`(text: String, sentence: String) throws {
    let fault = try #require(reported(text).first)
    #expect(fault.description.contains(sentence), "\(fault)")
  }

  @Test func `A colour that displays may not know is told, with the one that was meant`() {
    #expect(
      ColourNames.note(on: "grean")
        == "colour 'grean' is not a CSS colour, so displays may not know it: green, perhaps")
    #expect(
      ColourNames.note(on: "zzzzzzzzzzzz")
        == "colour 'zzzzzzzzzzzz' is not a CSS colour, so displays may not know it")
    for known in ["green", "Dark Green", "#12af00", "#fff", "rebeccapurple", ""] {
      #expect(ColourNames.note(on: known) == nil)
    }
  }

  @Test func columnsCountCharacters() {
    #expect(faults("{title: Grün 🥁, cycles: 0, sections: [{bars: 1}]}") == ["1:25 cycles '0'"])
  }

  @Test func noMoreFaultsAreKeptThanAnybodyReads() {
    let text = "sections:\n" + String(repeating: "  - bars: 0\n", count: 50_000)
    #expect(faults(text).count == 1_000)
  }
}
