/// What a run led to.
struct Outcome {
  /// What was wrong, and when; nil if nothing was.
  var fault: Fault?
  /// Nanoseconds that passed.
  var time: UInt64 = 0
  var digest = Digest()
  var beats = 0
  /// Onsets that were judged by an exact grid, beats that were judged by whoever gives the time, and clips by their samples.
  var judged = 0
  /// Of the former, onsets of bars that repeat.
  var looped = 0
  /// Pulses of layers that were judged exactly.
  var layered = 0
  var near = 0
  var ordered = 0
  /// Beats of a Link session that were judged to be played once.
  var linked = 0
  var starts = 0
  var clips = 0
  /// Pulses and notes that were judged.
  var pulses = 0
  var notes = 0
  /// Pre-rolls, and connections, that were judged.
  var preRolls = 0
  var connections = 0
  var saves = 0
  var lives = 0
  /// Deeds of the history that happened.
  var deeds = 0
  var steps = 0

  /// Adds the counts of another run.
  mutating func add(_ other: Outcome) {
    time += other.time
    for count in Outcome.counted { self[keyPath: count] += other[keyPath: count] }
  }

  private static var counted: [WritableKeyPath<Outcome, Int>] {
    [
      \.beats, \.judged, \.looped, \.layered, \.near, \.ordered, \.linked, \.starts, \.clips, \.pulses,
      \.notes, \.preRolls, \.connections, \.saves, \.lives,
      \.deeds,
      \.steps,
    ]
  }

  /// What was done and judged, in words.
  var counts: String {
    "\(lives) lives, \(beats) onsets told, \(judged) judged exactly, \(looped) of them in loops, \(layered) of layers, \(near) by who gives the time, "
      + "\(ordered) in order, \(linked) of Link in order, \(starts) dated starts, \(clips) clips, \(notes) notes, \(pulses) pulses, \(preRolls) pre-rolls, \(connections) connections, \(saves) saves, \(steps) steps"
  }
}

/// What was found wrong.
struct Fault: Error {
  /// Nanoseconds since the history began, and the number of the step.
  var time: UInt64 = 0
  var step = 0
  /// Which promise is broken.
  let promise: Promise
  let what: String

  enum Promise: String {
    case onsets = "each onset is within half a frame of its exact time"
    case midi = "clicks have their notes, and beats their pulses"
    case sound = "what sounds is what is told, and clips are complete"
    case connections = "connections are kept and restored"
    case settings = "no setting is lost"
    case stateFile = "the state file can always be read"
    case told = "what is pushed is what is answered"
    case bounds = "queues and memory are bounded"
    case progress = "the music goes on after every fault"
    case start = "the program starts"
  }
}
