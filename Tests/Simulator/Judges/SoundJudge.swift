import MusicTime

/// Judges the samples: the sound matches the reports, clips are complete, and the sound jumps only at the beginning and end of
/// clips.
///
/// From the reported beats it knows the sounding clips and their levels. The sound of a role must be their sum times a recently
/// reported volume, which is constant or moves in a straight line of 10 ms. The same holds for a layer; if its place in its
/// pattern is unknown, its clip may be an accent or a beat.
struct SoundJudge {
  /// The part of a cycle that contains all sound: the mix, four roles, and the layers if one of them sounds.
  struct Heard {
    let range: Range<Int>
    let samples: [[Float]]
  }

  /// One cycle. The sound is nil if all samples are 0.
  struct Period {
    let clock: Int64
    let frames: Int
    let rate: Int
    var heard: Heard?
    /// Whether the engine may be silent because it waits for a score with a new rate.
    let mayBeFrozen: Bool
    /// The messages sent at the MIDI ports.
    var pulses: [SentMIDI] = []
    var notes: [SentMIDI] = []
  }

  /// A clip that begins: its place in the period, its port, its level, and its possible clips.
  struct Begin {
    let offset: Int
    /// A role; or, after the roles, a layer, from 0.
    let port: Int
    let strength: Float
    /// The greatest possible samples, without the set's level.
    let shape: [Float]
    /// The smallest possible samples, without the set's level; nil: equal to the greatest.
    var low: [Float]?
    /// The possible levels of a layer's set; nil: those of the beats' set.
    var level: ClosedRange<Float>?
  }

  /// The limits of the sound: volumes of roles and layers, and levels of sound sets, from the lowest to the highest.
  struct Bounds: Equatable {
    var buses: [ClosedRange<Float>]
    var master: ClosedRange<Float>
    var level: ClosedRange<Float>
  }

  private struct Voice {
    let shape: [Float]
    let low: [Float]?
    let place: Int
    /// The possible strengths. They include the level of the set if a layer has begun the clip.
    let strength: ClosedRange<Float>

    var isUncertain: Bool { low != nil || strength.lowerBound < strength.upperBound }
  }

  /// The sum of clips without volume. The lowest is nil if it is equal.
  private struct Dry {
    var samples: [Float]
    var low: [Float]?
  }

  static let roleCount = ClickRole.allCases.count
  private static let portCount = roleCount + LayerPattern.numbers.count

  private var voices = [[Voice]](repeating: [], count: portCount)
  private(set) var clips = 0

  /// Whether any clip sounds.
  var isSounding: Bool { voices.contains { !$0.isEmpty } }

  mutating func forget() { voices = Array(repeating: [], count: SoundJudge.portCount) }

  /// - Returns: the fault; nil if there is none.
  mutating func judge(_ period: Period, _ begins: [Begin], _ bounds: Bounds) -> String? {
    let sounds = begins.filter { $0.strength > 0 }
    guard isSounding || !sounds.isEmpty || period.heard != nil else { return nil }
    if period.heard == nil, period.mayBeFrozen, begins.isEmpty { return nil }
    clips += sounds.count
    let range = range(period, sounds)
    var sums = [Float](repeating: 0, count: range.count)
    for port in 0..<SoundJudge.portCount {
      let dry = dry(port, sounds, range, bounds.level)
      let heard = SoundJudge.heard(period, port + 1, range)
      let bus = bounds.buses[port]
      // The samples of a layer's clips include their level.
      let level = port < SoundJudge.roleCount ? bounds.level : 1...1
      let fault = SoundJudge.compare(
        heard, dry, bus.lowerBound * level.lowerBound...bus.upperBound * level.upperBound,
        steps: level.lowerBound == level.upperBound
          ? (bus.upperBound - bus.lowerBound) * level.upperBound : nil,
        range, period)
      if let fault { return "port \(SoundJudge.name(port)): \(fault)" }
      if let heard { add(heard, to: &sums) }
    }
    let fault = SoundJudge.compare(
      SoundJudge.heard(period, 0, range), Dry(samples: sums), bounds.master,
      steps: bounds.master.upperBound - bounds.master.lowerBound, range, period)
    return fault.map { "the mix: \($0)" }
  }

  private static func name(_ port: Int) -> String {
    port < roleCount ? ClickRole.allCases[port].name : "layer-\(port - roleCount + 1)"
  }

  /// The frames in which something sounds or should sound.
  private func range(_ period: Period, _ begins: [Begin]) -> Range<Int> {
    var (first, last) = (period.heard?.range.lowerBound ?? period.frames, period.heard?.range.upperBound ?? 0)
    for voice in voices.joined() {
      first = 0
      last = max(last, min(voice.shape.count - voice.place, period.frames))
    }
    for begin in begins {
      first = min(first, begin.offset)
      last = max(last, min(begin.offset + begin.shape.count, period.frames))
    }
    return first..<last
  }

  /// The samples of a buffer within a range that contains all sound.
  private static func heard(_ period: Period, _ buffer: Int, _ range: Range<Int>) -> [Float]? {
    guard let heard = period.heard, buffer < heard.samples.count else { return nil }
    let before = [Float](repeating: 0, count: heard.range.lowerBound - range.lowerBound)
    let after = [Float](repeating: 0, count: range.upperBound - heard.range.upperBound)
    return before.isEmpty && after.isEmpty ? heard.samples[buffer] : before + heard.samples[buffer] + after
  }

