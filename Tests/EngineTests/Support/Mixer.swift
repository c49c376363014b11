import Engine
import MusicTime

/// What the five ports must carry, sample by sample, from the clips that begin and the volumes that move.
struct Mixer {
  private struct Sounding {
    let samples: UnsafeBufferPointer<Float>
    let begin: Int64
    let gain: Float
    let generation: Int
  }

  private struct Fader {
    var from: Float
    var target: Float
    var begin: Int64 = 0

    func value(at frame: Int64) -> Float {
      let done = Float(frame - begin) / 480
      return done >= 1 ? target : from + (target - from) * done
    }

    mutating func move(to gain: Float, at frame: Int64) {
      if gain != target { (from, target, begin) = (value(at: frame), gain, frame) }
    }
  }

  private var sounding: [[Sounding]] = [[], [], [], []]
  private var faders: [Fader]
  private var master: Fader

  init(_ gains: Gains) {
    faders = Role.allCases.map { Fader(from: gains[$0], target: gains[$0]) }
    master = Fader(from: gains.master, target: gains.master)
  }

  mutating func move(to gains: Gains, at frame: Int64) {
    for role in Role.allCases { faders[Int(role.rawValue)].move(to: gains[role], at: frame) }
    master.move(to: gains.master, at: frame)
  }

  mutating func begin(_ clip: Clip, role: Role, strength: Float, generation: Int, at frame: Int64) {
    sounding[Int(role.rawValue)].append(
      Sounding(samples: clip.samples, begin: frame, gain: strength, generation: generation))
  }

  /// The samples of one frame: the mix and the four roles.
  mutating func frame(_ frame: Int64) -> (out: Float, roles: [Float]) {
    var roles: [Float] = [0, 0, 0, 0]
    var out: Float = 0
    for role in 0..<4 {
      for clip in sounding[role] {
        let index = Int(frame - clip.begin)
        if index < clip.samples.count { roles[role] += clip.samples[index] * clip.gain }
      }
      roles[role] *= faders[role].value(at: frame)
      out += roles[role]
    }
    return (out * master.value(at: frame), roles)
  }

  /// Lets go of what has ended.
  mutating func tidy(before frame: Int64) {
    for role in 0..<4 { sounding[role].removeAll { $0.begin + Int64($0.samples.count) <= frame } }
  }

  /// The oldest clip set of which something sounds.
  var oldestGeneration: Int { sounding.joined().map(\.generation).min() ?? .max }
}
