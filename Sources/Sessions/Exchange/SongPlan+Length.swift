import Control
import Engine
import Glibc
import MusicTime
import Validation

extension SongPlan {
  /// The song, cut or extended to a length. An open section lasts until then, and a song that repeats without end repeats until
  /// then. A shorter song ends earlier.
  /// - Throws: `InvalidValue` if it would have too many sections.
  package func lasting(milliseconds: Int) throws(InvalidValue) -> SongPlan {
    var song = self
    (song.plans, song.loopStart) = ([], nil)
    var left = Double(milliseconds)
    var next = 0
    while left >= 1 {
      if next == plans.count {
        guard let loopStart else { break }
        next = loopStart
      }
      guard song.plans.count < SessionLimits.plans else {
        throw InvalidValue("duration", "of more than \(SessionLimits.plans) sections", allowed: "shorter")
      }
      let plan = plans[next]
      let length = plan.clock.map { $0.seconds * 1_000 } ?? .infinity
      next += 1
      guard length > left + 0.5 else {
        song.plans.append(plan)
        left -= length
        continue
      }
      song.plans.append(plan.cut(at: left, of: length))
      break
    }
    return song
  }
}

extension SectionPlan {
  /// The beginning of a section.
  /// - Parameters:
  ///   - time: the new length in milliseconds.
  ///   - length: the section's length in milliseconds.
  fileprivate func cut(at time: Double, of length: Double) -> SectionPlan {
    var tempo = tempo
    if case .ramp(let from, let to) = tempo {
      // A tempo that is linear in beats is exponential in time.
      let last = from.beatsPerMinute * pow(to.beatsPerMinute / from.beatsPerMinute, time / length)
      tempo = .ramp(from: from, to: (try? Tempo(last)) ?? to)
    }
    return SectionPlan(
      source: source, name: name, colour: colour, label: label,
      length: .milliseconds(max(1, Int(time.rounded()))),
      layout: layout, tempo: tempo, silence: silence, gains: gains, sound: sound, cue: cue,
      isCountIn: isCountIn,
      layers: layers)
  }
}
