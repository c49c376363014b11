import MusicTime
import Realtime

/// A reading of the host's clock: which clock frame belongs to which instant, at the nominal sample rate.
///
/// The host's clock drifts against the monotonic clock, so a reading is valid only near its own instant. Readings are
/// values, so that decision code can receive one together with the current instant.
package struct HostClock: Equatable, Sendable {
  /// When the clock was read.
  package let instant: Instant
  /// The clock frame that is rendered at `instant`.
  package let frame: ClockFrame
  /// Frames per second.
  package let sampleRate: Int
  /// Frames from a sample in the `out` port to the speakers.
  package let latency: Int
  /// Frames of a cycle.
  package let period: Int

  package init(instant: Instant, frame: ClockFrame, sampleRate: Int, latency: Int = 0, period: Int = 0) {
    (self.instant, self.frame, self.sampleRate) = (instant, frame, sampleRate)
    (self.latency, self.period) = (latency, period)
  }

  /// The longest time from the start of the cycle that renders a sound until the sound leaves the speakers.
  package var delay: Duration { .nanoseconds(Int64(latency + period) * 1_000_000_000 / Int64(sampleRate)) }

  /// The clock frame whose sound leaves the speakers at an instant.
  package func frame(soundingAt instant: Instant) -> ClockFrame {
    let ahead = (instant - self.instant).inSeconds * Double(sampleRate)
    // Instants may come from other programs, and lie centuries ahead.
    return frame + (Int64(exactly: ahead.rounded()) ?? .max / 2) - Int64(latency)
  }

  /// The instant at which the sound of a clock frame leaves the speakers.
  package func soundingInstant(of frame: ClockFrame) -> Instant { instant(of: frame + Int64(latency)) }

  /// The instant at which a clock frame is rendered and its MIDI is read.
  package func instant(of frame: ClockFrame) -> Instant {
    let (seconds, rest) = (frame - self.frame).quotientAndRemainder(dividingBy: Int64(sampleRate))
    return instant + .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / Int64(sampleRate))
  }
}
