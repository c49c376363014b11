import CBench
import EngineBench

/// The cost of a voice in the engine, compared with the same loop in C and with a loop that visits every clip for each sample.
enum Mixing {
  /// Periods that one implementation mixes before the other's turn.
  private static let turn = 100

  static func measure(quick: Bool) async throws -> Report {
    var report = Report(
      name: "mixing", title: "Mixing: nanoseconds that a voice adds to a period of 64 frames",
      columns: ["voices", "Tactus", "C, -O3", "C, by sample", "Tactus ÷ C", "by sample ÷ Tactus"])
    let silence = try measure(voices: 0, turns: quick ? 20 : 100)
    var ratios: [(voices: Int, ratio: Double)] = []
    var curves: [[[Double]]] = [[], [], []]
    for voices in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
      let times = try measure(voices: voices, turns: quick ? 20 : 100)
      let costs = zip(times, silence).map { ($0 - $1) / Double(voices) }
      ratios.append((voices, costs[0] / costs[1]))
      report.rows.append(
        .init(name: "\(voices)", values: costs + [costs[0] / costs[1], costs[2] / costs[0]]))
      for index in curves.indices { curves[index].append([Double(voices), costs[index]]) }
    }
    let worst = ratios.max { $0.ratio < $1.ratio }!
    let bySample = report.rows.compactMap { $0.values[4] }
    report.claims = [
      .init(
        what: "Mixing 1 to 256 voices, against the same loop in C at -O3",
        tactus:
          "\(shown(ratios.last!.ratio)) × C at 256 voices, at most \(shown(worst.ratio)) × (at \(worst.voices))",
        peers: "the per-sample loop \(shown(bySample.min()!)) to \(shown(bySample.max()!)) × Tactus",
        goal: "≤ 1.2 × C",
        isMet: worst.ratio <= 1.2)
    ]
    report.panels = [
      Panel(
        title: "Cost of a voice", x: .init(label: "voices", scale: .logarithmic),
        y: .init(label: "ns a voice and period", scale: .logarithmic),
        series: zip(["Tactus", "C, -O3", "C, by sample"], curves).map { .init(name: $0, points: $1) })
    ]
    report.notes.append(
      "the fastest of many turns, less a period without a voice: \(silence.map(shown).joined(separator: ", ")) ns"
    )
    report.notes.append(
      "each clears, mixes, applies the gains and sums; Tactus also looks for commands and beats")
    return report
  }

  /// Nanoseconds a period of the fastest turn of Tactus, C, and C by sample.
  private static func measure(voices: Int, turns: Int) throws -> [Double] {
    let length = 1_200_000
    var rig = try VoiceRig(voices: voices, length: length)

    let roles = [0, 2, 1, 2, 0, 2, 1, 2]
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 5 * VoiceRig.period)
    let scratch = UnsafeMutablePointer<bench_voice>.allocate(capacity: voices)
    defer {
      memory.deallocate()
      scratch.deallocate()
    }
    let gains = VoiceRig.gains
    let buses = (1...4).map { Optional(memory + $0 * VoiceRig.period) }
    var outputs = bench_outputs(
      out: memory, buses: (buses[0], buses[1], buses[2], buses[3]),
      gains: (
        gains.accent, gains.beat, gains.subdivision, gains.cue, gains.mix
      ))

    var times: [[Double]] = [[], [], []]
    func take(_ index: Int, _ body: () -> Void) {
      let begin = monotonicSeconds()
      body()
      times[index].append((monotonicSeconds() - begin) * 1e9 / Double(turn))
    }
    for turnIndex in 0..<turns {
      take(0) { rig.render(turn) }
      for (kind, mix) in [bench_mix, bench_mix_by_sample].enumerated() {
        for index in 0..<voices {
          // The position of the engine's voice.
          let start =
            (turnIndex * turn + voices * 4) * VoiceRig.period % (length / 2) + (voices - index) * 240
          scratch[index] = bench_voice(
            samples: rig.samples(ofRole: roles[index % 8]) + start, remaining: length - start,
            role: Int32(roles[index % 8]), gain: roles[index % 8] == 2 ? 0.5 : 1)
        }
        take(kind + 1) { for _ in 0..<turn { _ = mix(scratch, voices, &outputs, VoiceRig.period) } }
      }
    }
    return times.map { $0.min()! }
  }
}
