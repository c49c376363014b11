import Control
import ControlBench
import MusicTime
import OSC
import OSCBench
import Realtime
import Testing

@testable import OSCControl

/// Habits of OSC apps that apply to all addresses.
@Suite struct AppHabitTests {
  private let rig: EmbeddedRig

  init() throws { rig = try EmbeddedRig() }

  private func send(_ name: String, _ arguments: OSCArgument...) -> [OSCMessage] {
    rig.answers(OSCMessage("/tactus/" + name, arguments: arguments))
  }

  private func value(_ name: String) throws -> [OSCArgument] {
    try #require(send(name).first { $0.address == "/tactus/" + name }).arguments
  }

  // MARK: Faders

  @Test func aFaderBeyondItsEndsCountsAsTheEndAndIsToldSo() throws {
    for parameter in Parameters.all where parameter.isClamped {
      for (sent, counts) in [
        (parameter.bounds.lowerBound - 5, parameter.bounds.lowerBound), (1e6, parameter.bounds.upperBound),
      ] {
        let answers = send(parameter.name, .float(Float(sent)))
        #expect(answers == [OSCMessage("/tactus/" + parameter.name, .float(Float(counts)))])
        #expect(rig.settings[parameter] == .number(counts))
      }
    }
    #expect(send("volume", .float(1.000_000_1)) == [OSCMessage("/tactus/volume", .float(1))])
    #expect(send("volume", .float(1)).isEmpty)
  }

  @Test func aTempoBeyondItsValuesMayBeAMistakeAndIsRefused() {
    for tempo: Float in [-120, 0, 1_000] {
      #expect(send("tempo", .float(tempo)).map(\.address) == ["/tactus/error", "/tactus/tempo"])
      rig.pass(.milliseconds(300))
    }
    #expect(rig.settings.tempo.thousandths == 120_000)
  }

  @Test func aFaderBeyondTheProfileStopsAtItsEndAndSaysSo() throws {
    rig.rig.push(.set(.profile(.runner)))
    let answers = send("tempo/norm", .float(1)) + rig.answers()
    #expect(answers.map(\.address) == ["/tactus/error", "/tactus/tempo/norm"])
    #expect(rig.settings.tempo.thousandths == 230_000)
    // A typed tempo out of range is refused.
    #expect(send("tempo/text", .string("300 BPM")).first?.address == "/tactus/error")
  }

  @Test func whatIsNoFaderIsRefusedAndTheValueSentAgain() throws {
    #expect(send("clock/offset", .float(700)).map(\.address) == ["/tactus/error", "/tactus/clock/offset"])
    #expect(send("meter", .int32(0), .int32(4)).last == OSCMessage("/tactus/meter", .int32(4), .int32(4)))
  }

  @Test func theSameMistakeInAMomentIsAnsweredWithTheValueOnce() throws {
    #expect(send("notes/cue", .int32(300)).count == 2)
    #expect(send("notes/cue", .int32(300)).count == 1)
    #expect(send("notes/cue", .int32(301)).count == 2)
    rig.pass(.milliseconds(300))
    #expect(send("notes/cue", .int32(300)).count == 2)
  }

  @Test func patternsAndDatesAreNotAnsweredWithValues() throws {
    let pattern = rig.answers(OSCMessage("/tactus/notes/*", .string("loud")))
    #expect(pattern.map(\.address) == ["/tactus/error"])
  }

  // MARK: Other forms

  @Test func aTempoIsAFaderFromZeroToOne() throws {
    #expect(try value("tempo/norm") == [.float(0.4)])
    #expect(try value("tempo/norm/range") == [.float(40), .float(240)])
    for (place, tempo) in [(0, 40_000), (0.25, 90_000), (1, 240_000)] {
      #expect(send("tempo/norm", .float(Float(place))).isEmpty)
      #expect(rig.settings.tempo.thousandths == tempo)
      #expect(try value("tempo/norm") == [.float(Float(place))])
    }
    #expect(send("tempo/norm", .float(1.5)) == [OSCMessage("/tactus/tempo/norm", .float(1))])
    #expect(send("tempo", .float(300)).isEmpty)
    #expect(try value("tempo/norm") == [.float(1)])
  }

  @Test func eachVolumeHasDecibelsThatComeBackAsTheyAreSent() throws {
    let volumes = Parameters.all.filter(\.isVolume)
    #expect(volumes.count == 22)
    for volume in volumes {
      for decibels: Float in [-100, -60, -24.5, -6, -0.1, 0] {
        #expect(send("\(volume.name)/db", .float(decibels)).isEmpty)
        #expect(try value("\(volume.name)/db") == [.float(decibels)])
      }
      #expect(rig.settings[volume] == .number(1))
      #expect(send("\(volume.name)/db", .float(-200)).last?.arguments == [.float(-100)])
      #expect(rig.settings[volume] == .number(0))
    }
  }

  @Test func whatIsToldInDecibelsIsTheSameVolumeWhenItIsSentBack() throws {
    for step in 1...200 {
      let gain = Float(step) / 200
      _ = send("volume", .float(gain))
      let before = rig.settings
      _ = send("volume/db", try value("volume/db")[0])
      #expect(rig.settings == before, "\(gain)")
    }
  }

