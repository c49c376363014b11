import Control

/// A control surface: pages of controls, generated from the table of addresses. The layouts for the apps are written from it.
enum Surface {
  /// A control and its position.
  struct Widget {
    enum Kind {
      /// Sends a number when it is pressed: 1, or the step by which it changes a value.
      case button(sends: Double)
      /// On and off.
      case toggle
      case fader
      case lamp
      case label
    }

    let kind: Kind
    let endpoint: Endpoint
    let label: String
    /// The values that a fader sends at its ends.
    let range: ClosedRange<Double>
    var frame = Frame()

    init(_ kind: Kind, _ endpoint: Endpoint, _ label: String, range: ClosedRange<Double> = 0...1) {
      (self.kind, self.endpoint, self.label, self.range) = (kind, endpoint, label, range)
    }

    /// Unique within the surface.
    var id: String {
      let name = endpoint.name.replacing("/", with: "-")
      if case .button(let number) = kind, number != 1 { return "\(name)\(number < 0 ? "-down" : "-up")" }
      return name
    }
  }

  /// A rectangle on a page, in points.
  struct Frame {
    var (x, y, width, height) = (0, 0, 0, 0)
  }

  struct Page {
    let name: String
    let widgets: [Widget]
  }

  /// The size of a page, in points.
  static let width = 1_000
  static let height = 640

  /// All pages, for the program's own parameters.
  static let pages: [Page] = pages(of: .standard)

  /// All pages. The declaration of a parameter decides on which page it is.
  static func pages(of table: ParameterTable) -> [Page] {
    let make = WidgetMaker(table)
    let faders = table.parameters.filter { $0.control != nil }
    let isOfMix = { (parameter: Parameter) in parameter.name.hasPrefix("volume") }
    return [
      Page(
        "Play",
        make.labels("sounding/text", "state", "meter/text") + make.lamps("beat/lamp")
          + make.labels("bar", "beat/number") + make.toggles(["playing"])
          + make.buttons("start", "stop", "tap", "stop/bar", "fade", "go") + make.nudges
          + make.faders([Parameters.tempo.parameter])),
      Page("Mix", make.faders(faders.filter { $0.isVolume && isOfMix($0) })),
      Page(
        "Pattern", make.faders(faders.filter { $0 != Parameters.tempo.parameter && !isOfMix($0) })),
      Page("Switches", make.toggles(table.parameters.filter(\.isFlag).map(\.name))),
      Page(
        "Session",
        make.labels("song/title", "section/name", "left/text", "upcoming", "sounding/text")
          + make.buttons(
            "go", "previous", "next", "song/previous", "song/next", "pause/toggle", "restart", "loop/mark")
          + make.toggles(["hold"]) + make.speed),
    ]
  }

  /// Makes widgets of addresses.
  private struct WidgetMaker {
    private let endpoints: [String: Endpoint]

    init(_ table: ParameterTable) {
      let all = AddressSpace.announcements + AddressSpace.endpoints(of: table)
      endpoints = Dictionary(all.map { ($0.name, $0) }) { $1 }
    }

    var nudges: [Widget] {
      [-1.0, 1].compactMap { step in
        endpoints["tempo/nudge"].map { Widget(.button(sends: step), $0, step < 0 ? "−1" : "+1") }
      }
    }

    var speed: [Widget] {
      endpoints["speed"].map { [Widget(.fader, $0, "speed", range: 50...150)] } ?? []
    }

    /// The faders of parameters: from 0 to 1 if the parameter has that form.
    func faders(_ parameters: [Parameter]) -> [Widget] {
      parameters.compactMap { parameter in
        let name = ParameterForm.norm.fits(parameter) ? "\(parameter.name)/norm" : parameter.name
        return endpoints[name].map { Widget(.fader, $0, parameter.label) }
      }
    }

    func labels(_ names: String...) -> [Widget] { widgets(.label, names) }
    func lamps(_ names: String...) -> [Widget] { widgets(.lamp, names) }
    func buttons(_ names: String...) -> [Widget] { widgets(.button(sends: 1), names) }
    func toggles(_ names: [String]) -> [Widget] { widgets(.toggle, names) }

    private func widgets(_ kind: Widget.Kind, _ names: [String]) -> [Widget] {
      names.compactMap { name in
        endpoints[name].map { Widget(kind, $0, name.replacing("/", with: " ")) }
      }
    }
  }
}

extension Surface.Page {
  /// Arranges the widgets in rows: faders are 200 points high, all others 80.
  init(_ name: String, _ widgets: [Surface.Widget]) {
    let columns = 8
    let (cell, gap, small, tall) = (Surface.width / columns, 6, 80, 200)
    var (column, y, rowHeight) = (0, 0, 0)
    var placed: [Surface.Widget] = []
    for var widget in widgets {
      let height = if case .fader = widget.kind { tall } else { small }
      if column == columns || (column > 0 && height != rowHeight) { (column, y) = (0, y + rowHeight) }
      rowHeight = height
      widget.frame = Surface.Frame(
        x: column * cell + gap, y: y + gap, width: cell - 2 * gap, height: height - 2 * gap)
      column += 1
      placed.append(widget)
    }
    self.init(name: name, widgets: placed)
  }
}
