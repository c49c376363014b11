import Control
import MusicTime

/// An event of the mouse, and its row and column, from 0.
struct Mouse: Equatable, Sendable {
  enum Deed: Sendable { case click, wheelUp, wheelDown }

  let deed: Deed
  let row: Int
  let column: Int
}

/// An element that reacts to the mouse.
enum Spot: Equatable, Sendable {
  case tempo
  /// A fader, with the columns of its gauge.
  case fader(Parameter, gauge: Range<Int>)
  /// The number of a beat, from 1.
  case beat(Int)
  case choice(Parameter)
  /// A line of the list.
  case line(ListContent.Line)
  /// A row of the list of controllers, from 0.
  case controllerRow(Int)
}

/// The functions of the mouse.
extension PanelModel {
  /// Handles an event of the mouse. The view *stage* ignores it.
  /// - Parameter spot: the element under the mouse; nil for none.
  mutating func point(_ mouse: Mouse, at spot: Spot?) -> Action? {
    typing.notePress(nil)
    if showsHelp {
      guard mouse.deed != .click else { return nil }
      return press(.arrow(mouse.deed == .wheelUp ? .up : .down, isShifted: false))
    }
    if controllers != nil { return pointAtControllers(mouse, spot) }
    guard view != .stage, typing.entry == nil, question == nil else { return nil }
    if view == .list, mouse.deed != .click {
      return press(.arrow(mouse.deed == .wheelUp ? .up : .down, isShifted: false))
    }
    guard let spot else { return nil }
    note = nil
    return mouse.deed == .click ? click(spot, column: mouse.column) : turn(spot, isUp: mouse.deed == .wheelUp)
  }

  private mutating func click(_ spot: Spot, column: Int) -> Action? {
    switch spot {
    case .tempo: focus = Parameters.tempo.parameter
    case .choice(let parameter): focus = parameter
    case .fader(let parameter, let gauge):
      focus = parameter
      guard gauge.contains(column), gauge.count > 1 else { return nil }
      // The ends of the gauge are off and full.
      let percent = (100 * Double(column - gauge.lowerBound) / Double(gauge.count - 1)).rounded()
      let bounds = parameter.bounds
      let value = bounds.lowerBound + percent / 100 * (bounds.upperBound - bounds.lowerBound)
      return (try? Setting(parameter, .number(value))).map { .update(.set($0)) }
    case .beat(let beat):
      guard progress == nil else {
        note = Note(text: "the document sets the accents: edit it, or close it with :close", isWarning: true)
        return nil
      }
      (focus, cursor) = (Parameters.accents.parameter, beat - 1)
      return cycleAccent(at: beat - 1)
    case .line(let line): return choose(line)
    case .controllerRow: break
    }
    return nil
  }

  /// Handles the wheel: changes the value under the mouse and gives it the focus.
  private mutating func turn(_ spot: Spot, isUp: Bool) -> Action? {
    switch spot {
    case .tempo: focus = Parameters.tempo.parameter
    case .fader(let parameter, _), .choice(let parameter): focus = parameter
    case .beat, .line, .controllerRow: return nil
    }
    return press(.arrow(isUp ? .up : .down, isShifted: false))
  }

  private mutating func pointAtControllers(_ mouse: Mouse, _ spot: Spot?) -> Action? {
    switch mouse.deed {
    case .wheelUp: return press(.arrow(.up, isShifted: false))
    case .wheelDown: return press(.arrow(.down, isShifted: false))
    case .click:
      guard case .controllerRow(let row)? = spot else { return nil }
      // The second click on a row is Enter.
      if controllers?.row == row { return press(.enter) }
      controllers?.select(row)
      return nil
    }
  }
}