  @Test func textsForLabelsAreToldAndRead() throws {
    _ = send("tempo", .float(133.7))
    #expect(try value("tempo/text") == [.string("133.7 BPM")])
    #expect(send("tempo/text", .string("96 bpm")).isEmpty)
    #expect(rig.settings.tempo.thousandths == 96_000)
    #expect(send("meter/text", .string("7/8")).isEmpty)
    #expect(try value("meter/text") == [.string("7/8")])
    #expect(try value("sounding/text") == [.string("96 BPM")])
    for (swing, text) in [
      ("62%", "62 % (0.48)"), ("0.667", "66.7 % (0.667)"), ("0", "50 % (0)"), ("1", "75 % (1)"),
    ] {
      #expect(send("swing", .string(swing)).isEmpty)
      #expect(try value("swing/text") == [.string(text)])
    }
  }

  @Test func numbersAndPairsMayBeTexts() throws {
    for (name, text, expected) in [
      ("tempo", "123.5", [OSCArgument.float(123.5)]), ("meter", "7/8", [.int32(7), .int32(8)]),
      ("meter", "5", [.int32(5), .int32(4)]), ("gap", "4+2", [.int32(4), .int32(2)]),
      ("beat-unit", "3/8", [.int32(3), .int32(8)]), ("notes/cue", "60", [.int32(60)]),
      ("mute", "1", [.int32(1)]), ("swing", "0.5", [.float(0.5)]), ("volume", "50%", [.float(0.5)]),
    ] {
      #expect(send(name, .string(text)).isEmpty, "\(name) \(text)")
      #expect(try value(name) == expected)
    }
    for text in ["nan", "inf", "1e400", "", " 5", "5 5"] {
      #expect(send("tempo", .string(text)).first?.address == "/tactus/error", "\(text)")
    }
  }

  @Test func quantiseHasAnotherSpelling() throws {
    #expect(send("quantize", .string("bar")).isEmpty)
    #expect(try value("quantise") == [.string("bar")] && value("quantize") == [.string("bar")])
  }

  @Test func aPatternSetsFormsOnlyByTheirNames() throws {
    #expect(rig.answers(OSCMessage("/tactus/volume/*", .float(0.5))).isEmpty)
    #expect(rig.settings.volume(.master) == .full && rig.settings.volume(.cue).gain == 0.5)
    #expect(rig.answers(OSCMessage("/tactus/volume/*/db", .float(-100))).isEmpty)
    #expect(rig.settings.volume(.cue) == .off && rig.settings.volume(.master) == .full)
  }

  @Test func pingOutsideOfTheNamespaceIsAnswered() {
    #expect(rig.answers(OSCMessage("/ping", .int32(3))) == [OSCMessage("/pong", .int32(3))])
  }

  // MARK: Values one by one

  @Test func playingIsAskedForWithoutTogglingAndSet() throws {
    #expect(try value("playing") == [.int32(0)] && !rig.settle().isPlaying)
    #expect(send("playing", .float(1)).isEmpty && rig.settle().isPlaying)
    #expect(try value("playing") == [.int32(1)] && rig.settle().isPlaying)
    #expect(send("playing", .int32(0)).isEmpty && !rig.settle().isPlaying)
  }

  @Test func theLampIsLitAndDarkOnceABeat() throws {
    _ = send("subscribe")
    rig.rig.push(.start)
    let heard = rig.heard(during: .seconds(4))
    let lamp = heard.filter { $0.address == "/tactus/beat/lamp" }.compactMap { $0.arguments[0].integer }
    #expect(lamp == lamp.indices.map { ($0 + 1) % 2 })
    #expect((14...16).contains(lamp.count), "\(lamp.count)")
    let bars = heard.filter { $0.address == "/tactus/bar" }.compactMap { $0.arguments[0].integer }
    #expect(bars.starts(with: [1, 2]))
    let beats = heard.filter { $0.address == "/tactus/beat/number" }.compactMap { $0.arguments[0].integer }
    #expect(beats.starts(with: [1, 2, 3, 4, 1, 2, 3, 4]))
    rig.rig.push(.stop)
    #expect(try value("bar") == [.int32(0)] && value("beat/number") == [.int32(0)])
  }

  @Test func soundsAreListed() {
    let rows = send("sounds")
    #expect(rows.count == Parameters.builtInSounds.count)
    #expect(rows.first?.arguments == [.int32(1), .int32(11), .string("sine")])
    #expect(send("sounds", .int32(11)).map { $0.arguments.last } == [.string("voice-bars")])
    #expect(send("sounds", .int32(12)).map { $0.arguments.first } == [.int32(0)])
    #expect(send("songs").map(\.arguments) == [[.int32(0), .int32(0), .string("")]])
  }

  // MARK: Asking and subscribing

  @Test func aQueryMayNameAPortForItsAnswer() throws {
    let test = try RemoteRig()
    let page = Peer()
    test.send(OSCMessage("/tactus/query", .int32(Int32(page.port))))
    let expected = AddressSpace.endpoints.filter { $0.value != nil }.map(\.address)
    let answers = try expected.map { _ in try #require(page.receive()?.first) }
    #expect(answers.map(\.address) == expected)
  }

  @Test func aSubscriptionLastsAsLongAsItAsksFor() {
    var subscribers = Subscribers()
    let peer = OSCPeer(url: "osc.udp://127.0.0.1:9000")!
    let isTaken = subscribers.add(peer, for: 600, now: 5)
    let (before, after) = (
      subscribers.current(now: 4 + .seconds(600)), subscribers.current(now: 5 + .seconds(600))
    )
    #expect(isTaken && before == [peer] && after.isEmpty)
  }
}
