import ControlBench
import Dispatch
import MusicTime
import Realtime
import TestNumbers
import Testing

@testable import Control
@testable import Engine

extension MIDIBinding {
  fileprivate static var pedal: MIDIBinding {
    // Both are valid.
    try! MIDIBinding(MIDISource(.controller, 64), MIDIAction(.toggle))
  }
}

@Suite struct ConductorSettingsTests {
  @Test func aNudgeMovesTheTempoAndStopsAtTheBoundsAndSaysSo() throws {
    let rig = try Rig()
    #expect(rig.refusal(of: .nudge(thousandths: 500)) == nil)
    #expect(rig.settle().settings.tempo.thousandths == 120_500)
    #expect(rig.refusal(of: .nudge(thousandths: 999_000)) == "the tempo stops at 999.999, the highest")
    #expect(rig.refusal(of: .nudge(thousandths: 1)) == "the tempo stops at 999.999, the highest")
    #expect(rig.refusal(of: .nudge(thousandths: .min)) == "the tempo stops at 1, the lowest")
    #expect(rig.refusal(of: .nudge(thousandths: .max)) == "the tempo stops at 999.999, the highest")
  }

  @Test func tapsSetTheTempoBySendersClock() throws {
    let rig = try Rig()
    for tap in 0..<4 { rig.push(.tap(seconds: 1e6 + Double(tap) * 0.375)) }
    #expect(rig.settle().settings.tempo.thousandths == 160_000)
  }

