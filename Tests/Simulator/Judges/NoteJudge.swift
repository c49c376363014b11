import MIDI

/// Judges the sent notes: each audible click has a note on its frame, there are no others, and each note ends.
struct NoteJudge {
  /// The longest note: five seconds at the highest rate, and a cycle for its end.
  private static let longest: Int64 = 5 * 192_000 + 2 * 8_192

  /// The frames at which the sounding notes began.
  private var sounding: [UInt8: Int64] = [:]
  private(set) var judged = 0

  /// Forgets the notes, because recent messages are unknown.
  mutating func forget() { sounding = [:] }

  /// A click that begins.
  struct Click {
    let frame: Int64
    /// Its note; nil: any, if a layer's note is unknown.
    let number: UInt8?
    /// The lowest and the highest allowed volume.
    let volume: ClosedRange<Float>
  }

  /// - Parameters:
  ///   - sent: the messages of one period.
  ///   - clicks: the clicks that begin in it.
  ///   - start: the period's clock frame.
  /// - Returns: the fault; nil if there is none.
  mutating func judge(
    _ sent: [SentMIDI], _ clicks: [Click], from start: Int64
  ) -> String? {
    var begun: Set<Note> = []
    for message in sent {
      switch message.message {
      case .noteOn(10, let note, _):
        let isClick = clicks.contains {
          $0.frame == message.frame && ($0.number ?? note) == note && $0.volume.upperBound > 0
        }
        guard isClick else { return "note \(note) begins at frame \(message.frame), where no click does" }
        guard sounding.updateValue(message.frame, forKey: note) == nil else {
          return "note \(note) begins at frame \(message.frame) before it has ended"
        }
        begun.insert(Note(frame: message.frame, number: note))
        judged += 1
      case .noteOff(10, let note, _): sounding[note] = nil
      default: return "\(message.message) is sent as a note"
      }
    }
    for click in clicks where click.volume.lowerBound > 0 {
      let isBegun =
        if let number = click.number { begun.contains(Note(frame: click.frame, number: number)) } else {
          begun.contains { $0.frame == click.frame }
        }
      guard isBegun else {
        return "the click at frame \(click.frame) has no note\(click.number.map { " \($0)" } ?? "")"
      }
    }
    // An engine that waits for a score with another rate sends nothing, and ends its notes when the score has arrived.
    if !sent.isEmpty || !clicks.isEmpty,
      let hanging = sounding.first(where: { $0.value + NoteJudge.longest < start })
    {
      return "note \(hanging.key), which began at frame \(hanging.value), still sounds at frame \(start)"
    }
    return nil
  }

  private struct Note: Hashable {
    let frame: Int64
    let number: UInt8
  }
}
