import Engine
import MusicTime
import TestNumbers
import Testing

/// The sweep combines all tempos with all meters.
private let tempos = [120_000, 127_000, 130_000, 133_700, 999_999, 1_000]
private let meters: [(meter: (Int, Int), unit: (Int, Int)?)] = [
  ((4, 4), nil), ((7, 8), (1, 4)), ((5, 3), nil), ((13, 16), nil),
]

@Suite("Exactness")
struct ExactnessTests {
  @Test(
    "Over a whole day in random periods each onset occurs once, within half a frame of its time",
    arguments: [
      (133_700, 1, 44_100), (127_000, 2, 48_000), (999_999, 3, 48_000), (130_000, 0, 96_000),
      (120_000, 0, 192_000), (1_000, 1, 44_100), (999_999, 1, 96_000),
    ])
  func wholeDay(thousandths: Int, meter: Int, sampleRate: Int) throws {
    let pattern = Pattern(
      thousandths: thousandths, meter: meters[meter].meter, beatUnit: meters[meter].unit,
      subdivisions: Pattern.allSubdivisions)
    var follower = try OnsetFollower(pattern, sampleRate: sampleRate, seed: UInt64(thousandths))
    follower.run(to: ClockFrame(Int64(sampleRate) * 86_400))
    #expect(follower.faults == 0)
    #expect(follower.last >= ClockFrame(Int64(sampleRate) * (86_400 - 10)))
  }

  @Test(
    "At the start, middle and end of a day, with missed cycles between, each onset is within half a frame",
    arguments: [44_100, 48_000, 96_000, 192_000])
  func windows(sampleRate: Int) throws {
    for thousandths in tempos {
      for (meter, unit) in meters {
        let pattern = Pattern(
          thousandths: thousandths, meter: meter, beatUnit: unit, subdivisions: Pattern.allSubdivisions)
        let day = Int64(sampleRate) * 86_400
        let window = Int64(sampleRate) * (thousandths < 10_000 ? 70 : 3)
        var follower = try OnsetFollower(pattern, sampleRate: sampleRate, seed: UInt64(thousandths))
        follower.run(to: ClockFrame(window))
        follower.jump(to: ClockFrame(day / 2))
        follower.run(to: ClockFrame(day / 2 + window))
        follower.jump(to: ClockFrame(day - window))
        follower.run(to: ClockFrame(day))
        #expect(follower.faults == 0, "\(thousandths) in \(meter), \(sampleRate)")
        #expect(follower.seen > 3 * 28, "\(thousandths) in \(meter), \(sampleRate)")
      }
    }
  }
}

/// Plays a pattern from frame 0 and compares each onset with the reference as it comes.
struct OnsetFollower {
  private let rig: Rig
  private let reference: Reference
  private var numbers: Generator
  private var bar = 1
  private var index = 0
  private(set) var seen = 0
  private(set) var faults = 0
  private(set) var last: ClockFrame = 0

  init(_ pattern: Pattern, sampleRate: Int, seed: UInt64) throws {
    reference = Reference(pattern, sampleRate: sampleRate)
    rig = Rig(try Score.make(pattern, sampleRate: sampleRate), sampleRate: sampleRate)
    numbers = Generator(seed: seed)
    rig.command(.start, at: 0)
  }

  mutating func run(to end: ClockFrame) {
    while rig.clock < end {
      rig.cycle(min(numbers.number(1...2_048), Int(end - rig.clock)))
      while let event = rig.channels.pointee.events.pop() {
        if case .beat(let beat) = event { check(beat) }
      }
    }
    // No onset that was due is missing.
    if reference.frame(bar: bar, reference.onsets[index]) < end { faults += 1 }
  }

  private mutating func check(_ beat: Event.Beat) {
    let onset = reference.onsets[index]
    let isRight =
      beat.bar == bar && beat.beat == onset.beat && (beat.role != .subdivision) == onset.isBeat
      && reference.isNearest(beat.frame, bar: bar, onset)
    if !isRight { faults += 1 }
    seen += 1
    last = beat.frame
    index += 1
    if index == reference.onsets.count { (bar, index) = (bar + 1, 0) }
  }

  /// Misses all cycles up to a frame.
  mutating func jump(to frame: ClockFrame) {
    rig.clock = frame
    bar = max(reference.firstBar(from: frame) - 1, 1)
    index = 0
    while reference.frame(bar: bar, reference.onsets[index]) < frame {
      index += 1
      if index == reference.onsets.count { (bar, index) = (bar + 1, 0) }
    }
  }
}
