import TestBench

/// The transport's cycles and the onsets that an external client recorded.
struct Hearing {
  let cycles: [TransportCycle]
  /// The onsets at `out`, and at `accent`.
  let onsets: [Int64]
  let accents: [Int64]

  init(_ recorder: RecorderClient) {
    cycles = recorder.cycles
    onsets = recorder.onsets(port: 0)
    accents = recorder.ports.count > 1 ? recorder.onsets(port: 1) : []
  }

  /// Two cycles between which the transport played on, in one meter.
  struct Step {
    let first: TransportCycle
    let start: TransportCycle.BBT
    let end: TransportCycle.BBT

    /// Notes since the transport's start at a frame in the first cycle: the line from one reading to the next.
    func notes(at frame: Int64) -> Double {
      start.notes + (end.notes - start.notes) * Double(frame - first.frameTime) / Double(first.frameCount)
    }

    /// Notes in slightly more than half a frame. On PipeWire the position is that of the frame before, and its tick is rounded down twice.
    var tolerance: Double {
      let frame = (end.notes - start.notes) / Double(first.frameCount)
      return ServerKind.current == .pipewire ? 1.5 * frame + 2 / start.ticksPerBeat : 0.501 * frame + 1e-9
    }
  }

  var steps: [Step] {
    zip(cycles, cycles.dropFirst()).compactMap { first, next in
      guard let start = first.bbt, let end = next.bbt, first.state == .rolling, next.state == .rolling,
        next.frameTime == first.frameTime + Int64(first.frameCount),
        next.frame == first.frame &+ UInt32(first.frameCount),
        start.beatsPerBar == end.beatsPerBar, start.beatType == end.beatType,
        // PipeWire shows each position a cycle late: over a change of tempo there is no line from one to the next.
        ServerKind.current != .pipewire || start.beatsPerMinute == end.beatsPerMinute
      else { return nil }
      return Step(first: first, start: start, end: end)
    }
  }

  func onsets(in step: Step) -> [Int64] { onsets.filter { step.first.contains($0) } }
  func accents(in step: Step) -> [Int64] { accents.filter { step.first.contains($0) } }

  /// The transport's frame at a frame of the server's time; nil if it did not roll.
  func transportFrame(of frame: Int64) -> Int64? {
    cycles.last { $0.contains(frame) }.flatMap {
      $0.state == .rolling ? Int64($0.frame) + frame - $0.frameTime : nil
    }
  }
}

extension TransportCycle {
  func contains(_ frame: Int64) -> Bool { frame >= frameTime && frame < frameTime + Int64(frameCount) }
}

extension TransportCycle.BBT {
  /// Notes since the start of bar 1, including the fraction.
  var notes: Double { (barStartTick + (exactTick ?? Double(tick))) / ticksPerBeat + Double(beat - 1) }

  /// Whether every number is valid.
  var isProper: Bool {
    bar >= 1 && beat >= 1 && Double(beat) <= beatsPerBar && tick >= 0 && Double(tick) < ticksPerBeat
      && exactTick.map { $0 >= Double(tick) && $0 < Double(tick + 1) } != false && beatsPerMinute > 0
      && barStartTick >= 0
  }
}
