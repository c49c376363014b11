import MIDI

/// Judges the notes that are sent: each click that is to be heard has one on its frame, nothing else has, and each ends.
struct NoteJudge {
  /// The longest note: five seconds at the highest rate, and a cycle in which its end may be sent.
  private static let longest: Int64 = 5 * 192_000 + 2 * 8_192

  /// When the notes began that sound.
  private var sounding: [UInt8: Int64] = [:]
  private(set) var judged = 0

  /// What was sent lately is not known.
  mutating func forget() { sounding = [:] }

  /// - Parameters:
  ///   - sent: in one period.
  ///   - clicks: those that begin in it, their notes, and the lowest and the highest volume that each may have.
  ///   - start: the period's clock frame.
  /// - Returns: what is wrong; nil if nothing is.
  mutating func judge(
    _ sent: [SentMIDI], _ clicks: [(frame: Int64, number: UInt8, volume: ClosedRange<Float>)],
    from start: Int64
  ) -> String? {
    var begun: Set<Note> = []
    for message in sent {
      switch message.message {
      case .noteOn(10, let note, _):
        let isClick = clicks.contains {
          $0.frame == message.frame && $0.number == note && $0.volume.upperBound > 0
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
      guard begun.contains(Note(frame: click.frame, number: click.number)) else {
        return "the click at frame \(click.frame) has no note \(click.number)"
      }
    }
    if let hanging = sounding.first(where: { $0.value + NoteJudge.longest < start }) {
      return "note \(hanging.key), which began at frame \(hanging.value), still sounds at frame \(start)"
    }
    return nil
  }

  private struct Note: Hashable {
    let frame: Int64
    let number: UInt8
  }
}
