import Control

/// Writes a session file of Open Stage Control.
enum OpenStageControlLayout {
  /// The text of the file: JSON.
  static func text(of pages: [Surface.Page]) -> String {
    let tabs = pages.map { page in
      JSONText.object([
        ("type", .text("tab")), ("id", .text("tactus-\(page.name.lowercased())")),
        ("label", .text(page.name)),
        ("widgets", .array(page.widgets.map { widget($0, page) })),
      ])
    }
    let root = JSONText.object([
      ("type", .text("root")), ("id", .text("root")), ("tabs", .array(tabs)),
    ])
    return JSONText.object([
      ("version", .text("1.25.0")), ("createdWith", .text("Open Stage Control")), ("type", .text("session")),
      ("content", root),
    ]).text + "\n"
  }

  private static func widget(_ widget: Surface.Widget, _ page: Surface.Page) -> JSONText {
    var members: [(String, JSONText)] = [
      ("type", .text(type(of: widget))), ("id", .text("\(page.name.lowercased())-\(widget.id)")),
      ("left", .integer(widget.frame.x)), ("top", .integer(widget.frame.y)),
      ("width", .integer(widget.frame.width)), ("height", .integer(widget.frame.height)),
      ("address", .text(widget.endpoint.address)),
    ]
    switch widget.kind {
    case .button(let number):
      members += [
        ("label", .text(widget.label)), ("mode", .text("tap")), ("on", .number(number)), ("off", .integer(0)),
      ]
    case .toggle:
      members += [
        ("label", .text(widget.label)), ("mode", .text("toggle")), ("on", .integer(1)), ("off", .integer(0)),
      ]
    case .fader:
      members += [
        ("html", .text(widget.label)), ("design", .text("compact")), ("typeTags", .text("f")),
        (
          "range",
          .object([("min", .number(widget.range.lowerBound)), ("max", .number(widget.range.upperBound))])
        ),
      ]
    case .lamp: members += [("range", .object([("min", .integer(0)), ("max", .integer(1))]))]
    case .label: members += [("vertical", .truth(false)), ("bypass", .truth(true))]
    }
    return .object(members)
  }

  private static func type(of widget: Surface.Widget) -> String {
    switch widget.kind {
    case .button, .toggle: "button"
    case .fader: "fader"
    case .lamp: "led"
    case .label: "text"
    }
  }
}
