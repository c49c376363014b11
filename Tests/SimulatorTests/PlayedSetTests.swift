import TestNumbers
import Testing

@testable import Simulator

/// Sets of ten songs, played by a simulated drummer with one pedal.
@Suite("Played sets")
struct PlayedSetTests {
  @Test(
    "Sets of ten songs are played with one pedal alone: no song lost, rewound or skipped", arguments: 0..<8)
  func sets(part: UInt64) throws {
    var campaign = SetCampaign()
    let isFine = try campaign.run(1 + part * 25..<26 + part * 25)
    #expect(isFine, "\(campaign.faults)")
    // It has looked at something.
    #expect(campaign.sum.presses > 25 * 15 && campaign.sum.beats > 25 * 100)
    #expect(campaign.sum.clips >= campaign.sum.beats)
  }

  @Test("The same seed leads to the same set, to the last bit")
  func deterministic() throws {
    let (first, second, other) = (
      try PlayedSet(seed: 3).run(), try PlayedSet(seed: 3).run(), try PlayedSet(seed: 4).run()
    )
    #expect(first.digest == second.digest && first.presses == second.presses)
    #expect(first.digest != other.digest)
  }

  /// A beat of a set as it is reported.
  private struct Beat {
    var song: Int
    var bar: Int
    var beat: Int
    var frame: Int64
  }

  /// A set as it should be told, with sections that wait for two bars.
  private func beats(of gig: Gig) -> [Beat] {
    var (beats, frame): ([Beat], Int64) = ([], 0)
    for (number, song) in gig.songs.enumerated() {
      var bar = 1 - song.countIn
      for (index, section) in song.sections.enumerated() {
        for _ in 0..<(section.bars ?? 2) + (index == 0 ? song.countIn : 0) {
          for beat in 1...song.beats {
            beats.append(Beat(song: number, bar: bar, beat: beat, frame: frame))
            frame += 60_000 * 48_000 / Int64(section.thousandths)
          }
          bar += 1
        }
      }
      if !song.isFollowedAtOnce { frame += 20_000 }
    }
    return beats
  }

  private func fault(_ beats: [Beat], of gig: Gig) -> String? {
    var judge = GigJudge(gig, rate: 48_000)
    for beat in beats {
      let what = judge.receive(bar: beat.bar, beat: beat.beat, isAccent: beat.beat == 1, frame: beat.frame)
      if let what { return what }
    }
    return judge.conclude()
  }

  @Test("A song that is lost, begun again, cut short or late is found, as is a beat that is missing or late")
  func faultsAreFound() throws {
    for seed in 1...50 as ClosedRange<UInt64> {
      var random = Generator(seed: seed)
      let gig = Gig(&random)
      let beats = beats(of: gig)
      #expect(fault(beats, of: gig) == nil, "\(seed): \(fault(beats, of: gig) ?? "")")
      let song = random.number(0...Gig.songCount - 1)
      #expect(fault(beats.filter { $0.song != song }, of: gig) != nil, "\(seed): lost \(song)")
      let first = try #require(beats.firstIndex { $0.song == song })
      let last = try #require(beats.lastIndex { $0.song == song })
      var again = beats
      again.insert(contentsOf: beats[first...last], at: last + 1)
      #expect(fault(again, of: gig) != nil, "\(seed): \(song) again")
      var missing = beats
      missing.remove(at: first + 1)
      #expect(fault(missing, of: gig) != nil, "\(seed): a beat of \(song) is missing")
      var late = beats
      for index in first + 1..<late.count { late[index].frame += 3 }
      #expect(fault(late, of: gig) != nil, "\(seed): a beat of \(song) is late")
      if song > 0, gig.songs[song - 1].isFollowedAtOnce {
        var behind = beats
        for index in first..<behind.count { behind[index].frame += 48 }
        #expect(fault(behind, of: gig) != nil, "\(seed): \(song) is late")
      }
      if gig.songs[song].sections.last?.bars != nil {
        var short = beats
        short.remove(at: last)
        #expect(fault(short, of: gig) != nil, "\(seed): \(song) is cut short")
      }
    }
  }
}
