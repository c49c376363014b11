import MusicTime

/// A calibration in progress, by one of two methods.
enum Measurement: Equatable, Sendable {
  /// An input hears the click, with the player silent.
  case clicks(ClickCalibration)
  /// An input beside a pad hears the strokes for which an e-drum sends notes.
  case strokes(NoteCalibration)

  /// The source that is calibrated.
  var source: HitSource {
    switch self {
    case .clicks(let run): run.source
    case .strokes: .notes
    }
  }

  /// Whether it ends when time passes, without further clicks.
  var isWaiting: Bool {
    switch self {
    case .clicks(let run): run.left == 0
    case .strokes: true
    }
  }

  /// How many strokes are still needed; nil if the player must be silent.
  var strokesLeft: Int? {
    switch self {
    case .clicks: nil
    case .strokes(let run): run.left
    }
  }

  /// How many clicks have not been sent yet; nil if strokes are measured.
  var clicksLeft: Int? {
    switch self {
    case .clicks(let run): run.left
    case .strokes: nil
    }
  }

  /// The clock frame after which it is over; nil until the last click was sent.
  var end: ClockFrame? {
    switch self {
    case .clicks(let run): run.end
    case .strokes(let run): run.end
    }
  }

  /// - Parameter frame: the clock frame at which the click leaves the speakers.
  mutating func note(click frame: ClockFrame) {
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

/// Why a calibration has failed.
package enum CalibrationError: Error, Equatable, Sendable {
  /// Too few clicks were heard: their number.
  case heard(Int)
  /// The delays of the clicks scattered too much: their standard deviation in milliseconds.
  case spread(Double)
  /// Too many other sounds were heard: their number.
  case strange(Int)
  /// Too few notes arrived: their number.
  case notes(Int)
  /// The audio inputs heard too few strokes on the pad: the most that an input heard.
  case unheard(Int)
  /// The delays of the notes after their strokes scattered too much: their standard deviation in milliseconds.
  case uneven(Double)
  /// The input with this port heard the strokes, but is not calibrated itself.
  case uncalibrated(String)
}

extension CalibrationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .heard(let count):
      "\(count) of \(ClickCalibration.clicks) clicks came back: check what the input is connected to, turn the speaker or the microphone up, move them closer together, and try again"
    case .spread(let spread):
      "the delays of the clicks scatter by \(TimingWords.number(spread)) ms (at most \(TimingWords.number(ClickCalibration.widest))): move the microphone closer to the speaker, and try again"
    case .strange(let count):
      "\(count) other sounds were heard: keep silent while the clicks sound, and try again"
    case .notes(let count):
      "\(count) of \(NoteCalibration.strokes) notes arrived in half a minute: connect the e-drum to the port hits, hit one pad \(NoteCalibration.strokes) times, and try again"
    case .unheard(let count):
      "\(count) of \(NoteCalibration.strokes) strokes were heard: put the microphone or trigger at the pad, turn its gain up, and try again"
    case .uneven(let spread):
      "the delays of the notes after their strokes scatter by \(TimingWords.number(spread)) ms (at most \(TimingWords.number(ClickCalibration.widest))): hit one pad, with the microphone beside it and no other sound, and try again"
    case .uncalibrated(let port):
      "\(port) heard the strokes, but is not calibrated: calibrate it with the click first, and try again"
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
