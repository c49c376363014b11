import Engine
import MusicTime
import Testing

@Suite("Commands")
struct CommandTests {
  private func rig() throws -> Rig { Rig(try Score.make(Pattern())) }

  /// What started and stopped, and when.
  private func turns(_ rig: Rig) -> [String] {
    rig.events.compactMap {
      switch $0 {
      case .started(let frame): "start \(frame)"
      case .stopped(let frame): "stop \(frame)"
      default: nil
      }
    }
  }

  @Test("Commands take effect on their frames, in any order of arrival")
  func order() throws {
    let rig = try rig()
    rig.command(.stop, at: 3_000)
    rig.command(.start, at: 1_000)
    rig.command(.stop, at: 2_000)
    rig.command(.start, at: 2_500)
    rig.render(until: 10_000, period: 777)
    #expect(turns(rig) == ["start 1000", "stop 2000", "start 2500", "stop 3000"])
  }

  @Test("Commands for one frame take effect in the order of arrival")
  func sameFrame() throws {
    let rig = try rig()
    rig.command(.start, at: 500)
    rig.command(.stop, at: 500)
    rig.command(.start, at: 500)
    rig.render(until: 1_000)
    #expect(turns(rig) == ["start 500", "stop 500", "start 500"])
  }

  @Test("Commands for now and for past frames take effect at once, in the order of arrival")
  func late() throws {
    let rig = try rig()
    rig.render(1_000)
    rig.command(.start, at: 10)
    rig.command(.stop)
    rig.command(.start, at: 5)
    rig.command(.stop, at: 999)
    rig.render(100)
    #expect(turns(rig) == ["start 1000", "stop 1000", "start 1000", "stop 1000"])
  }

  @Test(
    "An immediate command comes before a command for later, even if both are late"
  )
  func overtaking() throws {
    for isWaiting in [true, false] {
      let rig = try rig()
      rig.render(100)
      rig.command(.start, at: 500)
      if isWaiting { rig.render(100) }
      rig.command(.stop, after: 400)
      rig.miss(1_000)
      rig.render(100)
      #expect(turns(rig).map { $0.prefix(5) } == ["start"])
      // And after what came before it.
      rig.command(.stop, after: 500)
      rig.render(100)
      #expect(turns(rig).map { $0.prefix(5) } == ["start", "stop "])
    }
  }

  @Test("An immediate command comes after its predecessors, even if the engine has not reached their frames")
  func predecessors() throws {
    for isWaiting in [true, false] {
      let rig = try rig()
      rig.command(.start)
      rig.render(100)
      rig.command(.stop, at: 5_000)
      rig.command(.locate(.start), at: 6_000)
      if isWaiting { rig.render(100) }
      let now = rig.clock
      rig.command(.start, after: 5_000)
      rig.render(until: 10_000)
      #expect(turns(rig) == ["start 0", "stop \(now)", "start \(now)"])
    }
  }

  @Test("A stop takes effect at once even if the queue of waiting commands is full")
  func stopAtOnce() throws {
    let rig = try rig()
    rig.command(.start)
    rig.render(100)
    for index in 0..<256 { #expect(rig.command(.locate(.start), at: 1_000_000 + Int64(index))) }
    rig.render(100)
    rig.command(.stop)
    rig.render(100)
    #expect(turns(rig) == ["start 0", "stop 200"])
    #expect(rig.channels.pointee.droppedCommands.load(ordering: .relaxed) == 0)
  }

  @Test("In a full queue commands for later frames are dropped and counted, immediate ones never")
  func overflow() throws {
    let rig = try rig()
    for round in 0..<3 {
      for index in 0..<255 { rig.command(.locate(.start), at: 1_000_000 + Int64(round * 255 + index)) }
      rig.command(round == 1 ? .stop : .start)
      rig.render(100)
    }
    #expect(turns(rig) == ["start 0", "stop 100", "start 200"])
    #expect(rig.channels.pointee.droppedCommands.load(ordering: .relaxed) == 3 * 255 - 256)
  }

  @Test("A ring full of timed commands loses none")
  func noneLost() throws {
    let rig = try rig()
    for index in 0..<256 {
      #expect(rig.command(index % 2 == 0 ? .start : .stop, at: ClockFrame(Int64(10_000 - 37 * (index ^ 1)))))
    }
    #expect(!rig.command(.start))
    rig.render(until: 20_000, period: 64)
    #expect(turns(rig).count == 256)
  }

  @Test("A start plays the first downbeat on its frame, also after a stop; after a locate it begins there")
  func startPosition() throws {
    let rig = try rig()
    rig.command(.start, at: 777)
    rig.command(.stop, at: 100_000)
    rig.command(.start, at: 110_001)
    rig.command(.stop, at: 120_000)
    rig.command(.locate(Position(bar: 7, beat: 3)), at: 125_000)
    rig.command(.start, at: 130_000)
    rig.render(until: 140_000)
    let heard = rig.beats.map { [Int($0.frame.number), $0.bar, $0.beat] }
    let expected = [
      [777, 1, 1], [24_777, 1, 2], [48_777, 1, 3], [72_777, 1, 4], [96_777, 2, 1], [110_001, 1, 1],
      [130_000, 7, 3],
    ]
    #expect(heard == expected)
  }
}
