import Engine

/// Judges whether a set is played from its first beat to its last: each song once and in order, no beat missing, none twice,
/// and each one beat of its section's tempo after the previous one, also from song to song if no pause is between them.
///
/// The length of a section that waits for the drummer is unknown, so several places in the set may be possible. Each beat rules
/// out the places that it does not fit. A beat that fits no place is a fault.
struct GigJudge {
  /// A beat of the set. Sections, songs, bars and beats count from 0; bars below 0 are the song's count-in.
  private struct Place: Hashable {
    let song: Int
    var section = 0
    var bar: Int
    var beat = 0
  }

  private let gig: Gig
  private let rate: Int
  /// The possible places of the last beat; nil before the first.
  private var places: [Place]?
  private var last: (bar: Int, frame: Int64) = (0, 0)
  private(set) var beatCount = 0

  init(_ gig: Gig, rate: Int) { (self.gig, self.rate) = (gig, rate) }

  /// - Parameters:
  ///   - bar: the reported bar.
  ///   - beat: from 1.
  ///   - frame: the clock frame at which it sounds.
  /// - Returns: the fault; nil if there is none.
  mutating func receive(bar: Int, beat: Int, isAccent: Bool, frame: Int64) -> String? {
    let reported = "beat \(bar).\(beat) at frame \(frame)"
    guard isAccent == (beat == 1) else { return "\(reported) is \(isAccent ? "" : "not ")an accent" }
    let before = places
    let possible =
      before?.flatMap { place in
        next(place).filter { fits($0, after: place, bar: bar, beat: beat, frame: frame) }
      } ?? [start(of: 0)].filter { fits($0, after: nil, bar: bar, beat: beat, frame: frame) }
    guard !possible.isEmpty else {
      return "\(reported) follows \(before.map { text($0) } ?? "nothing"), \(last.bar) at frame \(last.frame)"
    }
    places = Array(Set(possible))
    last = (bar, frame)
    beatCount += 1
    return nil
  }

  /// - Returns: the fault if the set ends here; nil if there is none.
  func conclude() -> String? {
    let places = places ?? []
    guard !places.contains(where: { isLast($0) }) else { return nil }
    return "the set ends after \(text(places))"
  }

  private func text(_ places: [Place]) -> String {
    places.map { "song \($0.song + 1), section \($0.section + 1), bar \($0.bar + 1), beat \($0.beat + 1)" }
      .sorted().joined(separator: " or ")
  }

  // MARK: The set

  private func song(_ place: Place) -> Gig.Song { gig.songs[place.song] }

  private func start(of song: Int) -> Place { Place(song: song, bar: -gig.songs[song].countIn) }

  /// The places that may be next.
  private func next(_ place: Place) -> [Place] {
    let song = song(place)
    let (section, isLastSection) = (song.sections[place.section], place.section + 1 == song.sections.count)
    let isOpen = section.bars == nil && place.bar >= 0
    let nextSong = place.song + 1 < gig.songs.count ? [start(of: place.song + 1)] : []
    guard place.beat + 1 == song.beats else {
      var beat = place
      beat.beat += 1
      return [beat]
    }
    // A song whose last section is open ends at a bar line.
    var next = isOpen && isLastSection ? nextSong : []
    var bar = place
    (bar.bar, bar.beat) = (place.bar + 1, 0)
    if isOpen || place.bar < 0 || bar.bar < section.bars ?? 0 { next.append(bar) }
    if isOpen || section.bars == bar.bar, !isLastSection {
      next.append(Place(song: place.song, section: place.section + 1, bar: 0))
    }
    if !isOpen, section.bars == bar.bar, isLastSection { next += nextSong }
    return next
  }

  private func isLast(_ place: Place) -> Bool {
    let song = song(place)
    guard place.song + 1 == gig.songs.count, place.section + 1 == song.sections.count, place.bar >= 0 else {
      return false
    }
    guard let bars = song.sections[place.section].bars else { return place.beat + 1 == song.beats }
    return place.bar + 1 == bars && place.beat + 1 == song.beats
  }

  private func fits(_ place: Place, after before: Place?, bar: Int, beat: Int, frame: Int64) -> Bool {
    guard beat == place.beat + 1 else { return false }
    guard let before, before.song == place.song else {
      guard bar == 1 - song(place).countIn else { return false }
      return before.map { !song($0).isFollowedAtOnce || isOneBeatLater(frame, than: $0) } ?? true
    }
    // The bars of an open section count on; the sections after it begin at the bars in the document.
    let follows = place.beat > 0 ? bar == last.bar : bar == last.bar + 1
    guard follows || song(before).sections[before.section].bars == nil && place.bar == 0 else { return false }
    return isOneBeatLater(frame, than: before)
  }

  private func isOneBeatLater(_ frame: Int64, than before: Place) -> Bool {
    let length = 60_000 * Int64(rate)
    let thousandths = Int64(song(before).sections[before.section].thousandths)
    // Both beats are within half a frame of their exact times.
    return abs((frame - last.frame) * thousandths - length) <= thousandths + thousandths / 100
  }
}
