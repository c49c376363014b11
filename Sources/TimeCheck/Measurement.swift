/// A calibration that is under way, by one of two methods.
enum Measurement: Equatable, Sendable {
  /// An input hears the click, with the player silent.
  case clicks(CalibrationRun)
  /// An input beside a pad hears the strokes of which an e-drum sends notes.
  case strokes(StrokeRun)

  /// What is measured.
  var source: HitSource {
    switch self {
    case .clicks(let run): run.source
    case .strokes: .notes
    }
  }

  /// Whether time alone brings it to its end.
  var isWaiting: Bool {
    switch self {
    case .clicks(let run): run.left == 0
    case .strokes: true
    }
  }

  /// How many strokes it waits for; nil if it asks for silence.
  var strokesLeft: Int? {
    switch self {
    case .clicks: nil
    case .strokes(let run): run.left
    }
  }

  /// How many clicks are still to be sent; nil if it hears strokes.
  var clicksLeft: Int? {
    switch self {
    case .clicks(let run): run.left
    case .strokes: nil
    }
  }

  /// The clock frame after which it is over; nil if that is not known.
  var end: Int64? {
    switch self {
    case .clicks(let run): run.end
    case .strokes(let run): run.end
    }
  }

  /// - Parameter frame: the clock frame at which the click leaves the speakers.
  mutating func note(click frame: Int64) {
    guard case .clicks(var run) = self else { return }
    run.note(click: frame)
    self = .clicks(run)
  }

  mutating func note(_ hit: Hit) {
    switch self {
    case .clicks(var run):
      run.note(hit)
      self = .clicks(run)
    case .strokes(var run):
      run.note(hit)
      self = .strokes(run)
    }
  }
}

/// Why nothing was measured.
package enum CalibrationError: Error, Equatable, Sendable {
  /// So few clicks came back.
  case heard(Int)
  /// They came back so far apart, in milliseconds.
  case spread(Double)
  /// So many other sounds were heard.
  case strange(Int)
  /// So few notes of a pad came.
  case notes(Int)
  /// So few strokes on a pad were heard.
  case unheard(Int)
  /// The notes came after their strokes so unevenly, in milliseconds.
  case uneven(Double)
  /// The input of this port, which heard the strokes, is not calibrated itself.
  case uncalibrated(String)
}

extension CalibrationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .heard(let count):
      "\(count) of \(CalibrationRun.clicks) clicks came back: see what the input is connected to, turn the speaker or the microphone up, bring them together, and try again"
    case .spread(let spread):
      "the clicks came back \(TimingWords.number(spread)) ms apart from each other: bring the microphone to the speaker, and try again"
    case .strange(let count):
      "\(count) other sounds were heard: keep silent while the clicks sound, and try again"
    case .notes(let count):
      "\(count) of \(StrokeRun.strokes) notes came in half a minute: connect the e-drum to hits, hit one pad \(StrokeRun.strokes) times, and try again"
    case .unheard(let count):
      "\(count) of \(StrokeRun.strokes) strokes were heard: put the microphone or trigger to the pad, turn its gain up, and try again"
    case .uneven(let spread):
      "the notes came \(TimingWords.number(spread)) ms apart from their strokes: hit one pad, with the microphone beside it and nothing else sounding, and try again"
    case .uncalibrated(let port):
      "\(port), which heard the strokes, is not calibrated: calibrate it by the click first, and try again"
    }
  }
}

/// The median of some values, and their standard deviation around it.
struct Middle {
  let median: Double
  let spread: Double

  /// - Parameter values: at least two.
  init(of values: [Double]) {
    let sorted = values.sorted()
    let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    self.median = median
    let squares = values.reduce(0) { $0 + ($1 - median) * ($1 - median) }
    spread = (squares / Double(values.count - 1)).squareRoot()
  }
}
