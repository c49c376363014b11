import Engine
import MusicTime

/// A reference mixer: computes the samples of the five ports from the clips that begin and the volume ramps.
struct Mixer {
  private struct Sounding {
    let samples: UnsafeBufferPointer<Float>
    let begin: ClockFrame
    let gain: Float
    let generation: Int
  }

  private struct Fader {
    var from: Float
    var target: Float
    var begin: ClockFrame = 0

    func value(at frame: ClockFrame) -> Float {
      let done = Float(frame - begin) / 480
      return done >= 1 ? target : from + (target - from) * done
    }

    mutating func move(to gain: Float, at frame: ClockFrame) {
      if gain != target { (from, target, begin) = (value(at: frame), gain, frame) }
    }
  }

  private var sounding: [[Sounding]] = [[], [], [], []]
  private var faders: [Fader]
  private var master: Fader
  /// The reference since the last comparison, and the frame after it.
  private var mixed = Rig.Recording()
  private var clock: ClockFrame = 0

  init(_ gains: Gains) {
    faders = ClickRole.allCases.map { Fader(from: gains.buses[$0], target: gains.buses[$0]) }
    master = Fader(from: gains.master, target: gains.master)
  }

  mutating func move(to gains: Gains, at frame: ClockFrame) {
    mix(until: frame)
    for role in ClickRole.allCases { faders[Int(role.rawValue)].move(to: gains.buses[role], at: frame) }
    master.move(to: gains.master, at: frame)
  }

  mutating func begin(_ clip: Clip, role: ClickRole, strength: Float, generation: Int, at frame: ClockFrame) {
    sounding[Int(role.rawValue)].append(
      Sounding(samples: clip.samples, begin: frame, gain: strength, generation: generation))
  }

  private mutating func mix(until end: ClockFrame) {
    while clock < end {
      var out: Float = 0
      for role in 0..<4 {
        var bus: Float = 0
        for clip in sounding[role] {
          let index = Int(clock - clip.begin)
          if clip.samples.indices.contains(index) { bus += clip.samples[index] * clip.gain }
        }
        bus *= faders[role].value(at: clock)
        mixed.roles[role].append(bus)
        out += bus
      }
      mixed.out.append(out * master.value(at: clock))
      clock += 1
    }
  }

  /// Compares the output since the last comparison up to a frame; returns the number of samples that differ.
  mutating func compare(_ recording: Rig.Recording, until end: ClockFrame) -> Int {
    mix(until: end)
    var wrong = abs(mixed.out.count - recording.out.count)
    for (a, b) in zip(mixed.out, recording.out) where a != b { wrong += 1 }
    for role in 0..<4 {
      for (a, b) in zip(mixed.roles[role], recording.roles[role]) where a != b { wrong += 1 }
      sounding[role].removeAll { $0.begin + Int64($0.samples.count) <= end }
    }
    mixed = Rig.Recording()
    return wrong
  }

  /// The generation of the oldest clip set that sounds; `.max` if none does.
  var oldestGeneration: Int { sounding.joined().map(\.generation).min() ?? .max }
}
