import Foundation

/// A part of a plot: curves over the same axes.
struct Panel: Codable {
  struct Axis: Codable {
    enum Scale: String, Codable {
      case linear, logarithmic
      /// Linear within ±1, logarithmic beyond.
      case signed
    }

    var label: String
    var scale: Scale = .linear

    func place(_ value: Double) -> Double {
      switch scale {
      case .linear: value
      case .logarithmic: log10(max(value, 1e-9))
      case .signed: abs(value) <= 1 ? value : (value < 0 ? -1 : 1) * (1 + log10(abs(value)))
      }
    }

    /// Where lines are drawn between two values.
    func ticks(_ low: Double, _ high: Double) -> [Double] {
      let powers = (-9...9).map { pow(10, Double($0)) }
      switch scale {
      case .logarithmic: return powers.filter { $0 >= low && $0 <= high }
      case .signed:
        let large = powers.filter { $0 >= 1 }
        return (large.map { -$0 } + [-0.5, 0, 0.5] + large).filter { $0 >= low && $0 <= high }
      case .linear:
        let rough = max(high - low, 1e-12) / 6
        let power = pow(10, floor(log10(rough)))
        let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough } ?? rough
        return stride(from: (low / step).rounded(.up) * step, through: high, by: step).map { $0 }
      }
    }
  }

  struct Series: Codable {
    var name: String
    var points: [[Double]]
  }

  var title: String
  var x: Axis
  var y: Axis
  var series: [Series]
}

/// Panels one below the other, as SVG.
struct Plot {
  let title: String
  let panels: [Panel]

  private static let colours = ["#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#7f7f7f"]
  private let width = 960.0
  private let height = 300.0
  private let left = 80.0
  private let right = 220.0
  private let top = 50.0

  var svg: String {
    let total = top + Double(panels.count) * height
    let parts = panels.enumerated().map { panel($1, above: top + Double($0) * height) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(total)" font-family="sans-serif" font-size="12">
      <rect width="\(width)" height="\(total)" fill="white"/>
      \(text(width / 2, 24, title, "middle", size: 17))
      \(parts.joined(separator: "\n"))
      </svg>

      """
  }

  private func panel(_ panel: Panel, above y: Double) -> String {
    let points = panel.series.flatMap(\.points)
    guard let first = points.first else { return "" }
    let box = (left: left, right: width - right, top: y + 30, bottom: y + height - 50)
    let xs = range(points.map { $0[0] }, panel.x, or: first[0])
    let ys = range(points.map { $0[1] }, panel.y, or: first[1])
    func across(_ value: Double) -> Double {
      box.left + (panel.x.place(value) - panel.x.place(xs.low))
        / (panel.x.place(xs.high) - panel.x.place(xs.low))
        * (box.right - box.left)
    }
    func up(_ value: Double) -> Double {
      box.bottom - (panel.y.place(value) - panel.y.place(ys.low))
        / (panel.y.place(ys.high) - panel.y.place(ys.low))
        * (box.bottom - box.top)
    }
    var lines = [
      text((box.left + box.right) / 2, y + 20, panel.title, "middle", size: 14),
      text((box.left + box.right) / 2, box.bottom + 38, panel.x.label, "middle"),
      "<g transform=\"translate(16 \((box.top + box.bottom) / 2)) rotate(-90)\">\(text(0, 0, panel.y.label, "middle"))</g>",
    ]
    for tick in panel.x.ticks(xs.low, xs.high) {
      lines.append(line(across(tick), box.top, across(tick), box.bottom))
      lines.append(text(across(tick), box.bottom + 18, shown(tick), "middle"))
    }
    for tick in panel.y.ticks(ys.low, ys.high) {
      lines.append(line(box.left, up(tick), box.right, up(tick)))
      lines.append(text(box.left - 6, up(tick) + 4, shown(tick), "end"))
    }
    for (index, series) in panel.series.enumerated() {
      let colour = Plot.colours[index % Plot.colours.count]
      let path = series.points.map { String(format: "%.1f,%.1f", across($0[0]), up($0[1])) }.joined(
        separator: " ")
      lines.append("<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.5\"/>")
      let row = box.top + 14 + Double(index) * 18
      lines.append(
        "<rect x=\"\(box.right + 14)\" y=\"\(row - 9)\" width=\"12\" height=\"10\" fill=\"\(colour)\"/>")
      lines.append(text(box.right + 32, row, series.name, "start"))
    }
    return lines.joined(separator: "\n")
  }

  private func range(_ values: [Double], _ axis: Panel.Axis, or only: Double) -> (low: Double, high: Double) {
    let (low, high) = (values.min() ?? only, values.max() ?? only)
    switch axis.scale {
    case .linear: return low < high ? (min(low, 0), high) : (min(0, low), max(high, low + 1))
    case .signed: return (min(low, -1), max(high, 1))
    case .logarithmic:
      let (floor, ceiling) = (
        pow(10, log10(max(low, 1e-9)).rounded(.down)), pow(10, log10(max(high, 1e-9)).rounded(.up))
      )
      return floor < ceiling ? (floor, ceiling) : (floor, floor * 10)
    }
  }

  private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" stroke=\"#ddd\"/>"
  }

  private func text(_ x: Double, _ y: Double, _ words: String, _ anchor: String, size: Int = 12) -> String {
    let safe = words.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\" font-size=\"\(size)\">\(safe)</text>"
  }
}
