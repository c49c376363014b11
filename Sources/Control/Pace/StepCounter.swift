/// A runner's cadence by the times of the steps.
struct StepCounter {
  /// Steps that count: the mean of eight intervals.
  static let capacity = 9
  /// Seconds after which a runner has stopped.
  static let timeout = 2.0
  /// Seconds within which two messages are of one step: 400 steps a minute.
  static let bounce = 0.15

  private var times: [Double] = []

  /// Takes a step.
  /// - Parameter seconds: when it was made, by any clock that all steps share.
  /// - Returns: steps a minute; nil for the first.
  mutating func step(at seconds: Double) -> Double? {
    if let last = times.last {
      let interval = seconds - last
      if interval < 0 || interval > StepCounter.timeout {
        times = []
      } else if interval < StepCounter.bounce {
        return cadence
      }
    }
    times.append(seconds)
    if times.count > StepCounter.capacity { times.removeFirst() }
    return cadence
  }

  private var cadence: Double? {
    guard times.count > 1, let first = times.first, let last = times.last else { return nil }
    return 60 * Double(times.count - 1) / (last - first)
  }
}
