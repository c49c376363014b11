import Engine
import MIDI
import MusicTime

/// A kernel without a device, in periods of 64 frames.
struct EngineRig: ~Copyable {
  static let period = 64

  private let owned = OwnedChannels()
  private var kernel: Kernel
  private let memory: UnsafeMutablePointer<Float>
  private let outputs: Outputs
  private let clips: ClipSet
  private(set) var clock: ClockFrame = 0

  /// - Parameters:
  ///   - score: the rig takes ownership; `clips` are the score's clips.
  ///   - sendsMIDI: whether the rig has the ports for clock and notes.
  init(_ score: UnsafePointer<Score>, clips: ClipSet, sendsMIDI: Bool = false) {
    kernel = Kernel(owned.pointer, ScoreUpdate.make(change: score))
    self.clips = clips
    let size = EngineRig.period
    memory = .allocate(capacity: 5 * size)
    outputs = Outputs(
      out: memory, accent: memory + size, beat: memory + 2 * size, subdivision: memory + 3 * size,
      cue: memory + 4 * size, clock: sendsMIDI ? MIDIBuffer() : nil, notes: sendsMIDI ? MIDIBuffer() : nil)
  }

  deinit { memory.deallocate() }

  /// Renders periods; returns how many clicks began.
  @discardableResult
  mutating func render(
    _ periods: Int = 1, frames: Int = period, _ transport: Cycle.Transport = Cycle.Transport()
  )
    -> Int
  {
    var begun = 0
    for _ in 0..<periods {
      kernel.render(Cycle(clock: clock, frames: frames, transport: transport), into: outputs)
      clock += Int64(frames)
      while let event = owned.pointer.pointee.events.pop() {
        if case .beat = event { begun += 1 }
      }
    }
    return begun
  }

  func command(_ action: Command.Action) { _ = owned.pointer.pointee.commands.push(Command(action)) }
}
