import MusicTime
import Testing

@Suite("BarLayout")
struct BarLayoutTests {
  private func subdivisions(_ volumes: [Int: Float]) throws -> [Subdivision: Float] {
    Dictionary(uniqueKeysWithValues: try volumes.map { (try Subdivision($0.key), $0.value) })
  }

  @Test("A meter counted in its own note has as many beats as it says, the first accented")
  func ownNote() throws {
    let layout = try BarLayout(meter: Meter(7, 8))
    #expect(layout.onsets.map(\.offset) == (0..<7).map { Rational($0, 8) })
    #expect(layout.onsets.map(\.role) == [.accent] + Array(repeating: .beat, count: 6))
    #expect(layout.onsets.map(\.beat) == Array(0..<7))
  }

  @Test("7/8 in quarters has four beats, the last of them short and without its second half")
  func shortBeat() throws {
    let layout = try BarLayout(
      meter: Meter(7, 8), beatUnit: BeatUnit(1, 4), subdivisions: subdivisions([2: 1]))
    #expect(BarLayout.beats(in: layout.meter, unit: layout.beatUnit) == 4)
    #expect(layout.onsets.map(\.offset) == (0..<7).map { Rational($0, 8) })
    #expect(layout.onsets.filter { $0.role != .subdivision }.map(\.offset) == (0..<4).map { Rational($0, 4) })
  }

  @Test("A beat unit longer than the bar makes one short beat")
  func longUnit() throws {
    let layout = try BarLayout(
      meter: Meter(1, 99), beatUnit: BeatUnit(7, 4), subdivisions: subdivisions([9: 1]))
    #expect(layout.onsets.count == 1)
    #expect(layout.onsets[0].offset == .zero)
  }

  @Test("The most beats that a bar can have are 99 whole notes in 99ths")
  func mostBeats() throws {
    #expect(BarLayout.beats(in: try Meter(99, 1), unit: try BeatUnit(1, 99)) == BarLayout.maximumBeats)
  }

  @Test("Subdivisions at the same instant sound once, at the louder volume")
  func sameInstant() throws {
    let layout = try BarLayout(
      meter: Meter(1, 4), subdivisions: subdivisions([2: 0.25, 4: 0.5, 6: 0.75, 8: 0.125]))
    let volumes = Dictionary(
      uniqueKeysWithValues: layout.onsets.dropFirst().map { ($0.offset * Rational(4), $0.strength) })
    #expect(volumes[Rational(1, 2)] == 0.75)
    #expect(volumes[Rational(1, 4)] == 0.5)
    #expect(volumes[Rational(1, 8)] == 0.125)
    #expect(volumes[Rational(1, 3)] == 0.75)
    #expect(volumes.count == 3 + 4 + 4)
  }

  @Test("Onsets are in strict order of offset, within the bar, for all subdivisions at any swing")
  func order() throws {
    for swing in [0, 0.333, 0.667, 0.999, 1] {
      let all = Dictionary(uniqueKeysWithValues: Subdivision.all.map { ($0, Float(1)) })
      let layout = try BarLayout(
        meter: Meter(13, 16), beatUnit: BeatUnit(3, 8), subdivisions: all, swing: Swing(swing))
      for (a, b) in zip(layout.onsets, layout.onsets.dropFirst()) { #expect(a.offset < b.offset) }
      #expect(layout.onsets.allSatisfy { $0.offset < layout.meter.barLength })
    }
  }

  @Test("A subdivision at volume 0 is off")
  func off() throws {
    #expect(try BarLayout(meter: .common, subdivisions: subdivisions([2: 0, 3: 0])).onsets.count == 4)
  }

  @Test("Swing moves the second of each pair of 2, 4 and 8 and nothing else")
  func swing() throws {
    for parts in 2...9 {
      let layout = try BarLayout(
        meter: Meter(1, 4), subdivisions: subdivisions([parts: 1]), swing: Swing(0.5))
      for part in 0..<parts {
        let offset = layout.onsets[part].offset * Rational(4 * parts)
        let isMoved = [2, 4, 8].contains(parts) && part % 2 == 1
        // Half of the way from 50 to 75 % of a pair is a quarter of a part.
        #expect(offset == Rational(part) + (isMoved ? Rational(1, 4) : .zero))
      }
    }
  }

  @Test("Full swing splits the pair at three quarters, 0.667 at two thirds exactly")
  func split() throws {
    func second(_ amount: Double) throws -> Rational {
      let layout = try BarLayout(
        meter: Meter(1, 1), subdivisions: subdivisions([2: 1]), swing: Swing(amount))
      return layout.onsets[1].offset
    }
    #expect(try second(0) == Rational(1, 2))
    #expect(try second(1) == Rational(3, 4))
    #expect(try second(0.667) == Rational(2, 3))
  }

  @Test("Each group starts with an accent")
  func groups() throws {
    let layout = try BarLayout(meter: Meter(7, 8), groups: Groups(text: "3+2+2"))
    #expect(layout.onsets.map(\.role) == [.accent, .beat, .beat, .accent, .beat, .accent, .beat])
  }

  @Test("Accents outweigh groups; a silent beat is counted and not heard")
  func accents() throws {
    let layout = try BarLayout(
      meter: Meter(3, 4), accents: AccentPattern(text: "oX."), groups: Groups(text: "2+1"))
    #expect(layout.onsets.map(\.role) == [.beat, .accent, .beat])
    #expect(layout.onsets.map(\.strength) == [0.5, 1, 0])
  }

  @Test("Accents or groups of another length than the bar's are refused")
  func lengths() throws {
    expectRefusal("accents 'Xx': must be 4 long, one for each beat of the bar") {
      try BarLayout(meter: Meter(7, 8), beatUnit: BeatUnit(1, 4), accents: AccentPattern(text: "Xx"))
    }
    expectRefusal("groups 3+2: must be a sum of 7, the beats of the bar") {
      try BarLayout(meter: Meter(7, 8), groups: Groups(text: "3+2"))
    }
  }
}
