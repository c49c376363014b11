import MusicTime

/// Finds the place of each onset in its beat.
///
/// The engine reports beats and parts of beats one by one. This type counts the parts and keeps the beat's tempo.
struct BeatTracker: Sendable {
  private struct Beat: Sendable {
    var onset: Onset
    var parts = 0
    /// In beats per minute; nil if it is not known.
    var tempo: Double?
  }

  private let sampleRate: Int
  private var beat: Beat?

  init(sampleRate: Int) { self.sampleRate = sampleRate }

  /// Finds the place of an onset. Onsets must come in order of time.
  /// - Parameter length: frames from a beat to the next; nil if that is not known.
  /// - Returns: the onset with its part of the beat, its phase and its tempo.
  mutating func place(_ onset: Onset, isBeat: Bool, length: Double?) -> Onset {
    var onset = onset
    if onset.place.layer == 0 {
      if isBeat {
        beat = Beat(onset: onset, tempo: tempo(at: onset, length: length))
      } else {
        beat?.parts += 1
        onset.place.part = beat?.parts ?? 1
      }
      onset.phase = phase(of: onset)
    }
    onset.tempo = beat?.tempo
    return onset
  }

  /// The tempo of a beat: from its length, otherwise from the distance to the previous beat.
  private func tempo(at onset: Onset, length: Double?) -> Double? {
    if let length, length > 0 { return 60 * Double(sampleRate) / length }
    guard let beat, onset.frame > beat.onset.frame, onset.bar - beat.onset.bar <= 1,
      onset.section == beat.onset.section
    else { return nil }
    return 60 * Double(sampleRate) / Double(onset.frame - beat.onset.frame)
  }

  private func phase(of onset: Onset) -> Double? {
    guard let beat else { return nil }
    if onset.frame == beat.onset.frame { return 0 }
    guard let tempo = beat.tempo else { return nil }
    let phase = Double(onset.frame - beat.onset.frame) / (60 * Double(sampleRate) / tempo)
    return 0..<1 ~= phase ? phase : nil
  }

  /// Grid places between a beat and the next. They swing like subdivisions.
  /// - Parameters:
  ///   - count: the number of parts of the beat.
  ///   - length: frames to the next beat.
  ///   - split: where the second of two swung parts begins, as a fraction of both; 0.5 is straight.
  static func filling(_ beat: Onset, parts count: Int, length: Double, split: Double) -> [Onset] {
    guard count > 1, length > 0 else { return [] }
    return (1..<count).map { part in
      let swings = part % 2 == 1 && [2, 4, 8].contains(count)
      let parts = swings ? Double(part - 1) + 2 * split : Double(part)
      var onset = beat
      onset.frame += Int64((length * parts / Double(count)).rounded())
      onset.place.part = part
      onset.phase = parts / Double(count)
      (onset.role, onset.isExpected) = (.grid, false)
      return onset
    }
  }
}
