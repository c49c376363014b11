import Engine
import MIDI
import MusicTime
import TestNumbers
import Testing

@Suite("Playing with an Ableton Link session")
struct LinkTests {
  @Test(
    "From the bar line after the start on, each beat of the session is played once and to the frame",
    arguments: [64, 1_024, 8_192], [20.0, 97.0, 133.7, 999.0])
  func start(period: Int, tempo: Double) throws {
    var session = try LinkedSession(tempo: tempo, beat: 1_000_001.3)
    session.render(beats: 3, period: period)
    #expect(session.played.isEmpty)
    session.start()
    session.render(beats: 41, period: period)
    #expect(session.played.map(\.number) == Array(1_000_008...1_000_045))
    #expect(session.error <= 1)
    #expect(session.played.prefix(5).map(\.place) == ["1.1", "1.2", "1.3", "1.4", "2.1"])
  }

  @Test("Bars of any meter and beat unit begin on their multiples")
  func bars() throws {
    let patterns = [
      (Pattern(meter: (3, 4)), 3.0), (Pattern(meter: (6, 8), beatUnit: (3, 8)), 2),
      (Pattern(meter: (7, 8), beatUnit: (1, 4)), 3.5), (Pattern(meter: (7, 8)), 7),
    ]
    for (pattern, quantum) in patterns {
      var session = try LinkedSession(pattern, tempo: 120, beat: -5.5)
      session.start()
      session.render(beats: 40, period: 256)
      let downbeats = session.downbeats
      #expect(downbeats.count >= 5)
      for (index, beat) in downbeats.enumerated() {
        let first = (-5.5 / quantum).rounded(.up) * quantum
        #expect(abs(beat - first - Double(index) * quantum) < 1e-3, "\(quantum)")
      }
    }
  }

  @Test("A start requested for a bar line begins there; one that has passed joins the bar")
  func startOnLine() throws {
    var exact = try LinkedSession(tempo: 120, beat: 7.5)
    // Beats are whole millionths.
    exact.start(at: 8.000_001)
    exact.render(beats: 4, period: 256)
    #expect(exact.played.first?.number == 8)
    var late = try LinkedSession(tempo: 120, beat: 10.5)
    late.start(at: 3)
    late.render(beats: 4, period: 256)
    #expect(late.played.first?.number == 11)
    #expect(late.played.first?.place == "2.4")
  }

  @Test("Changes of the tempo neither lose nor double a beat")
  func tempoChanges() throws {
    var session = try LinkedSession(tempo: 120, beat: 0)
    session.start()
    for step in 0..<200 {
      session.tempo = [60, 133.7, 240, 97.3][step % 4]
      session.render(beats: 1.37, period: 256)
    }
    let numbers = session.played.map(\.number)
    #expect(numbers == Array(0...numbers.last!))
    #expect(numbers.count >= 270)
    #expect(session.error <= 1)
  }

  @Test("If the session's beats jump, as on joining, its next beat is played next")
  func jumps() throws {
    var session = try LinkedSession(tempo: 120, beat: 0)
    session.start()
    for beat in [1_000.4, 17.9, 21.1, -300.6, 5.2] {
      session.render(beats: 6, period: 256)
      session.forget()
      session.beat = beat
      session.render(beats: 6, period: 256)
      let first = Int(beat.rounded(.up))
      #expect(session.played.map(\.number) == Array(first..<first + 6), "\(beat)")
      #expect(session.error <= 1)
    }
  }

  @Test("A bar line at the start of a period is neither lost nor doubled", arguments: [4, 7])
  func linesAtPeriods(count: Int) throws {
    // The shortest parts are 128th notes.
    var parts = Pattern(meter: (count, 16))
    parts.subdivisions = [8: 0.5]
    for step in -60...60 {
      for jitter in [0, 3e-5, -3e-5, 2e-4, -2e-4] {
        let spacing = 60 * 48_000 / 181.021
        // A bar line lies this far from the start of a period.
        let off = Double(step) / 20
        let line = Double(4 * count) - off / spacing
        var session = try LinkedSession(
          parts, tempo: 181.021, beat: line - Double(20 * 8_192) / spacing)
        session.start()
        for cycle in 0..<30 {
          session.beat += cycle % 2 == 0 ? jitter : -jitter
          session.render(beats: 8_191.5 / spacing, period: 8_192)
        }
        let numbers = session.onBeats.map(\.number)
        #expect(numbers == Array(numbers[0]...numbers.last!), "\(off), \(jitter)")
      }
    }
  }

  @Test("A drift of the clocks by fractions of a frame is followed without a beat lost or doubled")
  func drift() throws {
    var session = try LinkedSession(tempo: 120, beat: 0)
    session.start()
    for step in 0..<4_000 {
      session.beat += [1e-5, -2e-5, 3e-5][step % 3]
      session.render(beats: 0.05, period: 128)
    }
    let numbers = session.played.map(\.number)
    #expect(numbers == Array(0...numbers.last!))
    #expect(numbers.count >= 200)
    #expect(session.error <= 1)
  }

