import Engine
import MusicTime
import Sessions
import Testing
import Validation

@Suite struct KlickMapRemoteTests {
  private let map: KlickMap

  init() throws {
    map = try KlickMap("2 7/8 90.5 Xx.x.x.\n1 4/4 100-200\n1 2/4 60,70\n", file: "song.klick")
  }

  @Test func `The multiplier reaches every tempo, to a thousandth`() throws {
    let song = try map.plan(preroll: -1, multiplier: 1.333, sound: "clave")
    #expect(
      try song.plans.map(\.tempo) == [
        .constant(Tempo(241.273)), .ramp(from: Tempo(133.3), to: Tempo(266.6)),
        .beats([Tempo(79.98), Tempo(93.31)]),
      ])
    #expect(song.plans.allSatisfy { $0.sound == "clave" && !$0.isCountIn })
  }

  @Test(arguments: [(2, SectionLength.bars(2)), (0, .beats(2))])
  func `What counts in has the map's first bar and tempo`(preroll: Int, length: SectionLength) throws {
    let plans = try map.plan(preroll: preroll, multiplier: 2, sound: "sine").plans
    #expect(plans.count == 4 && plans[0].isCountIn && plans[0].length == length)
    #expect(try plans[0].tempo == .constant(Tempo(362)) && plans[0].layout == plans[1].layout)
  }

  @Test(arguments: [0.001, 11])
  func `A multiplier that can't be played is refused`(multiplier: Double) {
    #expect(throws: InvalidValue.self) { try map.plan(preroll: -1, multiplier: multiplier, sound: "sine") }
  }

  @Test func `The beginning is in quarters a minute`() throws {
    #expect(try map.beginning.tempo == 90.5 && map.beginning.meter == Meter(7, 8))
    #expect(map.beginning.accents?.description == "Xx.x.x.")
    #expect(try KlickMap("1 120", file: "").beginning.accents == nil)
  }
}
