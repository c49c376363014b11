import Glibc
import MIDI

/// Records what the program plays: the contents of its client's audio and MIDI ports in each period.
final class Tape {
  /// The mix and the roles, followed by the layers.
  private static let beatPorts = ["out", "accent", "beat", "subdivision", "cue"]
  private static let ports = beatPorts + LayerPattern.numbers.map { "layer-\($0)" }

  private let silence: UnsafeMutablePointer<Float>
  private let flaw: Flaw?
  private(set) var digest = Digest()
  /// Frames by which all is late, and the samples that are not out yet, if that flaw is planted.
  var delay = 0
  private var late = [[Float]](repeating: [], count: Tape.ports.count)
  /// Number of sent messages, for the flaws that drop some.
  private var sentCount = 0
  /// Whether a flaw strikes in the next cycle that sounds.
  var isStruck = false

  init(flaw: Flaw?) {
    self.flaw = flaw
    let length = SimulatedPort.longestPeriod
    silence = .allocate(capacity: length)
    silence.initialize(repeating: 0, count: length)
  }

  deinit { silence.deallocate() }

  /// The last rendered period, from a clock frame on.
  func period(_ clock: Int64, _ server: SimulatedServer, mayBeFrozen: Bool) -> SoundJudge.Period {
    let frames = server.period
    var period = SoundJudge.Period(
      clock: clock, frames: frames, rate: server.rate, mayBeFrozen: mayBeFrozen)
    guard let client = server.client else { return period }
    (period.pulses, period.notes) = (sent(client.port("clock"), clock), sent(client.port("notes"), clock))
    var buffers = Tape.ports.compactMap { client.port($0)?.samples }
    let layers = buffers.dropFirst(Tape.beatPorts.count)
    if !layers.contains(where: { mayBeHeard($0, frames) }) { buffers.removeLast(layers.count) }
    var range = sounding(buffers, frames)
    if delay > 0 { range = 0..<frames }
    guard !range.isEmpty else { return period }
    var samples = buffers.map {
      Array(UnsafeBufferPointer(start: $0 + range.lowerBound, count: range.count))
    }
    if flaw != nil { spoil(&samples) }
    period.heard = SoundJudge.Heard(range: range, samples: samples)
    add(period)
    return period
  }

  private func sent(_ port: SimulatedPort?, _ start: Int64) -> [SentMIDI] {
    guard let port else { return [] }
    let all = port.messages.indices.compactMap { index -> SentMIDI? in
      let (frame, size) = port.messages[index]
      return MIDIMessage(port.message(index), count: size).map {
        SentMIDI(frame: start + Int64(frame), message: flaw == .placesAreWrong ? misplaced($0) : $0)
      }
    }
    return flaw == .pulsesAreLost || flaw == .notesHang ? all.filter { !isLost($0.message) } : all
  }

  private func misplaced(_ message: MIDIMessage) -> MIDIMessage {
    guard case .songPosition(let place) = message else { return message }
    return SongPosition(sixteenths: Int64(place.sixteenths) + 1).map { .songPosition($0) } ?? message
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
  private func mayBeHeard(_ samples: UnsafeMutablePointer<Float>, _ frames: Int) -> Bool {
    samples[frames - 1] != 0 || stride(from: 0, to: frames, by: 128).contains { samples[$0] != 0 }
  }

  /// The range of the period that sounds, to a few frames.
  private func sounding(_ buffers: [UnsafeMutablePointer<Float>], _ frames: Int) -> Range<Int> {
    let step = 256
    var (first, last) = (frames, 0)
    for buffer in buffers where !isSilent(buffer, 0, frames) {
      for place in stride(from: 0, to: frames, by: step) {
        let end = min(place + step, frames)
        if !isSilent(buffer, place, end) { (first, last) = (min(first, place), max(last, end)) }
      }
    }
    return first..<max(first, last)
  }

  private func isSilent(_ samples: UnsafeMutablePointer<Float>, _ place: Int, _ end: Int) -> Bool {
    memcmp(samples + place, silence, (end - place) * MemoryLayout<Float>.stride) == 0
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
