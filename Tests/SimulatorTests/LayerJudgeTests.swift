import MusicTime
import Testing

@testable import Simulator

/// What the simulator's judge says of the pulses of layers, where all is well and where it is not.
@Suite("Judging layers")
struct LayerJudgeTests {
  private static let rate = 44_100

  /// What is reported of a metronome in 7/8 at 133.71 with four layers.
  private struct Music {
    var beats: [(beat: Subscriber.Beat, frame: Int64)] = []
    let layers: [Int: LayerPattern]
    let grid: ExactGrid

    /// - Parameter bars: how many are told.
    init(bars: Int) throws {
      var pattern = ExactBar.Pattern()
      (pattern.thousandths, pattern.notes, pattern.note) = (133_710, 7, 8)
      let texts = [
        "5 over 2 bars", "every 3/16, pattern Xo, reset bar", "11 over 3 beats, pattern x.X", "1 over 3 bars",
      ]
      let layers = texts.compactMap { LayerPattern($0) }
      try #require(layers.map(\.text) == texts)
      self.layers = Dictionary(uniqueKeysWithValues: zip(1..., layers))
      grid = ExactGrid(pattern, layers: self.layers, rate: LayerJudgeTests.rate)
      // An eighth lasts 60 000 · rate / thousandths frames, and the origin is at frame 1 000.3.
      let eighth = 60_000 * Double(LayerJudgeTests.rate) / 133_710
      func add(_ eighths: Double, _ layer: Int, strength: Float) {
        let (bar, beat) = (Int(eighths / 7), Int(eighths) % 7)
        let isBeat = layer == 0
        beats.append(
          (
            Subscriber.Beat(
              time: 0, bar: bar + 1, beat: beat + 1,
              role: isBeat ? beat == 0 ? .accent : .beat : .subdivision, strength: strength, layer: layer),
            Int64((1_000.3 + eighths * eighth).rounded())
          ))
      }
      for beat in 0..<7 * bars { add(Double(beat), 0, strength: 1) }
      for pulse in 0..<5 * bars / 2 { add(Double(pulse * 14) / 5, 1, strength: 1) }
      for bar in 0..<bars {
        for pulse in 0..<5 {
          add(Double(bar * 7) + Double(pulse) * 1.5, 2, strength: pulse % 2 == 0 ? 1 : 0.5)
        }
      }
      for pulse in 0..<7 * bars * 11 / 3 { add(Double(pulse * 3) / 11, 3, strength: pulse % 3 == 1 ? 0 : 1) }
      for pulse in 0..<(bars + 2) / 3 { add(Double(pulse * 21), 4, strength: 1) }
      beats.sort { ($0.frame, $0.beat.layer) < ($1.frame, $1.beat.layer) }
    }

    /// What the judges say; nil if nothing is wrong.
    func fault() -> (what: String?, judged: Int) {
      var onsets = OnsetJudge()
      onsets.use(OnsetJudge.Course(grid: grid))
      onsets.use(grid.layers(loop: nil, rate: LayerJudgeTests.rate))
      for (beat, frame) in beats {
        if beat.layer == 0 {
          if let what = onsets.judge(beat, frame: frame, rendered: 1, Gaps()) {
            return (what, onsets.layers.judged)
          }
        } else if case .failure(let wrong) = onsets.judge(pulse: beat, frame: frame, rendered: 1, Gaps()) {
          return (wrong.what, onsets.layers.judged)
        }
      }
      return (nil, onsets.layers.judged)
    }
  }

  @Test("Pulses on their exact frames are no fault, and all of them are judged")
  func exact() throws {
    let music = try Music(bars: 600)
    let (what, judged) = music.fault()
    #expect(what == nil)
    // All but those of the first two beats.
    #expect(judged > music.beats.count { $0.beat.layer > 0 } - 30)
  }

  @Test("A pulse that is lost, doubled, a frame late, or of another strength is found, in each layer")
  func faultsAreFound() throws {
    let music = try Music(bars: 60)
    for layer in 1...4 {
      let index = try #require(
        music.beats.firstIndex { $0.beat.layer == layer && $0.beat.bar > 20 && $0.beat.strength > 0 })
      var lost = music
      lost.beats.remove(at: index)
      #expect(lost.fault().what?.contains("layer \(layer)") == true)
      var doubled = music
      doubled.beats.insert(music.beats[index], at: index)
      #expect(doubled.fault().what?.contains("layer \(layer)") == true)
      // Half a frame and the origin's uncertainty may hide one frame, but not two.
      var late = music
      late.beats[index].frame += 2
      #expect(late.fault().what?.contains("layer \(layer)") == true)
      var loud = music
      let beat = music.beats[index].beat
      loud.beats[index].beat = Subscriber.Beat(
        time: 0, bar: beat.bar, beat: beat.beat, role: beat.role, strength: 0.25, layer: layer)
      #expect(loud.fault().what?.contains("strength") == true)
    }
  }
}
