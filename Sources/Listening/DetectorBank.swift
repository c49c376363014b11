import Engine
import MIDI
import MusicTime
import TimeCheck

/// Finds hits in what the process callback has captured: a detector for each audio input, and each note of the port `hits`.
///
/// It has no clock and no thread. `Listener` runs it.
package struct DetectorBank {
  private let capture: UnsafePointer<Capture>
  private let setup: ListeningSetup
  private var detectors: [any HitDetector] = []
  private var watches: [InputWatch] = []
  private var bleeds: [Float]
  private var controls = TriggerControls()
  private var sampleRate = 0
  private var nextClock: ClockFrame?
  private var samples: [Float] = []
  private var seenLosses = (frames: 0, notes: 0)

  /// What one pass found.
  package struct Detected {
    /// The hits of each source are in order of time; sources are not merged.
    package var hits: [Hit] = []
    /// New faults of inputs, one sentence each.
    package var faults: [String] = []
    /// Frames and notes that were lost since the last pass, because the capture was full.
    package var lost = 0
    package var lostNotes = 0
  }

  /// - Parameters:
  ///   - capture: its inputs are those of the setup; this bank is its only reader.
  ///   - setup: the inputs and their modes.
  package init(_ capture: UnsafePointer<Capture>, _ setup: ListeningSetup) {
    (self.capture, self.setup) = (capture, setup)
    bleeds = Array(repeating: 0, count: setup.inputs.count)
  }

  /// Sets the peak with which an input hears the click; full scale is 1, 0 is no bleed.
  /// - Parameter input: the index of the input; an unknown index is ignored.
  package mutating func setBleed(_ bleed: Float, of input: Int) {
    guard bleeds.indices.contains(input) else { return }
    bleeds[input] = bleed
    if detectors.indices.contains(input) { detectors[input].bleed = bleed }
  }

  /// Sets the controls of all trigger detectors.
  package mutating func setControls(_ controls: TriggerControls) {
    self.controls = controls
    for index in detectors.indices {
      (detectors[index] as? TriggerDetector).map { detectors[index] = $0.with(controls) }
    }
  }

  /// Processes everything that was captured since the last pass.
  package mutating func listen() -> Detected {
    var detected = Detected()
    while let note = capture.pointee.takeNote() {
      if let hit = hit(note) { detected.hits.append(hit) }
    }
    while let block = capture.pointee.takeBlock() {
      prepare(for: block)
      for input in detectors.indices {
        capture.pointee.read(block, input: input, into: &samples)
        receive(input, at: block.clock, &detected.hits)
        detected.faults += watches[input].look(at: samples).map { $0.sentence(setup.inputs[input].port) }
      }
      nextClock = block.clock + Int64(block.count)
      capture.pointee.release(block)
    }
    let losses = (
      frames: capture.pointee.lostFrames.load(ordering: .relaxed),
      notes: capture.pointee.lostNotes.load(ordering: .relaxed)
    )
    detected.lost = losses.frames - seenLosses.frames
    detected.lostNotes = losses.notes - seenLosses.notes
    seenLosses = losses
    return detected
  }

  /// Makes detectors for the block's sample rate, and resets them if frames are missing before it.
  private mutating func prepare(for block: Capture.Block) {
    if block.sampleRate != sampleRate {
      sampleRate = block.sampleRate
      detectors = setup.inputs.map { detector($0.mode, sampleRate) }
      for (input, bleed) in bleeds.enumerated() { detectors[input].bleed = bleed }
      watches = setup.inputs.map { InputWatch(sampleRate: sampleRate, mode: $0.mode) }
    } else if let nextClock, nextClock != block.clock {
      for input in detectors.indices { detectors[input].reset() }
    }
  }

  /// Whether this build has a detector for microphones, and libaubio is installed.
  static var hearsMicrophones: Bool {
    #if Listening
      Aubio.shared != nil
    #else
      false
    #endif
  }

  private func detector(_ mode: ListeningSetup.Mode, _ sampleRate: Int) -> any HitDetector {
    if mode == .record { return NullDetector() }
    #if Listening
      if mode == .mic, let detector = MicDetector(sampleRate: sampleRate) { return detector }
    #endif
    return TriggerDetector(controls, sampleRate: sampleRate)
  }

  private mutating func receive(_ input: Int, at clock: ClockFrame, _ hits: inout [Hit]) {
    let latency = Int64(capture.pointee.latency(of: input))
    for found in detectors[input].receive(samples, at: clock) {
      hits.append(Hit(frame: found.frame - latency, source: .input(input), strength: found.strength))
    }
  }

  private func hit(_ event: MIDIEvent) -> Hit? {
    guard case .noteOn(_, let note, let velocity) = event.message else { return nil }
    return Hit(
      frame: event.frame - Int64(capture.pointee.latency(of: nil)), source: .notes,
      note: note, strength: Float(velocity) / 127)
  }
}
