#if Listening
  import CAubio
  import MusicTime

  /// Detects the strokes that a microphone hears, by their high-frequency content (aubio's method `hfc`).
  ///
  /// aubio reports a stroke about 10 ms late and gives only its approximate time. `OnsetRefiner` then finds the stroke's first
  /// sample, so drums with a slow attack are timed as exactly as others.
  package final class MicDetector: HitDetector {
    /// The minimum distance of two strokes that aubio reports, in seconds.
    private static let spacing: Float = 0.008
    /// Frames after which aubio is reset, well before its 32-bit counter wraps.
    private static let longestRun: Int64 = 1 << 30

    package var bleed: Float {
      get { refiner.bleed }
      set { refiner.bleed = newValue }
    }

    private let sampleRate: Int
    private let hop: Int
    private let window: Int
    private let aubio: Aubio
    private let onset: OpaquePointer
    private let input: UnsafeMutablePointer<fvec_t>
    private let output: UnsafeMutablePointer<fvec_t>
    private var refiner: OnsetRefiner
    /// Whether strokes are reported at their first sample instead of at aubio's onset.
    private let isRefined: Bool
    /// Samples of the incomplete hop.
    private var filled = 0
    /// Frames that aubio has processed since the last reset, and the clock frame of the first of them.
    private var received: Int64 = 0
    private var start: ClockFrame = 0

    /// Returns nil if libaubio is not installed, or cannot allocate memory.
    /// - Parameter isRefined: false to report aubio's own onsets, for comparing measurements.
    package init?(sampleRate: Int, isRefined: Bool = true) {
      (self.sampleRate, self.isRefined) = (sampleRate, isRefined)
      // The window lasts 11 ms at 48 kHz; aubio's transform needs a power of two.
      var scale = 1
      while sampleRate > 68_000 * scale { scale *= 2 }
      (hop, window) = (64 * scale, 512 * scale)
      refiner = OnsetRefiner(sampleRate: sampleRate)
      guard let aubio = Aubio.shared,
        let onset = aubio.newOnset("hfc", UInt32(window), UInt32(hop), UInt32(sampleRate)),
        let input = aubio.newVector(UInt32(hop)), let output = aubio.newVector(1)
      else { return nil }
      self.aubio = aubio
      (self.onset, self.input, self.output) = (onset, input, output)
      _ = aubio.setSpacing(onset, MicDetector.spacing)
      _ = aubio.setSilence(onset, -60)
    }

    deinit {
      aubio.deleteOnset(onset)
      aubio.deleteVector(input)
      aubio.deleteVector(output)
    }

    package func reset() {
      aubio.reset(onset)
      refiner.reset()
      (filled, received) = (0, 0)
    }

    package func receive(_ samples: [Float], at frame: ClockFrame) -> [DetectedHit] {
      if received > MicDetector.longestRun { reset() }
      if received == 0, filled == 0 { start = frame }
      var found: [DetectedHit] = []
      for sample in samples {
        let sane = sample.sane
        input.pointee.data[filled] = sane
        refiner.take(sane)
        filled += 1
        if filled == hop, let hit = receiveHop() { found.append(hit) }
      }
      return found
    }

    private func receiveHop() -> DetectedHit? {
      filled = 0
      received += Int64(hop)
      aubio.detect(onset, input, output)
      // In its first windows aubio reports any sound as a stroke.
      guard output.pointee.data[0] > 0, received > Int64(4 * window) else { return nil }
      let rough = Int64(aubio.lastOnset(onset))
      let (frame, strength) = refiner.refine(rough, received: received)
      guard isRefined else { return DetectedHit(frame: start + rough, strength: strength) }
      return DetectedHit(frame: start + frame, strength: strength)
    }
  }
#endif