  private func add(_ samples: [Float], to sums: inout [Float]) {
    samples.withUnsafeBufferPointer { samples in
      sums.withUnsafeMutableBufferPointer { sums in
        for index in 0..<min(samples.count, sums.count) { sums[index] += samples[index] }
      }
    }
  }

  /// The sum of a port's clips without volume.
  /// - Parameter level: the levels of the beats' sound set.
  private mutating func dry(
    _ port: Int, _ begins: [Begin], _ range: Range<Int>, _ level: ClosedRange<Float>
  ) -> Dry? {
    guard !voices[port].isEmpty || begins.contains(where: { $0.port == port }) else { return nil }
    // Clips that sound already come before those that begin.
    var sounding = voices[port].map { (voice: $0, offset: 0) }
    for begin in begins where begin.port == port {
      sounding.append((SoundJudge.voice(begin, level), begin.offset))
    }
    voices[port] = []
    var dry = Dry(samples: [Float](repeating: 0, count: range.count))
    if sounding.contains(where: { $0.voice.isUncertain }) { dry.low = dry.samples }
    for (voice, offset) in sounding {
      let count = min(voice.shape.count - voice.place, range.upperBound - offset)
      let start = offset - range.lowerBound
      for index in 0..<count {
        dry.samples[start + index] += voice.shape[voice.place + index] * voice.strength.upperBound
      }
      if dry.low != nil {
        let low = voice.low ?? voice.shape
        for index in 0..<max(0, min(count, low.count - voice.place)) {
          dry.low![start + index] += low[voice.place + index] * voice.strength.lowerBound
        }
      }
      if voice.place + count < voice.shape.count {
        voices[port].append(
          Voice(
            shape: voice.shape, low: voice.low, place: voice.place + count, strength: voice.strength))
      }
    }
    return dry
  }

  private static func voice(_ begin: Begin, _ level: ClosedRange<Float>) -> Voice {
    let strength = begin.strength
    let levels = begin.port < roleCount ? 1...1 : begin.level ?? level
    return Voice(
      shape: begin.shape, low: begin.low, place: 0,
      strength: strength * levels.lowerBound...strength * levels.upperBound)
  }

  /// - Parameter steps: by how much the gain may change within 10 ms; nil if that is unknown.
  private static func compare(
    _ heard: [Float]?, _ made: Dry?, _ gains: ClosedRange<Float>, steps: Float?, _ range: Range<Int>,
    _ period: Period
  ) -> String? {
    guard heard != nil || made != nil else { return nil }
    let silence = heard == nil || made == nil ? [Float](repeating: 0, count: range.count) : []
    let (heard, dry, low) = (heard ?? silence, made?.samples ?? silence, made?.low)
    if low == nil, gains.lowerBound == gains.upperBound, follows(heard, dry, gains.upperBound) { return nil }
    let step = steps.map { $0 / (0.01 * Float(period.rate)) * 1.05 + 2e-5 }
    var last: Float?
    for index in 0..<range.count {
      let (sample, from) = (heard[index], dry[index])
      guard sample != 0 || from != 0 else {
        last = nil
        continue
      }
      let frame = period.clock + Int64(range.lowerBound + index)
      let slack = 2e-6 + from * 1e-5
      let least = (low?[index] ?? from) * gains.lowerBound
      guard sample >= least - slack, sample <= from * gains.upperBound + slack else {
        return "frame \(frame) is \(sample), should be "
          + (least == from * gains.upperBound ? "\(least)" : "\(least) to \(from * gains.upperBound)")
      }
      // If the clips are unknown, so is the volume.
      guard from > 0.02, low == nil else {
        last = nil
        continue
      }
      let gain = sample / from
      if let last, let step, abs(gain - last) > step {
        return "frame \(frame) jumps: from volume \(last) to \(gain) in one frame"
      }
      last = gain
    }
    return nil
  }

  /// Whether all samples are other samples times a gain, more exactly than `compare` requires: usually true, and fast to check.
  private static func follows(_ heard: [Float], _ dry: [Float], _ gain: Float) -> Bool {
    heard.withUnsafeBytes { heard in
      dry.withUnsafeBytes { dry in
        typealias Lanes = SIMD8<Float>
        let (size, count) = (MemoryLayout<Lanes>.size, heard.count)
        guard dry.count == count else { return false }
        func isFar(_ sample: Lanes, _ from: Lanes) -> SIMDMask<Lanes.MaskStorage> {
          let off = sample - from * gain
          let most = from * 8e-6
          return (off .> most) .| (off .< -most)
        }
        var far = SIMDMask<Lanes.MaskStorage>(repeating: false)
        for place in stride(from: 0, to: count - count % size, by: size) {
          far
            .|= isFar(
              heard.loadUnaligned(fromByteOffset: place, as: Lanes.self),
              dry.loadUnaligned(fromByteOffset: place, as: Lanes.self))
        }
        for place in stride(from: count - count % size, to: count, by: MemoryLayout<Float>.size) {
          far
            .|= isFar(
              Lanes(repeating: heard.loadUnaligned(fromByteOffset: place, as: Float.self)),
              Lanes(repeating: dry.loadUnaligned(fromByteOffset: place, as: Float.self)))
        }
        return !any(far)
      }
    }
  }
}
