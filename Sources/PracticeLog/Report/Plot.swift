/// A plot as inline SVG, with a title and a description for screen readers. Styles are classes of `ReportStyle`.
struct Plot {
  /// In the picture's units. It is as wide as a phone's screen, so that letters keep their size there.
  static let width = 360.0
  private let top = 12.0
  private let right = 350.0
  private let left: Double
  private let bottom: Double
  private let height: Double
  private let x: Axis
  private let y: Axis
  private var elements: [String] = []

  /// - Parameters:
  ///   - height: the height of the plot's area, without labels.
  ///   - left: the room for the labels of `y`.
  /// Both are in the picture's units.
  init(x: Axis, y: Axis, height: Double = 170, left: Double = 44) {
    (self.x, self.y, self.left) = (x, y, left)
    bottom = top + height
    self.height = bottom + 24
  }

  /// The horizontal coordinate of a value of `x`.
  func across(_ value: Double) -> Double { left + x.part(value) * (right - left) }
  /// The vertical coordinate of a value of `y`.
  func up(_ value: Double) -> Double { bottom - y.part(value) * (bottom - top) }

  // MARK: Elements

  /// An area over the whole width, between two values of `y`.
  mutating func band(_ low: Double, _ high: Double, _ style: String = "band") {
    rectangle(left, up(high), right - left, up(low) - up(high), style)
  }

  /// An area over the whole height, between two values of `x`.
  mutating func column(_ low: Double, _ high: Double, _ style: String = "band") {
    rectangle(across(low), top, across(high) - across(low), bottom - top, style)
  }

  /// A bar from the bottom of the plot to a value of `y`, between two values of `x`.
  mutating func bar(_ low: Double, _ high: Double, to value: Double, _ style: String = "bar") {
    let (begin, end) = (across(low), across(high))
    let gap = end - begin > 4 ? 1.0 : 0.25
    rectangle(begin + gap, up(value), max(end - begin - 2 * gap, 0.5), bottom - up(value), style)
  }

  private mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String
  ) {
    elements.append(
      "<rect class=\"\(style)\" x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(width))\" height=\"\(n(max(height, 0)))\"/>"
    )
  }

  /// A horizontal line at a value of `y`.
  mutating func level(_ value: Double, _ style: String) {
    path("M\(n(left)) \(n(up(value)))H\(n(right))", style)
  }

  /// A vertical line at a value of `x`.
  mutating func upright(_ value: Double, _ style: String) {
    path("M\(n(across(value))) \(n(top))V\(n(bottom))", style)
  }

  /// A line through points; nil interrupts it.
  mutating func line(_ points: [(x: Double, y: Double)?], _ style: String) {
    var (data, isDrawing) = ("", false)
    for point in points {
      guard let point else {
        isDrawing = false
        continue
      }
      data += "\(isDrawing ? "L" : "M")\(n(across(point.x))) \(n(up(point.y)))"
      isDrawing = true
    }
    if !data.isEmpty { path(data, style) }
  }

  /// Dots, drawn as very short lines with round ends.
  mutating func dots(_ points: [(x: Double, y: Double)], _ style: String) {
    guard !points.isEmpty else { return }
    path(points.map { "M\(n(across($0.x))) \(n(up($0.y)))h.01" }.joined(), style)
  }

  /// Crosses, which differ from dots even without colours.
  mutating func crosses(_ points: [(x: Double, y: Double)], _ style: String) {
    guard !points.isEmpty else { return }
    path(
      points.map { "M\(n(across($0.x) - 2.5)) \(n(up($0.y) - 2.5))l5 5m0-5l-5 5" }.joined(), style)
  }

  private mutating func path(_ data: String, _ style: String) {
    elements.append("<path class=\"\(style)\" d=\"\(data)\"/>")
  }

  /// A word in the upper or lower left corner, for example the meaning of the values there.
  mutating func corner(_ text: String, isAbove: Bool) {
    let place = isAbove ? top + 12 : bottom - 5
    elements.append(
      "<text class=\"note\" x=\"\(n(left + 5))\" y=\"\(n(place))\">\(Markup.escaped(text))</text>")
  }

  // MARK: The picture

  /// The plot as an SVG element.
  /// - Parameters:
  ///   - number: the number of the picture in its document, for unique ids.
  ///   - title: plain text, like the description.
  func svg(number: Int, title: String, description: String) -> String {
    var lines = [
      "<svg viewBox=\"0 0 \(n(Plot.width)) \(n(height))\" role=\"img\" aria-labelledby=\"t\(number)\" aria-describedby=\"d\(number)\">",
      "<title id=\"t\(number)\">\(Markup.escaped(title))</title>",
      "<desc id=\"d\(number)\">\(Markup.escaped(description, limit: 2_000))</desc>",
    ]
    for tick in y.ticks {
      let place = up(tick.value)
      lines.append("<path class=\"grid\" d=\"M\(n(left)) \(n(place))H\(n(right))\"/>")
      lines.append(
        "<text class=\"y\" x=\"\(n(left - 6))\" y=\"\(n(place + 4))\">\(Markup.escaped(tick.label))</text>")
    }
    lines += elements
    lines.append("<path class=\"axis\" d=\"M\(n(left)) \(n(bottom))H\(n(right))\"/>")
    for tick in x.ticks {
      // A centred last label would extend beyond the picture.
      let (place, last) = (across(tick.value), across(tick.value) > right - 14)
      lines.append("<path class=\"axis\" d=\"M\(n(place)) \(n(bottom))v4\"/>")
      lines.append(
        "<text class=\"\(last ? "xe" : "x")\" x=\"\(n(last ? right + 8 : place))\" y=\"\(n(bottom + 18))\">\(Markup.escaped(tick.label))</text>"
      )
    }
    lines.append("</svg>")
    return lines.joined(separator: "\n") + "\n"
  }

  private func n(_ value: Double) -> String { Markup.coordinate(value) }
}