  @Test func aBadValueIsRefusedWithTheReasonAndChangesNothing() throws {
    let rig = try Rig()
    let before = rig.settle()
    let accents = try AccentPattern(text: "Xx")
    #expect(
      rig.refusal(of: .set(.accents(accents))) == "accents 'Xx': must be 4 long, one for each beat of the bar"
    )
    #expect(rig.settle() == before)
  }

  @Test func resetPutsEverythingBackAndLeavesTheTransport() throws {
    var random = Generator(seed: 9)
    var settings = random.settings()
    try settings.set(.role(.lead))
    let rig = try Rig(settings)
    rig.push(.reset)
    // The sound has to be read first.
    #expect(rig.eventually { $0.settings == Settings() })
    // The lead is released when the engine no longer uses it.
    #expect(rig.eventually { _ in rig.host.calls.contains(.take(.free, conditional: false)) })
    #expect(rig.eventually { _ in rig.clips.asked.last == "sine@48000" })
  }

  @Test func resetSaysWhatChanged() throws {
    let rig = try Rig()
    rig.push(.set(.tempo(Tempo(clamping: 90_000))))
    rig.settle()
    rig.push(.reset)
    #expect(
      rig.hears {
        guard case .changed(let old, let new) = $0 else { return false }
        return old.settings.tempo.thousandths == 90_000 && new.settings.tempo.thousandths == 120_000
      })
  }

  // MARK: Saving

  @Test func changesAreSavedTogetherASecondAfterTheFirst() throws {
    let rig = try Rig()
    let begin = rig.time
    for step in 1...100 { rig.push(.nudge(thousandths: step)) }
    let last = rig.settle().settings
    #expect(rig.saves())
    #expect(rig.time - begin >= KeptSettings.delay)
    #expect(rig.disk.saves == [last])
  }

  @Test func `Save writes the changes of the same turn at once`() throws {
    let rig = try Rig()
    let begin = rig.time
    rig.updates.push([Request(.update(.nudge(thousandths: 1_000))), Request(.update(.save))])
    #expect(rig.saves())
    #expect(rig.disk.saves.last?.tempo.thousandths == 121_000)
    #expect(rig.time - begin < KeptSettings.delay)
  }

  @Test func `Stopping applies earlier requests and saves them`() throws {
    let rig = try Rig()
    rig.push(.set(.role(.lead)), .nudge(thousandths: 2_000), .stop)
    #expect(rig.stop())
    #expect(rig.disk.saves.last?.tempo.thousandths == 122_000)
    #expect(rig.host.calls.contains(.stop))
  }

  @Test func `Stopping writes nothing if nothing changed`() throws {
    let rig = try Rig()
    rig.settle()
    #expect(rig.stop())
    #expect(rig.disk.saves.isEmpty)
  }

  @Test func `The file stays unchanged until a user changes a setting or saves`() throws {
    let list = setlist([
      ("one", [try section("A", .bars(1))], .wait), ("two", [try section("B")], .wait),
    ])
    func run(_ change: (Rig) -> Void) throws -> Disk {
      let disk = Disk()
      let rig = try Rig(disk: disk) {
        ($0.keepsSaved, $0.saved) = (true, nil)
        $0.session = (list, SessionPlace(path: "/set.yaml"))
      }
      rig.settle()
      change(rig)
      rig.settle()
      #expect(rig.stop())
      return disk
    }
    // Changes by the program itself and refused changes do not write.
    let untouched = try run { rig in
      rig.push(.start)
      #expect(rig.eventually { $0.progress?.title == "two" })
      rig.push(.go(.previousSong), .hold(true), .speed(percent: 90), .nudge(thousandths: 1_000), .stop)
      // Another view is no reason to replace a file.
      rig.push(.set(.stageView(true)))
    }
    #expect(untouched.saves == [])
    let reasons: [Update] = [.save, .set(.mute(true)), .bind(.pedal), .set(.role(.follow)), .open(path: "")]
    for update in reasons { #expect(try run { $0.push(update) }.saves != [], "\(update)") }
  }

  @Test func `A failed save is reported and repeated at the end`() throws {
    let rig = try Rig(disk: Disk(isFull: true))
    rig.push(.nudge(thousandths: 1_000), .save)
    #expect(
      rig.hears { if case .warning(let text) = $0 { text.contains("no space left") } else { false } })
    rig.disk.isFull = false
    #expect(rig.stop())
    #expect(rig.disk.saves.last?.tempo.thousandths == 121_000)
  }

  @Test func `A failed save is repeated with growing pauses and reported once`() throws {
    let failure = "the settings could not be saved: no space left"
    let rig = try Rig(disk: Disk(isFull: true))
    rig.push(.nudge(thousandths: 1_000))
    // A second after the change, and 2, 4 and 8 seconds later.
    rig.pass(.seconds(20))
    #expect(rig.disk.failures == 4)
    #expect(rig.reports.warnings == [failure])
    // A save on request reports its failure.
    rig.push(.save)
    rig.pass(.seconds(1))
    #expect(rig.reports.warnings == [failure, failure])
    rig.disk.isFull = false
    #expect(rig.saves())
    #expect(rig.disk.saves.last?.tempo.thousandths == 121_000)
    rig.pass(.seconds(100))
    #expect(rig.reports.warnings == [failure, failure, "the settings are saved again"])
    #expect(rig.disk.saves.count == 1)
  }

  @Test func aSaveThatFailsAtTheEndIsReportedToo() throws {
    let rig = try Rig(disk: Disk(isFull: true))
    rig.push(.nudge(thousandths: 1_000))
    #expect(rig.stop())
    #expect(rig.reports.warnings == ["the settings could not be saved: no space left"])
  }

  // MARK: Connections

  @Test func connectionsAreSavedAndOutliveAReset() throws {
    let rig = try Rig()
    let connections = PortConnections(kept: ["control": ["pedal:out"], "out": []], connected: ["control"])
    rig.updates.push(Request(.connections(connections)))
    rig.push(.reset)
    rig.settle()
    #expect(rig.stop())
    #expect(rig.disk.saves.last?.connections == connections.kept)
  }

  @Test func `An input that is needed and not connected is reported once`() throws {
    var settings = Settings()
    try settings.bind(.pedal)
    let rig = try Rig(settings)
    func connect(_ ports: Set<String>) {
      rig.updates.push(Request(.connections(PortConnections(kept: [:], connected: ports))))
      rig.settle()
      // A connection that was just made may not have been read yet.
      let count = rig.reports.warnings.count
      rig.pass(.milliseconds(800))
      #expect(rig.reports.warnings.count == count)
      rig.pass(.milliseconds(800))
    }
    #expect(rig.reports.warnings == [])
    for _ in 0..<2 { connect(["out"]) }
    let control = "no MIDI controller is connected to the port 'control'"
    #expect(rig.reports.warnings.map { $0.hasPrefix(control) } == [true])
    rig.push(.set(.role(.midiClock)))
    connect(["out", "control"])
    #expect(rig.reports.warnings.count == 3)
    #expect(rig.reports.warnings[1] == "the port 'control' is connected now")
    #expect(rig.reports.warnings[2].hasPrefix("no MIDI clock is connected to the port 'clock-in'"))
    connect(["clock-in", "control"])
    connect(["clock-in"])
    #expect(rig.reports.warnings.count == 5)
    #expect(rig.reports.warnings[3] == "the port 'clock-in' is connected now")
    #expect(rig.reports.warnings[4].hasPrefix(control))
  }

  // MARK: Memory

  @Test func `Scores that the engine returns are always freed`() throws {
    let rig = try Rig()
    rig.push(.start)
    // Three times as many as the ring of returned scores can hold.
    for index in 1...200 {
      let tempo = Tempo(clamping: 100_000 + index)
      rig.push(.set(.tempo(tempo)))
      #expect(rig.eventually { _ in rig.playedTempo == tempo.beatsPerMinute })
    }
    rig.settle()
    let isEmpty = rig.channels.pointee.returnedUpdates.pop() == nil
    #expect(isEmpty)
  }
}
