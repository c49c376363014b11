import MIDI
import MusicTime

/// The five audio buffers of a period (the mix and one for each role), those of the layers that have one, and its MIDI.
///
/// A role's buffer contains its clips at the role's volume, and a layer's its own; the mix is their sum at the master volume.
package struct Outputs: BitwiseCopyable {
  /// The mix.
  package let out: UnsafeMutablePointer<Float>
  /// The buffer of each role.
  package let buses: PerRole<UnsafeMutablePointer<Float>>
  /// The buffers of the first layers; empty if no layer has its own.
  package let layers: UnsafeBufferPointer<UnsafeMutablePointer<Float>>
  /// Buffers for the MIDI clock and for the clicks as notes; nil if not needed.
  package let clock: MIDIBuffer?
  package let notes: MIDIBuffer?
  /// Buffers for the clock as voltage; nil if not needed.
  package let pulses: Pulses?
  /// Buffers for timecode; nil if not needed.
  package let timecode: Timecode?

  /// Timecode as MIDI and as a signal.
  package struct Timecode: BitwiseCopyable {
    /// MIDI timecode.
    package let messages: MTCBuffer
    /// Linear timecode, with room for the frames of a period.
    package let linear: UnsafeMutablePointer<Float>

    /// - Thread: any, audio
    @_noLocks
    package init(messages: MTCBuffer, linear: UnsafeMutablePointer<Float>) {
      (self.messages, self.linear) = (messages, linear)
    }

    @_noLocks
    func clear(_ frames: Int) {
      messages.clear()
      Engine.clear(linear, count: frames)
    }
  }

  /// The clock as voltage.
  package struct Pulses: BitwiseCopyable {
    /// The pulses of the clock.
    package let pulse: UnsafeMutablePointer<Float>
    /// High while the music plays.
    package let run: UnsafeMutablePointer<Float>
    /// A pulse where the connected machines restart.
    package let reset: UnsafeMutablePointer<Float>

    /// - Thread: any, audio
    @_noLocks
    package init(
      pulse: UnsafeMutablePointer<Float>, run: UnsafeMutablePointer<Float>, reset: UnsafeMutablePointer<Float>
    ) {
      (self.pulse, self.run, self.reset) = (pulse, run, reset)
    }

    @_noLocks
    func clear(_ frames: Int) {
      Engine.clear(pulse, count: frames)
      Engine.clear(run, count: frames)
      Engine.clear(reset, count: frames)
    }
  }

  /// - Thread: any, audio
  @_noLocks
  @inlinable
  package init(
    out: UnsafeMutablePointer<Float>, accent: UnsafeMutablePointer<Float>, beat: UnsafeMutablePointer<Float>,
    subdivision: UnsafeMutablePointer<Float>, cue: UnsafeMutablePointer<Float>,
    layers: UnsafeBufferPointer<UnsafeMutablePointer<Float>> = .init(start: nil, count: 0),
    clock: MIDIBuffer? = nil, notes: MIDIBuffer? = nil, pulses: Pulses? = nil,
    timecode: Timecode? = nil
  ) {
    self.out = out
    buses = PerRole(accent: accent, beat: beat, subdivision: subdivision, cue: cue)
    self.layers = layers
    self.clock = clock
    self.notes = notes
    self.pulses = pulses
    self.timecode = timecode
  }

  @_noLocks
  @inline(__always)
  func clear(_ frames: Int) {
    Engine.clear(out, count: frames)
    Engine.clear(buses.accent, count: frames)
    Engine.clear(buses.beat, count: frames)
    Engine.clear(buses.subdivision, count: frames)
    Engine.clear(buses.cue, count: frames)
    for layer in layers { Engine.clear(layer, count: frames) }
    clock?.clear()
    notes?.clear()
    pulses?.clear(frames)
    timecode?.clear(frames)
  }
}
