import Engine
import Glibc
import MIDI

/// Records what the engine plays: buffers that are rendered into, for the mix, the roles and the layers, and what they held.
final class Tape {
  static let longestPeriod = 8_192
  /// The mix and the roles, and behind them the layers.
  private static let beatBuffers = 5
  private static let buffers = beatBuffers + LayerPattern.numbers.count

  let outputs: Outputs
  private let clock = BorrowedBuffer()
  private let notes = BorrowedBuffer()
  private let memory: UnsafeMutablePointer<Float>
  private let layers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let silence: UnsafeMutablePointer<Float>
  private let flaw: Flaw?
  private(set) var digest = Digest()
  /// Frames by which all is late, and what has not come out yet, where that flaw is planted.
  var delay = 0
  private var late = [[Float]](repeating: [], count: Tape.buffers)
  /// Messages that were sent, where some are to be lost.
  private var sentCount = 0
  /// A flaw is to strike in the next cycle that sounds.
  var isStruck = false

  init(flaw: Flaw?) {
    self.flaw = flaw
    let length = Tape.longestPeriod
    memory = .allocate(capacity: Tape.buffers * length)
    memory.initialize(repeating: 0, count: Tape.buffers * length)
    layers = .allocate(capacity: LayerPattern.numbers.count)
    for index in layers.indices {
      layers.initializeElement(at: index, to: memory + (Tape.beatBuffers + index) * length)
    }
    silence = .allocate(capacity: length)
    silence.initialize(repeating: 0, count: length)
    outputs = Outputs(
      out: memory, accent: memory + length, beat: memory + 2 * length, subdivision: memory + 3 * length,
      cue: memory + 4 * length, layers: UnsafeBufferPointer(layers), clock: clock.buffer, notes: notes.buffer)
  }

  deinit {
    memory.deallocate()
    layers.deallocate()
    silence.deallocate()
  }

  /// What was rendered last.
  func period(_ clock: Int64, _ frames: Int, rate: Int, mayBeFrozen: Bool) -> SoundJudge.Period {
    var period = SoundJudge.Period(clock: clock, frames: frames, rate: rate, mayBeFrozen: mayBeFrozen)
    (period.pulses, period.notes) = (sent(self.clock.buffer, clock), sent(notes.buffer, clock))
    let buffers = hasLayers(frames) ? Tape.buffers : Tape.beatBuffers
    var range = sounding(frames, in: buffers)
    if delay > 0 { range = 0..<frames }
    guard !range.isEmpty else { return period }
    var samples = (0..<buffers).map { buffer in
      Array(
        UnsafeBufferPointer(
          start: memory + buffer * Tape.longestPeriod + range.lowerBound, count: range.count))
    }
    if flaw != nil { spoil(&samples) }
    period.heard = SoundJudge.Heard(range: range, samples: samples)
    add(period)
    return period
  }

  private func sent(_ buffer: MIDIBuffer, _ start: Int64) -> [SentMIDI] {
    let all = (0..<buffer.count).map {
      SentMIDI(frame: start + Int64(buffer[$0].offset), message: buffer[$0].message)
    }
    return flaw == .pulsesAreLost || flaw == .notesHang ? all.filter { !isLost($0.message) } : all
  }

  private func isLost(_ message: MIDIMessage) -> Bool {
    switch (flaw, message) {
    case (.pulsesAreLost, .clock): sentCount += 1
    case (.notesHang, .noteOff): sentCount += 10
    default: return false
    }
    return sentCount % 1_000 == 0
  }

  /// Whether a layer sounds. Clips are longer than the step, and positive throughout.
  private func hasLayers(_ frames: Int) -> Bool {
    layers.contains { samples in
      samples[frames - 1] != 0 || stride(from: 0, to: frames, by: 128).contains { samples[$0] != 0 }
    }
  }

  /// Where in the period something sounds, to a few frames.
  /// - Parameter buffers: how many of them may sound.
  private func sounding(_ frames: Int, in buffers: Int) -> Range<Int> {
    let step = 256
    var (first, last) = (frames, 0)
    for buffer in 0..<buffers where !isSilent(buffer, 0, frames) {
      for place in stride(from: 0, to: frames, by: step) {
        let end = min(place + step, frames)
        if !isSilent(buffer, place, end) { (first, last) = (min(first, place), max(last, end)) }
      }
    }
    return first..<max(first, last)
  }

  private func isSilent(_ buffer: Int, _ place: Int, _ end: Int) -> Bool {
    let samples = memory + buffer * Tape.longestPeriod
    return memcmp(samples + place, silence, (end - place) * MemoryLayout<Float>.stride) == 0
  }

  private func add(_ period: SoundJudge.Period) {
    guard let heard = period.heard, let first = heard.samples[0].firstIndex(where: { $0 != 0 }) else {
      return
    }
    let out = heard.samples[0]
    digest.add(UInt64(bitPattern: period.clock + Int64(heard.range.lowerBound + first)))
    digest.add(UInt64(out[first].bitPattern))
  }

  private func spoil(_ samples: inout [[Float]]) {
    for index in samples.indices where delay > 0 {
      while late[index].count < delay { late[index].insert(0, at: 0) }
      let all = late[index] + samples[index]
      late[index] = Array(all.suffix(delay))
      samples[index] = Array(all.dropLast(delay))
    }
    guard isStruck, let first = samples[0].firstIndex(where: { $0 != 0 }) else { return }
    isStruck = false
    for index in samples.indices {
      for frame in min(first + 40, samples[index].count)..<samples[index].count {
        samples[index][frame] *= flaw == .stopCutsClips ? 0 : 0.97
      }
    }
  }
}
