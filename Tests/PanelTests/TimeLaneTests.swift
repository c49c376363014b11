import Control
import Testing
import TimeCheck

@testable import Panel

@Suite struct TimeLaneTests {
  private func timing(_ hits: [Double], isCalibrated: Bool = true) -> TimingState {
    var timing = TimingState()
    timing.lastHits = hits
    timing.hits = hits.count
    timing.recent.hits = hits.count
    timing.recent.mean = hits.reduce(0, +) / Double(max(hits.count, 1))
    timing.recent.inWindow = 0.75
    timing.isCalibrated = isCalibrated
    return timing
  }

  @Test func `Early hits are left of the click, late ones right, and the last one stands out`() throws {
    let scale = TimeLane(timing: timing([-25, 25]), glyphs: .ascii).scale(width: 41)
    #expect(scale.count == 41)
    let places = Array(scale)
    #expect(places[10] == "o")
    #expect(places[20] == "|")
    #expect(places[30] == "#")
  }

  @Test func `Hits beyond the scale are at its ends`() {
    let scale = TimeLane(timing: timing([-400, 90]), glyphs: .unicode).scale(width: 21)
    #expect(scale.first == "○")
    #expect(scale.last == "●")
  }

  @Test func `Words say what colours can't`() {
    #expect(TimeLane(timing: timing([-4, -4]), glyphs: .ascii).words == "4 ms early")
    #expect(TimeLane(timing: timing([-4]), glyphs: .ascii).counts(width: 80).contains("75 %"))
    #expect(
      TimeLane(timing: timing([3], isCalibrated: false), glyphs: .ascii).words.contains("not calibrated"))
  }

  @Test func `Strokes near no click are told, and what matters less is cut off first`() {
    var timing = timing([])
    timing.strays = 7
    #expect(TimeLane(timing: timing, glyphs: .ascii).words == "listening")
    timing.strays = 23
    #expect(TimeLane(timing: timing, glyphs: .ascii).words == "23 strokes, none near a click")
    timing.hidden = 40
    #expect(TimeLane(timing: timing, glyphs: .ascii).words == "the click hides 40 strokes: C")
    timing = self.timing([-4, -4])
    (timing.missed, timing.playedTempo) = (3, 118.62)
    #expect(
      TimeLane(timing: timing, glyphs: .ascii).counts(width: 80)
        == "2 hits | 75 % within 20 ms | 3 missed | at 118.6")
  }

  @Test func `The tempo that is played is told, and that the click is heard`() {
    var timing = timing([-4, -4])
    timing.playedTempo = 118.62
    #expect(TimeLane(timing: timing, glyphs: .ascii).counts(width: 80).contains("at 118.6"))
    timing.hearsClick = true
    #expect(TimeLane(timing: timing, glyphs: .ascii).words == "hears the click: C")
    timing.unconnected = ["listen"]
    #expect(TimeLane(timing: timing, glyphs: .ascii).words == "nothing is connected to listen")
  }

  @Test func `Counts are as short as the room, and no number is cut`() {
    var timing = timing([-4, -4])
    (timing.missed, timing.playedTempo) = (3, 118.62)
    func counts(_ width: Int) -> String { TimeLane(timing: timing, glyphs: .ascii).counts(width: width) }
    (timing.hits, timing.recent.hits) = (48, 48)
    #expect(counts(60) == "48 hits | 75 % within 20 ms | 3 missed | at 118.6")
    #expect(counts(40) == "48 hits | 75 % | 3 missed | at 118.6")
    #expect(counts(30) == "48 hits | 75 % | 3 missed")
    // The figures of a long take are those of its last hits.
    (timing.hits, timing.recent.hits) = (128, 64)
    #expect(counts(60) == "128 hits | last 64: 75 % within 20 ms | 3 missed | at 118.6")
    #expect(counts(38) == "last 64: 75 % | 3 missed | at 118.6")
  }

  @Test func `A calibration counts its clicks down`() {
    var timing = timing([])
    (timing.isCalibrating, timing.clicksLeft) = (true, 3)
    #expect(TimeLane(timing: timing, glyphs: .ascii).words == "calibrating: keep silent, 3 more")
    timing.clicksLeft = 0
    #expect(TimeLane(timing: timing, glyphs: .ascii).words == "calibrating: keep silent")
  }

  @Test(arguments: PanelModel.View.allCases)
  func `Each view tells that a calibration is under way`(view: PanelModel.View) throws {
    func text(isCalibrating: Bool) -> String {
      let panel = model {
        var timing = timing([])
        timing.isCalibrating = isCalibrating
        $0.snapshot.timing = timing
        $0.show(view)
      }
      return panel.lines(30, 8, .ascii).joined(separator: "\n")
    }
    #expect(text(isCalibrating: true).contains("calibrating: keep silent"))
    #expect(!text(isCalibrating: false).contains("calibrating"))
  }

  @Test(arguments: [(80, 24), (40, 12), (20, 5), (200, 60)])
  func `The panel shows the last hits where there is room`(columns: Int, rows: Int) {
    let panel = model { $0.snapshot.timing = timing([-4, -4]) }
    let text = panel.lines(columns, rows, .ascii).joined(separator: "\n")
    #expect(text.contains("4 ms early") || rows < 12)
    #expect(text.split(separator: "JACK", omittingEmptySubsequences: false).count == 2 || rows < 12)
    #expect(text.contains("JACK") || rows > 5)
  }
}
