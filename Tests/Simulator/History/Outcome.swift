/// The result of a run.
struct Outcome {
  /// The fault and its time; nil if there is none.
  var fault: Fault?
  /// Nanoseconds of simulated time.
  var time: UInt64 = 0
  var digest = Digest()
  var beats = 0
  /// Number of onsets judged by an exact grid, beats judged by the source of the time, and clips judged by their samples.
  var judged = 0
  /// Number of those onsets in bars that repeat.
  var looped = 0
  /// Number of pulses of layers judged exactly.
  var layered = 0
  var near = 0
  var ordered = 0
  /// Number of beats of a Link session that were judged to be played once.
  var linked = 0
  /// Number of beats after one of a document's count-in.
  var countIns = 0
  /// Number of turns in which a section was held.
  var holds = 0
  var starts = 0
  var clips = 0
  /// Number of pulses and notes that were judged.
  var pulses = 0
  var notes = 0
  /// Number of times that machines were started or placed and then judged.
  var places = 0
  /// Number of pre-rolls, of starts that must have one, of beats after moves, and of connections, that were judged.
  var preRolls = 0
  var countedStarts = 0
  var moved = 0
  var connections = 0
  var saves = 0
  var lives = 0
  /// The deeds of the history that happened.
  var deeds = 0
  var steps = 0
  /// The traced reports of the program, in words.
  var reports: [String] = []

  /// Adds the counts of another run.
  mutating func add(_ other: Outcome) {
    time += other.time
    for count in Outcome.counted { self[keyPath: count] += other[keyPath: count] }
  }

  private static var counted: [WritableKeyPath<Outcome, Int>] {
    [
      \.beats, \.judged, \.looped, \.layered, \.near, \.ordered, \.linked, \.countIns, \.holds, \.starts,
      \.clips,
      \.pulses,
      \.notes, \.places, \.preRolls, \.countedStarts, \.moved, \.connections, \.saves, \.lives,
      \.deeds,
      \.steps,
    ]
  }

  /// The deeds and judgements in words.
  var counts: String {
    "\(lives) lives, \(beats) onsets reported, \(judged) judged exactly, \(looped) of them in loops, \(layered) of layers, \(near) by who gives the time, "
      + "\(ordered) in order, \(linked) of Link in order, \(countIns) in count-ins, \(holds) turns with a held section, \(starts) dated starts, \(clips) clips, \(notes) notes, \(pulses) pulses, \(places) machine starts, \(preRolls) pre-rolls, \(countedStarts) starts that must have one, \(moved) beats after moves, \(connections) connections, \(saves) saves, \(steps) steps"
  }
}

/// A broken promise.
struct Fault: Error {
  /// Nanoseconds since the history began, and the number of the step.
  var time: UInt64 = 0
  var step = 0
  /// The broken promise.
  let promise: Promise
  let what: String

  enum Promise: String {
    case onsets = "each onset is within half a frame of its exact time"
    case midi = "clicks have their notes, and beats their pulses"
    case sound = "what sounds is what is reported, and clips are complete"
    case connections = "connections are kept and restored"
    case settings = "no setting is lost"
    case stateFile = "the state file can always be read"
    case reported = "what is pushed is what is answered"
    case bounds = "queues and memory are bounded"
    case progress = "the music goes on after every fault"
    case start = "the program starts"
  }
}
