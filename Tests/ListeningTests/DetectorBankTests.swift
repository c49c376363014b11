import Engine
import HearingBench
import MIDI
import MusicTime
import Testing
import TimeCheck

@testable import Listening

@Suite struct DetectorBankTests {
  /// Feeds a take to a capture in periods, like the process callback.
  private func play(
    _ take: RenderedTake, into capture: UnsafePointer<Capture>, from clock: Int64 = 1_000_000,
    period: Int = 256
  ) {
    take.samples.withUnsafeBufferPointer { samples in
      for start in stride(from: 0, to: samples.count - period + 1, by: period) {
        var inputs: [UnsafePointer<Float>?] = Array(repeating: samples.baseAddress! + start, count: 8)
        capture.pointee.receive(
          &inputs, frames: period, clock: ClockFrame(clock + Int64(start)), sampleRate: 48_000)
      }
    }
  }

  private let triggers = ListeningSetup(
    inputs: [.init(name: "kick", mode: .trigger), .init(name: "snare", mode: .trigger)], hasNotes: true)

  private func take(_ seconds: Double) -> RenderedTake {
    var take = RenderedTake(seconds: seconds, noise: 0)
    for frame in stride(from: 4_800, to: take.samples.count - 4_800, by: 9_600) {
      take.strike([1, 0.5, 0.25], at: frame, gain: 0.8)
    }
    return take
  }

  @Test func `Hits have the frames of the engine's clock, less the latency before the port`() {
    let capture = Capture.make(inputs: 2, sampleRate: 48_000)
    capture.pointee.setLatency(of: 1, 300)
    var bank = DetectorBank(capture, triggers)
    let take = take(1)
    play(take, into: capture)
    let hits = bank.listen().hits
    #expect(
      hits.filter { $0.source == .input(0) }.map(\.frame)
        == take.truth.map { ClockFrame(1_000_000 + Int64($0)) })
    #expect(
      hits.filter { $0.source == .input(1) }.map(\.frame)
        == take.truth.map { ClockFrame(999_700 + Int64($0)) })
  }

  @Test func `A listener that is blocked for a second loses nothing`() {
    let capture = Capture.make(inputs: 2, sampleRate: 48_000)
    var bank = DetectorBank(capture, triggers)
    let take = take(1)
    var hits = 0
    for second in 0..<20 as Range<Int64> {
      play(take, into: capture, from: second * 48_000 / 256 * 256)
      let heard = bank.listen()
      #expect(heard.lost == 0)
      hits += heard.hits.count
    }
    #expect(hits == 2 * 20 * take.truth.count)
  }

  @Test func `A listener that is blocked for too long reports the lost frames, and continues`() {
    let capture = Capture.make(inputs: 1, sampleRate: 48_000)
    var bank = DetectorBank(capture, ListeningSetup(inputs: [.init(name: "", mode: .trigger)]))
    play(take(5), into: capture, from: 0)
    let lost = bank.listen().lost
    #expect(lost > 48_000)
    let late = take(1)
    play(late, into: capture, from: 300_000)
    let heard = bank.listen()
    #expect(heard.lost == 0)
    #expect(heard.hits.map(\.frame) == late.truth.map { ClockFrame(300_000 + Int64($0)) })
  }

  @Test func `Notes have their numbers, at their frames`() {
    let capture = Capture.make(inputs: 0, sampleRate: 48_000)
    capture.pointee.setLatency(of: nil, 10)
    var bank = DetectorBank(capture, ListeningSetup(hasNotes: true))
    let messages = MIDIBuffer()
    _ = messages.append(.noteOn(channel: 10, note: 36, velocity: 127), at: 7)
    _ = messages.append(.noteOff(channel: 10, note: 36, velocity: 0), at: 8)
    _ = messages.append(.noteOn(channel: 10, note: 42, velocity: 64), at: 100)
    _ = messages.append(.controlChange(channel: 10, controller: 4, value: 1), at: 101)
    capture.pointee.receive(messages, from: 5_000)
    let hits = bank.listen().hits
    #expect(hits.map(\.frame) == [4_997, 5_090])
    #expect(hits.map(\.note) == [36, 42])
    #expect(hits[0].strength == 1)
  }

  @Test func `Notes without room are counted once`() {
    let capture = Capture.make(inputs: 0, sampleRate: 48_000)
    var bank = DetectorBank(capture, ListeningSetup(hasNotes: true))
    let messages = MIDIBuffer()
    _ = messages.append(.noteOn(channel: 10, note: 36, velocity: 127), at: 0)
    for period in 0..<2_000 as Range<Int64> {
      capture.pointee.receive(messages, from: ClockFrame(period * 256))
    }
    let heard = bank.listen()
    #expect(heard.lostNotes > 0)
    #expect(heard.hits.count + heard.lostNotes == 2_000)
    #expect(bank.listen().lostNotes == 0)
  }

  @Test func `An unconnected input is silent`() {
    let capture = Capture.make(inputs: 1, sampleRate: 48_000)
    var bank = DetectorBank(capture, ListeningSetup(inputs: ListeningSetup.standard))
    for period in 0..<400 as Range<Int64> {
      var inputs: [UnsafePointer<Float>?] = [nil]
      capture.pointee.receive(&inputs, frames: 256, clock: ClockFrame(period * 256), sampleRate: 48_000)
      #expect(bank.listen().hits.isEmpty)
    }
  }
}
