import Engine
import Foundation
import MusicTime
import Realtime
import Synchronization

@testable import Control
@testable import ControlBench
@testable import Sessions

/// A conductor and an engine in one thread, without a server: when `take` returns, the input has taken effect.
final class WholeProgram {
  static let sampleRate = 48_000
  private static let period = 512
  private static let clips = ClipSet(repeating: Clip([Float](repeating: 0.1, count: 100)))
  static let readSound: SoundReader = { name, _, _ in (name, clips) }
  static let speak: Speaker = { _, _, _ in clips[.cue] }

  private let channels = OwnedChannels()
  private let host = SimulatedHost(sampleRate: sampleRate)
  private let conductor: Conductor
  private var kernel: Kernel
  private var clock: ClockFrame = 0
  private var time = Instant(nanoseconds: 1_000_000_000_000)
  private let memory: UnsafeMutablePointer<Float>
  private let outputs: Outputs

  init(_ settings: Settings = Settings(), session: (setlist: Setlist, place: SessionPlace)? = nil) {
    var configuration = Conductor.Configuration(
      settings: settings, sampleRate: WholeProgram.sampleRate, readSound: WholeProgram.readSound,
      save: { _ in })
    configuration.speak = WholeProgram.speak
    configuration.session = session
    // The sound reader never throws.
    conductor = try! Conductor(configuration, channels: channels.pointer)
    kernel = conductor.makeKernel()
    let period = WholeProgram.period
    memory = .allocate(capacity: 5 * period)
    memory.initialize(repeating: 0, count: 5 * period)
    outputs = Outputs(
      out: memory, accent: memory + period, beat: memory + 2 * period, subdivision: memory + 3 * period,
      cue: memory + 4 * period)
    host.setClock(0, soundingAt: time)
    conductor.begin(host: host, at: time)
    take([Request(.host(.connected(sampleRate: WholeProgram.sampleRate)))])
  }

  deinit { memory.deallocate() }

  var settings: Settings { snapshot.settings }

  /// The snapshot at the end of the last turn.
  private(set) var snapshot = Snapshot(settings: Settings())

  /// Applies requests in one turn, and plays a period of what they make.
  func take(_ requests: [Request]) {
    // Enough time after the last turn that the score is published at once.
    time = time + ScorePublisher.interval
    let answer = Box(Mutex<Snapshot?>(nil))
    let query = Request(.query { snapshot in answer.value.withLock { $0 = snapshot } })
    conductor.updates.push(requests + [query])
    conductor.turn(conductor.updates.drain(until: .distantPast), at: time)
    if let now = answer.value.withLock({ $0 }) { snapshot = now }
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

  /// Saves the settings and reads them back: both must be equal.
  func checkReload() {
    var saved = settings
    // Mutes are not saved.
    for parameter in Parameters.all where parameter.savedAs.isEmpty {
      try! saved.set(Setting(parameter, parameter.standard))
    }
    InputFile.state.with(UnsafeBufferPointer(start: nil, count: 0)) { path in
      let file = StateFile(path: path)
      try! file.write(saved)
      guard case .settings(let read, _) = file.read() else { fatalError("saved settings can't be read") }
      precondition(read == saved, "settings that are read differ from those that were saved")
    }
  }

  /// Resets everything, so that an input has the same effects after any other.
  func reset() {
    // Changes that already have a frame take effect first.
    time = time + ScheduleLead.usual * 2
    take(.clearSchedule(all: true))
    take(.stop, .unlearn(nil), .reset)
  }
}
