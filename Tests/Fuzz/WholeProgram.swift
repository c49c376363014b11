import Engine
import Foundation
import MusicTime

@testable import Control
@testable import ControlBench
@testable import Sessions

/// A conductor and an engine in one thread, without a server: what an input does is done when `take` returns.
final class WholeProgram {
  static let sampleRate = 48_000
  private static let period = 512
  private static let clips = ClipSet(repeating: Clip([Float](repeating: 0.1, count: 100)))
  static let readSound: SoundReader = { name, _ in (name, clips) }
  static let speak: Speaker = { _, _, _ in clips.cue }

  private let updates = UpdateQueue()
  private let channels = OwnedChannels()
  private let host = SimulatedHost(sampleRate: sampleRate)
  private let state: ConductorCore
  private var kernel: Kernel
  private var clock: Int64 = 0
  private let memory: UnsafeMutablePointer<Float>
  private let outputs: Outputs

  init(_ settings: Settings = Settings(), session: (setlist: Setlist, place: SessionPlace)? = nil) {
    var configuration = Conductor.Configuration(
      settings: settings, sampleRate: WholeProgram.sampleRate, readSound: WholeProgram.readSound,
      save: { _ in })
    configuration.speak = WholeProgram.speak
    configuration.session = session
    // The sound reader never throws.
    state = try! ConductorCore(configuration, channels: channels.pointer, updates: updates)
    kernel = state.makeKernel()
    let period = WholeProgram.period
    memory = .allocate(capacity: 5 * period)
    memory.initialize(repeating: 0, count: 5 * period)
    outputs = Outputs(
      out: memory, accent: memory + period, beat: memory + 2 * period, subdivision: memory + 3 * period,
      cue: memory + 4 * period)
    host.setClock(0, soundingAt: Monotonic.now)
    state.begin(host: host, at: Monotonic.now) { _ in }
    take([Request(.host(.connected(sampleRate: WholeProgram.sampleRate)))])
  }

  deinit { memory.deallocate() }

  var settings: Settings { state.now.settings }

  var snapshot: Snapshot { state.now }

  /// Applies requests in one turn, and plays a period of what they make.
  func take(_ requests: [Request]) {
    updates.push(requests)
    let (requests, refused) = updates.drain(until: 0)
    state.turn(requests, refused: refused, at: Monotonic.now)
    if state.needsScore { state.publish() }
    render(periods: 1)
    host.forgetCalls()
  }

  func take(_ contents: Update...) { take(contents.map { Request(.update($0)) }) }

  func render(periods: Int) {
    for _ in 0..<periods {
      kernel.render(Cycle(clock: clock, frames: WholeProgram.period), into: outputs)
      clock += Int64(WholeProgram.period)
    }
  }

  /// Saves the settings and reads them back: they must be those that were saved.
  func checkReload() {
    var saved = settings
    // Muting is the one setting that is not saved.
    try! saved.set(.mute(false))
    InputFile.state.with(UnsafeBufferPointer(start: nil, count: 0)) { path in
      let file = StateFile(path: path)
      try! file.write(saved)
      guard case .settings(let read) = file.read() else { fatalError("saved settings can't be read") }
      precondition(read == saved, "settings that are read differ from those that were saved")
    }
  }

  /// Puts everything back, so that an input does the same whatever came before.
  func reset() {
    updates.push([Request(.update(.stop)), Request(.update(.unlearn(nil))), Request(.update(.reset))])
    take([])
    state.now.settings = Settings()
    state.scheduled = ScheduledChanges()
    state.needsScore = true
  }
}
