import Control
import MusicTime

/// The parameters that have choices instead of a fader: the accents, with a cursor over the beats, beat unit, groups, gap,
/// sound and profile.
extension PanelModel {
  /// The parameters whose values arrow keys choose. None in a session, because its document sets them.
  var choices: [Parameter] {
    progress == nil ? [Parameters.accents.parameter] + PanelModel.listedChoices : []
  }

  /// The choices in the list beside the tempo; the accents are shown on the beats.
  static let listedChoices = [
    Parameters.beatUnit.parameter, Parameters.groups.parameter, Parameters.gap.parameter,
    Parameters.sound.parameter, Parameters.profile.parameter,
  ]

  /// Whether the cursor is on the beats. Only the view *practice* shows it.
  var editsAccents: Bool { view == .practice && focus == Parameters.accents.parameter }

  /// The focused choice, its value, and the keys that change it; nil while a fader or the tempo has the focus.
  var choicePrompt: String? {
    guard choices.contains(focus) else { return nil }
    if editsAccents {
      guard beats.indices.contains(cursor) else { return nil }
      return "beat \(cursor + 1): \(beats[cursor].name)  up/down changes, right/left moves; X x o . types"
    }
    let keys =
      focus == Parameters.gap.parameter
      ? "right/left bars that sound, up/down silent bars" : "up/down chooses"
    return "\(PanelModel.choiceName(focus)) \(choiceText(focus))  \(keys)"
  }

  static func choiceName(_ parameter: Parameter) -> String {
    parameter == Parameters.beatUnit.parameter ? "beat unit" : parameter.label
  }

  /// The value of a choice as the panel shows it.
  func choiceText(_ parameter: Parameter) -> String {
    let text = parameter.text(snapshot.settings[parameter])
    switch parameter {
    case Parameters.beatUnit.parameter where text.isEmpty: return "of the meter"
    case Parameters.gap.parameter where snapshot.settings.gap == .off: return "none"
    default: return text.isEmpty ? "none" : text
    }
  }

  /// Handles an arrow on a choice.
  mutating func choose(_ direction: Key.Direction) -> Action? {
    let isForward = direction == .up || direction == .right
    switch focus {
    case Parameters.accents.parameter:
      if direction == .up || direction == .down { return cycleAccent(at: cursor, isForward: isForward) }
      if !beats.isEmpty { cursor = (cursor + (isForward ? 1 : beats.count - 1)) % beats.count }
      return nil
    case Parameters.gap.parameter: return (try? changedGap(direction)).map { .update(.set(.gap($0))) }
    default: return chooseListed(isForward: isForward)
    }
  }

  private mutating func chooseListed(isForward: Bool) -> Action? {
    let options = options(of: focus)
    guard !options.isEmpty else { return nil }
    let step = isForward ? 1 : options.count - 1
    let now = options.firstIndex(of: focus.text(snapshot.settings[focus]))
    let next = options[now.map { ($0 + step) % options.count } ?? 0]
    if focus == Parameters.groups.parameter, let accents = snapshot.settings.accents {
      note = Note(
        text: "the accents \(accents) override groups: Backspace on the beats clears them",
        isWarning: false)
    }
    return (try? Setting(focus, text: next)).map { .update(.set($0)) }
  }

  private func options(of parameter: Parameter) -> [String] {
    switch parameter {
    case Parameters.beatUnit.parameter:
      ["", "1/1", "3/4", "1/2", "3/8", "1/4", "3/16", "1/8", "1/16"]
    case Parameters.groups.parameter: [""] + PanelModel.groupings(of: beats.count)
    case Parameters.sound.parameter: sounds
    default: if case .choice(let names) = parameter.kind { names } else { [] }
    }
  }

  /// The ways to divide beats into groups of three and two, those that begin with more threes first; at most 64.
  static func groupings(of beats: Int) -> [String] {
    var found: [String] = []
    func divide(_ rest: Int, _ groups: [Int]) {
      guard found.count < 64 else { return }
      if rest == 0 { found.append(groups.map(String.init).joined(separator: "+")) }
      for size in [3, 2] where size <= rest { divide(rest - size, groups + [size]) }
    }
    if 2...99 ~= beats { divide(beats, []) }
    return found
  }

  /// The gap with one more or one less bar: right and left change the bars that sound, up and down the silent ones. Without a
  /// gap, more is every other bar.
  private func changedGap(_ direction: Key.Direction) throws -> Gap {
    let gap = snapshot.settings.gap
    let isMore = direction == .up || direction == .right
    guard gap.rest > 0 else { return isMore ? .everyOther : .off }
    switch direction {
    case .up, .down:
      let rest = (gap.rest + (isMore ? 1 : -1)).clamped(to: Gap.rests)
      return rest == 0 ? .off : try Gap(play: gap.play, rest: rest)
    case .left, .right:
      return try Gap(play: (gap.play + (isMore ? 1 : -1)).clamped(to: Gap.plays), rest: gap.rest)
    }
  }

  // MARK: Accents

  /// Gives a beat the next or the previous of accent, beat, soft and silent.
  mutating func cycleAccent(at index: Int, isForward: Bool = true) -> Action? {
    guard beats.indices.contains(index) else { return nil }
    let all = Accent.allCases
    let now = all.firstIndex(of: beats[index].accent) ?? 0
    return setAccent(all[(now + (isForward ? 1 : all.count - 1)) % all.count], at: index)
  }

  /// Gives the beat under the cursor the accent of a letter, and moves the cursor to the next beat.
  mutating func typeAccent(_ letter: Character) -> Action? {
    guard editsAccents, let accent = Accent(rawValue: letter), beats.indices.contains(cursor) else {
      return nil
    }
    let action = setAccent(accent, at: cursor)
    cursor = (cursor + 1) % beats.count
    return action
  }

  private func setAccent(_ accent: Accent, at index: Int) -> Action? {
    var accents = beats.map(\.accent)
    accents[index] = accent
    let text = String(accents.map(\.rawValue))
    return (try? AccentPattern(text: text)).map { .update(.set(.accents($0))) }
  }
}

extension BeatKind {
  fileprivate var accent: Accent {
    switch self {
    case .accent: .accent
    case .beat: .beat
    case .soft: .soft
    case .silent: .silent
    }
  }

  fileprivate var name: String {
    switch self {
    case .accent: "accent"
    case .beat: "beat"
    case .soft: "soft"
    case .silent: "silent"
    }
  }
}
