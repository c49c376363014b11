import Control
import MusicTime
import OSC
import OSCBench
import Testing

@testable import OSCControl

@Suite struct PresetAddressTests {
  private func message(_ name: String, _ arguments: OSCArgument...) -> OSCMessage {
    OSCMessage("/tactus/" + name, arguments: arguments)
  }

  @Test func presetsAreSavedRecalledArrangedAndListed() throws {
    let rig = try EmbeddedRig()
    #expect(
      rig.answers(message("presets")) == [
        message("presets", .int32(0), .int32(0), .string(""), .float(0), .int32(0), .int32(0))
      ])
    #expect(rig.answers(message("preset/save", .string("Verse"))) == [])
    #expect(rig.answers(message("tempo", .float(90))) == [])
    #expect(rig.answers(message("meter", .int32(7), .int32(8))) == [])
    #expect(
      rig.answers(message("preset")) == [message("preset", .int32(1), .int32(1), .string("Verse"), .int32(1))]
    )
    #expect(rig.answers(message("preset/save", .string("Chorus"))) == [])
    #expect(
      rig.answers(message("presets")) == [
        message("presets", .int32(1), .int32(2), .string("Verse"), .float(120), .int32(4), .int32(4)),
        message("presets", .int32(2), .int32(2), .string("Chorus"), .float(90), .int32(7), .int32(8)),
      ])
    for (recall, number, name, tempo) in [
      (message("preset", .string("Verse")), 1, "Verse", 120), (message("preset", .float(2)), 2, "Chorus", 90),
      (message("preset/next"), 1, "Verse", 120), (message("preset/previous", .float(1)), 2, "Chorus", 90),
    ] as [(OSCMessage, Int32, String, Float)] {
      #expect(rig.answers(recall) == [])
      #expect(
        rig.answers(message("preset"), message("tempo")) == [
          message("preset", .int32(number), .int32(2), .string(name), .int32(0)),
          message("tempo", .float(tempo)),
        ])
    }
    #expect(rig.answers(message("preset/move", .string("Chorus"), .int32(1))) == [])
    #expect(rig.answers(message("preset/rename", .int32(2), .string("Bridge"))) == [])
    #expect(rig.settings.presets.all.map(\.name) == ["Chorus", "Bridge"])
    #expect(rig.answers(message("preset/remove", .int32(1))) == [])
    #expect(rig.settings.presets.all.map(\.name) == ["Bridge"])
  }

  @Test func perCentsAreAText() throws {
    let rig = try EmbeddedRig()
    #expect(rig.answers(message("volume", .string("50%"))) == [])
    #expect(rig.answers(message("swing", .string("62%"))) == [])
    #expect(rig.settings.volume(.master) == (try Volume(0.5)))
    #expect(rig.settings.swing == (try Swing(0.48)))
    let before = rig.settings
    for (name, text) in [("volume", "1.2"), ("volume", "101%"), ("volume", "%"), ("tempo", "90%")] {
      #expect(
        rig.answers(message(name, .string(text))).first?.address == AddressSpace.error, "\(name) \(text)")
    }
    #expect(rig.settings == before)
  }

  @Test func fadesAndStopsAtTheBarAreAskedFor() throws {
    let rig = try EmbeddedRig()
    for good in [
      message("fade"), message("fade", .float(2.5)), message("fade", .int32(0)), message("stop/bar"),
      message("stop/bar", .float(1)), message("fade", .float(1)), message("fade", .float(0)),
    ] {
      #expect(rig.answers(good) == [], "\(good)")
    }
    for (bad, words) in [
      (message("fade", .float(0.05)), "0.1…120 seconds"), (message("fade", .int32(121)), "0.1…120 seconds"),
      (message("fade", .string("x")), "a number"),
    ] {
      let answer = rig.answers(bad)
      #expect(answer.count == 1 && "\(answer)".contains(words), "\(answer)")
    }
  }

  @Test func whatIsWrongIsAnsweredWithWhatIsRight() throws {
    let rig = try EmbeddedRig()
    #expect(rig.answers(message("preset/save", .string("A"))) == [])
    let before = rig.settings
    for (bad, words) in [
      (message("preset", .int32(2)), "preset 2: must be one that was saved: 1 'A'"),
      (message("preset", .int32(.min)), "one that was saved"),
      (message("preset", .string("B")), "preset 'B': must be one that was saved: 1 'A'"),
      (message("preset", .blob([1])), "blob"),
      (message("preset/save", .string("7")), "a name of 1 to 64 bytes"),
      (message("preset/move", .string("A"), .int32(2)), "1…1"),
      (message("preset/rename", .string("A")), "ss or is"),
      (message("presets", .int32(1)), "read-only"),
    ] {
      let answer = rig.answers(bad).first
      #expect(answer?.address == "/tactus/error")
      #expect(answer?.arguments.last?.text?.contains(words) == true, "\(bad): \(answer as Any)")
    }
    #expect(rig.settings == before)
  }

  @Test func `After a refused preset, role or song its sender gets the one that applies`() throws {
    let rig = try EmbeddedRig()
    for (refused, value) in [
      (message("preset", .int32(2)), message("preset", .int32(0), .int32(0), .string(""), .int32(0))),
      (message("role", .string("foo")), message("role", .string("free"))),
      (message("song", .int32(7)), message("song", .int32(0), .int32(0), .string(""))),
      (message("song/number", .int32(7)), message("song/number", .int32(0))),
    ] {
      let answers = rig.answers(refused)
      #expect(answers.map(\.address) == ["/tactus/error", refused.address])
      #expect(answers.last == value)
    }
  }

  @Test func documentsAreListed() throws {
    let rig = try EmbeddedRig(configure: { configuration in
      configuration.listDocuments = {
        [
          DocumentSummary(name: "broken.yaml", content: nil, isFaulty: true),
          DocumentSummary(
            name: "gig.yaml",
            content: DocumentSummary.Content(
              title: "Friday", songs: 10, seconds: 2_530.4, tempo: Tempo(clamping: 92_500), meter: .common)),
        ]
      }
    })
    #expect(
      rig.answers(message("sessions")) == [
        message(
          "sessions", .int32(1), .int32(2), .string("broken.yaml"), .string(""), .int32(0), .int32(0),
          .float(0),
          .int32(0), .int32(0)),
        message(
          "sessions", .int32(2), .int32(2), .string("gig.yaml"), .string("Friday"), .int32(10), .int32(2_530),
          .float(92.5), .int32(4), .int32(4)),
      ])
    // The list is there, so that the next can be made.
    #expect(rig.answers(message("sessions")).count == 2)
    #expect(rig.answers(message("sessions", .int32(2))).map { $0.arguments.first } == [.int32(2)])
    #expect(rig.answers(message("sessions", .int32(0))).first?.address == "/tactus/error")
  }

  @Test func aLongListComesInParts() throws {
    let rig = try EmbeddedRig(configure: { configuration in
      configuration.listDocuments = { (1...150).map { DocumentSummary(name: "\($0).yaml", content: nil) } }
    })
    var names: [OSCArgument] = []
    for first: Int32 in [1, 65, 129] {
      names += rig.answers(message("sessions", .int32(first))).map { $0.arguments[2] }
    }
    #expect(names == (1...150).map { .string("\($0).yaml") })
  }

  @Test func `A program on this machine gets its lists in full, whatever it has earned`() throws {
    let name = String(repeating: "n", count: 60)
    let rig = try EmbeddedRig(configure: { configuration in
      configuration.listDocuments = {
        (1...64).map { DocumentSummary(name: "\($0) \(name).yaml", content: nil) }
      }
    })
    let lists = ["sessions", "sounds", "presets", "midi/bindings"]
    let app = rig.answers(message("sessions")) + lists.dropFirst().flatMap { rig.answers(message($0)) }
    let other = OSCPeer(url: "osc.udp://127.0.0.1:9001")!
    var received: [OSCMessage] = []
    rig.carry = { received += (try? OSCDatagram($0.bytes).messages) ?? [] }
    for list in lists { rig.send(message(list), from: other) }
    rig.settle()
    #expect(app.count > 64)
    #expect(
      received.count == app.count
        && lists.allSatisfy { list in
          received.filter { $0.address == "/tactus/" + list }
            == app.filter { $0.address == "/tactus/" + list }
        })
  }

  @Test func `A last text lengthens the request for a list, so that it earns more of the answer`() throws {
    let rig = try EmbeddedRig()
    let padding = OSCArgument.string(String(repeating: "-", count: 100))
    for list in ["sounds", "presets", "midi/bindings", "songs", "scheduled"] {
      #expect(rig.answers(message(list, padding)) == rig.answers(message(list)), "\(list)")
    }
    #expect(
      rig.answers(message("scheduled")) == [
        OSCMessage("/tactus/scheduled", .float(0), .string(""), .string(""))
      ])
    #expect(rig.answers(message("sounds", .int32(3), padding)) == rig.answers(message("sounds", .int32(3))))
  }
}
