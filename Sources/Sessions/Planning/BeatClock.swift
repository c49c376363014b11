import Engine
import Glibc
import MusicTime

/// The times of one section's beats, in seconds from its start.
///
/// Beats are real numbers of beat units from the section's start, counted through its bars.
struct BeatClock {
  /// The section's length in beats; the last may be cut short.
  let beats: Double
  private let curve: TempoCurve
  /// The start of each beat of a tempo list.
  private let starts: [Double]

  /// - Returns: nil if the section is open.
  fileprivate init?(_ length: SectionLength, at tempo: TempoCurve, in layout: BarLayout) {
    curve = tempo
    if case .beats(let tempos) = tempo {
      var sum = 0.0
      starts = tempos.map { tempo in
        defer { sum += 60_000 / Double(tempo.thousandths) }
        return sum
      }
    } else {
      starts = []
    }
    switch length {
    case .bars(let bars): beats = Double(bars) * layout.beatsInBar.approximation
    case .beats(let count): beats = Double(count)
    case .milliseconds(let time):
      beats = BeatClock.beats(in: Double(time) / 1_000, tempo, starts)
    case .open: return nil
    }
  }

  /// The section's length in seconds.
  var seconds: Double { seconds(at: beats) }

  /// The time of a beat.
  ///
  /// On a ramp over B beats the tempo at beat b is t₁ + (t₂−t₁)·b/B, so the time is the integral of 60/t(b):
  /// 60·B/(t₂−t₁) · ln(1 + (t₂−t₁)·b/(B·t₁)).
  func seconds(at beat: Double) -> Double {
    switch curve {
    case .constant(let tempo): return beat * 60 / tempo.beatsPerMinute
    case .ramp(let from, let to):
      let (first, rise) = (from.beatsPerMinute, to.beatsPerMinute - from.beatsPerMinute)
      guard rise != 0 else { return beat * 60 / first }
      return 60 * beats / rise * log1p(rise * beat / (beats * first))
    case .beats(let tempos):
      let index = min(Int(beat), tempos.count - 1)
      return starts[index] + (beat - Double(index)) * 60 / tempos[index].beatsPerMinute
    }
  }

  /// The number of beats in a time. For a ramp this uses the mean tempo, (t₂−t₁) / ln(t₂/t₁).
  private static func beats(in seconds: Double, _ curve: TempoCurve, _ starts: [Double]) -> Double {
    switch curve {
    case .constant(let tempo): return seconds * tempo.beatsPerMinute / 60
    case .ramp(let from, let to):
      let (first, last) = (from.beatsPerMinute, to.beatsPerMinute)
      guard first != last else { return seconds * first / 60 }
      return seconds / 60 * (last - first) / log(last / first)
    case .beats(let tempos):
      let index = max(0, (starts.firstIndex { $0 > seconds } ?? starts.count) - 1)
      return Double(index) + (seconds - starts[index]) * tempos[index].beatsPerMinute / 60
    }
  }
}

extension SectionPlan {
  /// The times of its beats; nil if it is open.
  var clock: BeatClock? { BeatClock(length, at: tempo, in: layout) }
}