  @Test("A change of meter keeps the bar's number, and bar lines are the session's")
  func meterChange() throws {
    var session = try LinkedSession(tempo: 120, beat: 0)
    session.start()
    session.render(beats: 9.5, period: 256)
    session.rig.publish(try Score.make(Pattern(meter: (3, 4)), role: .link))
    session.forget()
    session.render(beats: 6, period: 256)
    #expect(session.played.map(\.number) == Array(10...15))
    #expect(session.played.map(\.place) == ["3.2", "3.3", "4.1", "4.2", "4.3", "5.1"])
  }

  @Test(
    "In another meter each beat of the session is played once, and the sent clock loses no pulse",
    arguments: [64, 1_024], Quantise.allCases)
  func meterChanges(period: Int, quantise: Quantise) throws {
    var numbers = Generator(seed: 11)
    for _ in 0..<40 {
      let meters = (0..<6).map { _ in (numbers.number(1...9), 4) }
      var session = try LinkedSession(
        Pattern(meter: meters[0]), tempo: 120, beat: Double(numbers.number(0...100_000)) / 1_000)
      session.rig.recordMIDI()
      session.start()
      for meter in meters {
        session.render(beats: Double(numbers.number(3_000...20_000)) / 1_000, period: period)
        session.rig.publish(try Score.make(Pattern(meter: meter), role: .link, quantise: quantise))
      }
      session.render(beats: 20, period: period)
      let played = session.played.map(\.number)
      #expect(played == Array(played[0]...played.last!), "\(meters)")
      #expect(session.error <= 1)
      let pulses = session.rig.pulses.filter { $0.message == .clock }
      for (one, next) in zip(pulses, pulses.dropFirst()) {
        #expect(abs(next.frame - one.frame - 1_000) <= 1, "\(meters): \(one.frame), \(next.frame)")
      }
    }
  }

  @Test("After a stop nothing begins, and the next start counts from bar 1")
  func stop() throws {
    var session = try LinkedSession(tempo: 120, beat: 0)
    session.start()
    session.render(beats: 6.5, period: 256)
    session.isPlaying = false
    session.forget()
    session.render(beats: 6, period: 256)
    #expect(session.played.isEmpty)
    session.start()
    session.render(beats: 6, period: 256)
    #expect(session.played.map(\.number) == [16, 17, 18])
    #expect(session.played.first?.place == "1.1")
  }

  @Test("After leaving the music continues at the same place in the bar, at the score's tempo")
  func leaving() throws {
    var session = try LinkedSession(tempo: 120, beat: 0)
    session.start()
    session.render(beats: 5.5, period: 256)
    session.forget()
    session.rig.publish(try Score.make(Pattern(), role: .free))
    session.isPlaying = false
    session.render(beats: 4, period: 256)
    #expect(session.played.map(\.place) == ["2.3", "2.4", "3.1", "3.2"])
    #expect(session.error <= 1)
  }
}

/// A Link session as the engine sees it, and its beats that were played.
private struct LinkedSession {
  struct Played {
    let number: Int
    /// Bar and beat.
    let place: String
  }

  let rig: Rig
  var tempo: Double
  /// The session's beat at the next period's first frame.
  var beat: Double
  var isPlaying = false
  private var startBeat = 0.0
  private(set) var played: [Played] = []
  /// Those that are beats.
  private(set) var onBeats: [Played] = []
  private(set) var downbeats: [Double] = []
  /// The largest distance of a click from its beat, in frames.
  private(set) var error = 0.0

  init(_ pattern: Pattern = Pattern(), tempo: Double, beat: Double) throws {
    rig = Rig(try Score.make(pattern, role: .link))
    (self.tempo, self.beat) = (tempo, beat)
  }

  mutating func start(at beat: Double? = nil) { (isPlaying, startBeat) = (true, beat ?? self.beat) }

  mutating func forget() { (played, downbeats) = ([], []) }

  mutating func render(beats: Double, period: Int) {
    let (end, beatsPerFrame) = (beat + beats, tempo / (60 * 48_000))
    while beat < end {
      let frames = min(period, max(1, Int(((end - beat) / beatsPerFrame).rounded(.up))))
      let clock = rig.clock
      rig.link = Cycle.Link(beat: beat, beatsPerMinute: tempo, isPlaying: isPlaying, start: startBeat)
      for case .beat(let click) in rig.render(frames) {
        let place = beat + Double(click.frame - clock) * beatsPerFrame
        // The last beat of a bar may be short.
        if click.beat == 1 { downbeats.append(place) }
        played.append(Played(number: Int(place.rounded()), place: "\(click.bar).\(click.beat)"))
        if click.role != .subdivision { onBeats.append(played.last!) }
        error = max(error, abs(place - place.rounded()) / beatsPerFrame)
      }
      beat += Double(frames) * beatsPerFrame
    }
  }
}
