import Control

/// A ready-made control surface: pages of controls, made from the table of addresses. Each layout for an app is a writing of it.
enum Surface {
  /// A control, and the place where it is drawn.
  struct Widget {
    enum Kind {
      /// Sends a number when it is pressed: 1, or the step that it makes.
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
    /// What a fader sends at its ends.
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

  /// In points.
  struct Frame {
    var (x, y, width, height) = (0, 0, 0, 0)
  }

  struct Page {
    let name: String
    let widgets: [Widget]
  }

  static let width = 1_000
  static let height = 640

  /// All pages. Parameters come to the pages of faders and switches by their declarations.
  static let pages = [
    Page(
      "Play",
      labels("sounding/text", "state", "meter/text") + lamps("beat/lamp") + labels("bar", "beat/number")
        + toggles("playing") + buttons("start", "stop", "tap", "stop/bar", "fade", "go")
        + nudges + faders([Parameters.tempo.parameter])),
    Page("Mix", faders(Parameters.all.filter { $0.isVolume && $0.name.hasPrefix("volume") })),
    Page(
      "Pattern",
      faders(
        Parameters.all.filter { $0 != Parameters.tempo.parameter && !$0.name.hasPrefix("volume") })),
    Page("Switches", toggles(Parameters.all.filter(\.isFlag).map(\.name))),
    Page(
      "Session",
      labels("song/title", "section/name", "left/text", "upcoming", "sounding/text")
        + buttons(
          "go", "previous", "next", "song/previous", "song/next", "pause/toggle", "restart", "loop/mark")
        + toggles("hold") + speed),
  ]

  private static let nudges = [-1.0, 1].compactMap { step in
    AddressSpace.endpoint("/tactus/tempo/nudge").map {
      Widget(.button(sends: step), $0, step < 0 ? "−1" : "+1")
    }
  }

  private static let speed =
    AddressSpace.endpoint("/tactus/speed").map {
      [Widget(.fader, $0, "speed", range: 50...150)]
    } ?? []

  /// The faders of the parameters that have a control: from 0 to 1 where there is that form.
  private static func faders(_ parameters: [Parameter]) -> [Widget] {
    parameters.compactMap { parameter in
      guard parameter.control != nil else { return nil }
      let name = ParameterForm.norm.fits(parameter) ? "\(parameter.name)/norm" : parameter.name
      return AddressSpace.endpoint(AddressSpace.root + name).map { Widget(.fader, $0, parameter.label) }
    }
  }

  private static func labels(_ names: String...) -> [Widget] { widgets(.label, names) }
  private static func lamps(_ names: String...) -> [Widget] { widgets(.lamp, names) }
  private static func toggles(_ names: String...) -> [Widget] { widgets(.toggle, names) }
  private static func toggles(_ names: [String]) -> [Widget] { widgets(.toggle, names) }
  private static func buttons(_ names: String...) -> [Widget] { widgets(.button(sends: 1), names) }

  private static func widgets(_ kind: Widget.Kind, _ names: [String]) -> [Widget] {
    names.compactMap { name in
      let endpoint =
        AddressSpace.endpoint(AddressSpace.root + name)
        ?? AddressSpace.announcements.first { $0.name == name }
      return endpoint.map { Widget(kind, $0, name.replacing("/", with: " ")) }
    }
  }
}

extension Surface.Page {
  /// Places the widgets in rows: faders are tall, all else is one cell high.
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
