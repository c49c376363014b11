import Control
import Engine
import MusicTime

/// Makes sound sets whose samples identify their set and role, and counts the living ones.
final class ClipLibrary: @unchecked Sendable {
  // `@unchecked`: the simulator has one thread.

  private struct Held { weak var clip: Clip? }

  struct Missing: Error, CustomStringConvertible {
    let description = "no such sound set"
  }

  private var made: [Held] = []
  private var pile: [ClipSet] = []
  private let flaw: Flaw?

  init(flaw: Flaw?) { self.flaw = flaw }

  /// The maximum number of living clips: playing ones, waiting ones, those of a song, and those of layers.
  static let capacity = 64

  /// Clips that are alive.
  var alive: Int {
    made.removeAll { $0.clip == nil }
    return made.count
  }

  /// The level of a set; nil if it does not exist.
  static func level(of name: String) -> Float? {
    ["sine": 0.9, "square": 0.6, "clave": 0.4][name]
  }

  /// The level of a role's clip without its set's level, and its length in frames.
  static func level(of role: ClickRole) -> Float {
    switch role {
    case .accent: 1
    case .beat: 0.75
    case .subdivision: 0.5
    case .cue: 0.3
    }
  }
  static func length(of role: ClickRole) -> Int {
    switch role {
    case .accent: 600
    case .beat: 480
    case .subdivision: 240
    case .cue: 1_000
    }
  }

  /// A clip's samples at level 1: positive to the last, so that no clip can hide another.
  static let shape: [ClickRole: [Float]] = Dictionary(
    uniqueKeysWithValues: ClickRole.allCases.map { role in
      let length = length(of: role)
      return (role, (0..<length).map { level(of: role) * (1 - 0.5 * Float($0) / Float(length)) })
    })

  func read(_ name: String, _ sampleRate: Int) throws -> (name: String, clips: ClipSet) {
    guard let level = ClipLibrary.level(of: name) else { throw Missing() }
    let clips = ClipSet(
      accent: clip(.accent, level), beat: clip(.beat, level), subdivision: clip(.subdivision, level),
      cue: clip(.cue, level))
    if flaw == .clipsPileUp { pile.append(clips) }
    return (name, clips)
  }

  private func clip(_ role: ClickRole, _ level: Float) -> Clip {
    let clip = Clip(ClipLibrary.shape[role]!.map { $0 * level })
    if made.count > 4 * ClipLibrary.capacity { made.removeAll { $0.clip == nil } }
    made.append(Held(clip: clip))
    return clip
  }
}
