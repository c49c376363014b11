import Engine
import MIDI
import MusicTime
import TimeCheck

@testable import Listening

/// Generated playing: samples of any bits, and notes, which are detected and judged against a click in simulated time.
struct ListeningFuzz {
  private static let period = 64
  /// The maximum number of periods of an input: detectors are slower than all other targets.
  private static let mostPeriods = 96
  /// The listening setups; the first byte of an input selects one. Few have two detectors, which are slow.
  private static let setups = [
    [.trigger], [.trigger], [.trigger], [.mic], [.mic], [.trigger, .mic], [.record], [],
  ]
  .map { (modes: [ListeningSetup.Mode]) in
    ListeningSetup(inputs: modes.map { .init(name: "\($0)", mode: $0) }, hasNotes: true)
  }
  // A capture is never freed, so all inputs share one.
  private nonisolated(unsafe) static let capture = Capture.make(inputs: 2, sampleRate: 48_000)
  // `unsafe`, like the capture: libFuzzer calls from one thread only.
  private nonisolated(unsafe) static var clock: ClockFrame = 0
  private static let messages = MIDIBuffer()

  private var bank: DetectorBank
  private var checker: TimeChecker
  private var (nextBeat, beat) = (ClockFrame(0), 0)
  private var (notes, heardNotes, periods) = (0, 0, 0)

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    let setup = ListeningFuzz.setups[Int(bytes.first ?? 0) & 7]
    bank = DetectorBank(ListeningFuzz.capture, setup)
    checker = TimeChecker(setup, sampleRate: 48_000)
  }

  mutating func play(_ bytes: UnsafeBufferPointer<UInt8>) {
    // A gap, so that detectors start again.
    ListeningFuzz.clock += 48_000
    nextBeat = ListeningFuzz.clock + 300
    var place = 1
    func byte() -> UInt8 {
      defer { place += 1 }
      return place < bytes.count ? bytes[place] : 0
    }
    while place < bytes.count, periods < ListeningFuzz.mostPeriods {
      let order = byte()
      switch order & 7 {
      case 0:  // Samples of any bits.
        var samples: [Float] = []
        for _ in 0..<64 {
          let bits = (0..<4).reduce(UInt32(0)) { bits, _ in bits << 8 | UInt32(byte()) }
          samples.append(Float(bitPattern: bits))
        }
        play { samples[$0 & 63] }
      case 1:
        let value: Float = [
          .nan, .infinity, -.infinity, 1, -1, 0, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        ][
          Int(byte() & 7)]
        for _ in 0...(byte() & 15) { play { _ in value } }
      case 2:  // A stroke.
        let (start, gain) = (Int(byte()), Float(byte()) / 128)
        play { $0 < start ? 0 : gain * (($0 & 1) == 0 ? 1 : -1) / Float($0 - start + 1) }
      case 3:
        for _ in 0...(byte() & 31) { play { _ in 0 } }
      case 4, 5: strike(byte(), byte(), byte())
      case 6: ListeningFuzz.clock += Int64(byte()) << 6
      default: change(byte())
      }
    }
    let news = checker.finish()
    check(news)
    precondition(notes == heardNotes, "\(notes) notes were sent and \(heardNotes) heard")
    for case .take(let report) in news { precondition(report.lines.allSatisfy { !$0.isEmpty }) }
  }

  private mutating func strike(_ first: UInt8, _ second: UInt8, _ third: UInt8) {
    let messages = ListeningFuzz.messages
    messages.clear()
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3) { bytes in
      (bytes[0], bytes[1], bytes[2]) = (first, second, third)
      guard let message = MIDIMessage(bytes.baseAddress!, count: 3) else { return }
      _ = messages.append(message, at: Int(second & 63))
      if case .noteOn = message { notes += 1 }
    }
    ListeningFuzz.capture.pointee.receive(messages, from: ListeningFuzz.clock)
    play { _ in 0 }
  }

  private mutating func change(_ value: UInt8) {
    switch value & 7 {
    case 0: bank.setBleed(Float(value) / 64, of: Int(value >> 7))
    case 1: checker.noteStop(at: ListeningFuzz.clock)
    case 2: checker.calibrate(value & 8 == 0 ? .notes : .input(0))
    case 3 where value & 8 == 0: checker.stopCalibrating()
    case 3:
      let calibration = Calibration(
        port: "listen", device: "", mode: .mic, period: ListeningFuzz.period, sampleRate: 48_000,
        offset: Double(value >> 6) * 20 - 30, spread: 0, bleed: Float(value >> 4 & 3) / 4)
      checker.setCalibrations([.input(0): calibration])
    case 4: checker.noteGaps(Int(value))
    case 5:
      var policy = TimeChecker.Policy()
      policy.grid = Int(value >> 5)
      checker.setPolicy(policy)
    case 6:
      var controls = TriggerControls()
      (controls.mask, controls.scan) = (Double(value), Double(value >> 5))
      bank.setControls(controls)
    default: checker.learn(value & 8 == 0 ? nil : .snare)
    }
  }

  /// Plays a period on both inputs, and runs the detectors.
  private mutating func play(_ sample: (Int) -> Float) {
    periods += 1
    let samples = (0..<ListeningFuzz.period).map(sample)
    samples.withUnsafeBufferPointer { samples in
      let buffers = [UnsafePointer<Float>?](repeating: samples.baseAddress!, count: 2)
      ListeningFuzz.capture.pointee.receive(
        buffers, frames: ListeningFuzz.period, clock: ListeningFuzz.clock, sampleRate: 48_000)
    }
    ListeningFuzz.clock += Int64(ListeningFuzz.period)
    while nextBeat < ListeningFuzz.clock {
      let onset = Onset(
        frame: nextBeat, bar: 1 + beat / 4, place: Place(beat: 1 + beat % 4), isSilent: beat / 4 % 2 == 1)
      checker.note(onset, isBeat: true, length: 480, isLoud: true)
      (nextBeat, beat) = (nextBeat + 480, beat + 1)
    }
    let heard = bank.listen()
    precondition(heard.lost == 0 && heard.lostNotes == 0)
    heardNotes += heard.hits.count { $0.source == .notes }
    for hit in heard.hits {
      precondition(hit.strength.isFinite && 0...8 ~= hit.strength, "\(hit)")
      precondition(abs(hit.frame - ListeningFuzz.clock) < 1 << 21, "\(hit) at \(ListeningFuzz.clock)")
    }
    checker.receive(heard.hits)
    check(checker.settle(known: ListeningFuzz.clock))
    _ = checker.takeCalibration(at: ListeningFuzz.clock)
  }

  private mutating func check(_ news: [TimingNews]) {
    for one in news {
      switch one {
      case .hit(let judged): precondition(abs(judged.milliseconds) <= 1_000, "\(judged)")
      case .quiet(let report): precondition(!report.line.isEmpty && report.tempo.map { $0.isFinite } ?? true)
      default: break
      }
    }
    precondition(checker.state.lastHits.count <= 12 && checker.state.recent.mean.isFinite)
  }
}
