import Realtime

/// Computes a runner's cadence from the times of the steps.
struct StepCounter {
  /// The number of steps in the mean: eight intervals.
  static let capacity = 9
  /// The time without a step after which the runner counts as stopped.
  static let timeout = Duration.seconds(2)
  /// Messages closer than this, in seconds, belong to one step: 400 steps per minute.
  static let bounce = 0.15

  private var times: [Double] = []

  /// Handles a step.
  /// - Parameter seconds: the time of the step, on any clock that all steps share.
  /// - Returns: steps per minute; nil for the first step.
  mutating func step(at seconds: Double) -> Double? {
    if let last = times.last {
      let interval = seconds - last
      if interval < 0 || interval > StepCounter.timeout.inSeconds {
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
