import MusicTime

/// Judges the samples: what sounds is what was told, clips are complete, and nothing jumps but where clips begin and end.
///
/// From the beats that were told it knows which clips sound, and how loud they were made. What it hears of a role must be their
/// sum times a volume that was told lately, the same from sample to sample, or moving in a straight line of 10 ms. The same is true
/// of a layer; where its place in its pattern is not known, its clip may be that of an accent or of a beat.
struct SoundJudge {
  /// A part of a cycle with all in it that sounds: the mix, four roles, and the layers if one of them sounds.
  struct Heard {
    let range: Range<Int>
    let samples: [[Float]]
  }

  /// One cycle. What was heard is nil where all samples are 0.
  struct Period {
    let clock: Int64
    let frames: Int
    let rate: Int
    var heard: Heard?
    /// Whether the engine may wait for a score of a new rate, and play nothing.
    let mayBeFrozen: Bool
    /// What was sent at the MIDI ports.
    var pulses: [SentMIDI] = []
    var notes: [SentMIDI] = []
  }

  /// A clip that begins: where in the period, at which port, how loud, and what it may be.
  struct Begin {
    let offset: Int
    /// A role, or behind the roles a layer, from 0.
    let port: Int
    let strength: Float
    /// Its samples at the most, before its set's level.
    let shape: [Float]
    /// Its samples at the least; nil for the same.
    var low: [Float]?
    /// The level that a layer's set may have; nil for that of the beats.
    var level: ClosedRange<Float>?
  }

  /// What may be heard: volumes of roles and layers, and the levels of sound sets, from the lowest to the highest.
  struct Bounds: Equatable {
    var buses: [ClosedRange<Float>]
    var master: ClosedRange<Float>
    var level: ClosedRange<Float>
  }

  private struct Voice {
    let shape: [Float]
    let low: [Float]?
    let place: Int
    /// With the level of its set, if a layer has begun it.
    let strength: ClosedRange<Float>

    var isUncertain: Bool { low != nil || strength.lowerBound < strength.upperBound }
  }

  /// What clips make without any volume. The lowest is nil where it is the same.
  private struct Dry {
    var samples: [Float]
    var low: [Float]?
  }

  static let roleCount = ClickRole.allCases.count
  private static let portCount = roleCount + LayerPattern.numbers.count

  private var voices = [[Voice]](repeating: [], count: portCount)
  private(set) var clips = 0

  /// Whether something sounds.
  var isSounding: Bool { voices.contains { !$0.isEmpty } }

  mutating func forget() { voices = Array(repeating: [], count: SoundJudge.portCount) }

  /// - Returns: what is wrong; nil if nothing is.
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
      // That of a layer's clips is in them.
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

  /// The frames in which something sounds, or should.
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

  /// What was heard of a buffer within a range that holds all that sounds.
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

  /// What the clips of a port make without any volume.
  /// - Parameter level: of the beats' sound set.
  private mutating func dry(
    _ port: Int, _ begins: [Begin], _ range: Range<Int>, _ level: ClosedRange<Float>
  ) -> Dry? {
    guard !voices[port].isEmpty || begins.contains(where: { $0.port == port }) else { return nil }
    // Those that sound already come before those that begin.
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

  /// - Parameter steps: how much the gain may change within 10 ms; nil where that is not known.
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
      // Where the clips are not known, nor is the volume.
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

  /// Whether all samples are others times a gain, more closely than `compare` demands: mostly that is so, and soon found.
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
