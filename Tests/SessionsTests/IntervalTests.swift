import Control
import Engine
import MusicTime
import Sessions
import Testing

/// Sessions as the engine plays them.
@Suite struct IntervalTests {
  private static let clips = ClipSet(repeating: Clip([1]))

  /// Plays a document for some seconds and calls back for every beat.
  private func play(_ yaml: String, seconds: Int, _ handle: (Event.Beat) -> Void) throws -> [ClockFrame] {
    let prepared = PreparedSong(
      try song(yaml).plan(), sampleRate: 48_000, readSound: { name, _, _ in (name, IntervalTests.clips) },
      speak: { _, _, _ in Clip([1]) })
    let owned = OwnedChannels()
    let channels = owned.pointer
    defer { withExtendedLifetime(owned) {} }
    var ends: [ClockFrame] = []
    do {
      var kernel = Kernel(channels, ScoreUpdate.make(change: prepared.score(gains: Gains())))
      let length = 65_536
      let memory = UnsafeMutablePointer<Float>.allocate(capacity: 5 * length)
      defer { memory.deallocate() }
      let outputs = Outputs(
        out: memory, accent: memory + length, beat: memory + 2 * length, subdivision: memory + 3 * length,
        cue: memory + 4 * length)
      let isSent = channels.pointee.commands.push(Command(.start, at: 0))
      #expect(isSent)
      var clock: ClockFrame = 0
      while clock < ClockFrame(Int64(seconds) * 48_000) {
        kernel.render(Cycle(clock: clock, frames: length), into: outputs)
        clock += Int64(length)
        while let event = channels.pointee.events.pop() {
          if case .beat(let beat) = event { handle(beat) }
          if case .finished(let frame) = event { ends.append(frame) }
        }
      }
      withExtendedLifetime(prepared) {}
    }
    return ends
  }

  /// The frames on which cues sound: one at the start of each interval.
  private func transitions(_ yaml: String, seconds: Int) throws -> (starts: [ClockFrame], ends: [ClockFrame])
  {
    var starts: [ClockFrame] = []
    let ends = try play(yaml, seconds: seconds) { if $0.role == .cue { starts.append($0.frame) } }
    return (starts, ends)
  }

  @Test func twoIntervalsThreeTimesMakeSixTransitionsOnTheirFrames() throws {
    let yaml = """
      cycles: 3
      count-in: {time: 5 s}
      sections:
        - {name: run, time: 20 s, tempo: 171.3, cue: run}
        - {name: walk, time: 10 s, tempo: 97, meter: 7/8, silent: true, cue: walk}
      """
    let (starts, ends) = try transitions(yaml, seconds: 120)
    #expect(starts == [5, 25, 35, 55, 65, 85].map { ClockFrame($0 * 48_000) })
    #expect(ends == [ClockFrame(95 * 48_000)])
  }

  @Test func twoHoursOfTwentySecondIntervalsAreOnTheirFrames() throws {
    let yaml = """
      cycles: 180
      sections:
        - {time: 20 s, tempo: 133.7, meter: 5/4, subdivisions: [3], cue: chime}
        - {time: 20 s, tempo: {from: 61, to: 187.9}, cue: go}
      """
    let (starts, ends) = try transitions(yaml, seconds: 7_210)
    #expect(starts == (0..<360).map { ClockFrame(Int64($0) * 960_000) })
    #expect(ends == [ClockFrame(360 * 960_000)])
  }

  @Test func aDayForEverIsOnItsFrames() throws {
    let yaml = """
      cycles: forever
      sections:
        - {time: 1:23.456, tempo: 133.7, meter: 7/8, cue: chime}
        - {time: 20 s, silent: true, cue: chime}
      """
    var (count, wrong, bar) = (0, 0, 0)
    let ends = try play(yaml, seconds: 86_400) { beat in
      if beat.role == .cue {
        let lap = Int64(count / 2) * (83_456 + 20_000) * 48
        if beat.frame.number != lap + (count % 2 == 0 ? 0 : 83_456 * 48) { wrong += 1 }
        count += 1
      } else if beat.beat == 1 {
        bar += 1
        if beat.bar != bar { wrong += 1 }
      }
    }
    #expect(wrong == 0)
    #expect(count == 86_400_000 / 103_456 * 2 + 1 || count == 86_400_000 / 103_456 * 2 + 2)
    #expect(ends == [])
  }
}
