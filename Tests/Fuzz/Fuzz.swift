import Engine
import Foundation
import MusicTime
import Realtime

@testable import Control
@testable import MIDI
@testable import OSC
@testable import OSCControl
@testable import PracticeLog
@testable import Sessions
@testable import Sound
@testable import TimeCheck

/// The readers of external bytes; libFuzzer generates the input of each.
enum Target: String, CaseIterable {
  case osc, midi, document, map, foreign, state, audio, log, listen, web
  /// The same bytes pass through the whole program, which handles, plays, saves and reads them back.
  case oscWhole = "osc-whole"
  case documentWhole = "document-whole"
  case stateWhole = "state-whole"

  /// The target that FUZZ_TARGET names.
  static let chosen: Target = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = Target(rawValue: name) else {
      fatalError("FUZZ_TARGET \(name): must be one of \(allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
  }()

  /// A snapshot with all ready-made maps at once.
  private static let bound: Snapshot = {
    var snapshot = Snapshot(settings: Settings())
    for map in MIDIMap.allCases { for binding in map.bindings { try? snapshot.settings.bind(binding) } }
    return snapshot
  }()

  func read(_ bytes: UnsafeBufferPointer<UInt8>) {
    switch self {
    case .osc: readDatagram(Array(bytes))
    case .midi: readMIDI(bytes)
    case .document: InputFile.document.with(bytes) { _ = try? SessionLoader(sounds: ["sine"]).load($0) }
    case .map: InputFile.map.with(bytes) { _ = try? SessionLoader().load($0) }
    case .foreign:
      guard let map = try? ImportedMap.map(Array(bytes), file: "song") else { return }
      for isExact in [false, true] {
        guard let plan = try? ImportedMap(map, isExact: isExact).session.plan() else { continue }
        // A file of some bytes may have a million beats, each with a tempo of its own.
        let tempos = plan.plans.reduce(0) {
          if case .beats(let tempos) = $1.tempo { $0 + tempos.count } else { $0 }
        }
        if tempos < 10_000 { _ = try? TempoMapFile(plan) }
      }
    case .state:
      InputFile.state.with(bytes) { path in
        switch StateFile(path: path).read() {
        case .damaged(_, let copy?), .partial(_, _, let copy?): unlink(copy)
        default: break
        }
      }
    case .audio: InputFile.audio.with(bytes) { _ = try? SampleReader(path: $0).samples(sampleRate: 48_000) }
    case .log:
      let number = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
      InputFile.log.with(bytes) { readLog($0, number: number) }
    case .listen:
      var listening = ListeningFuzz(bytes)
      listening.play(bytes)
    case .web: WebConnection.read(bytes)
    case .oscWhole: handleDatagram(Array(bytes))
    case .documentWhole: InputFile.either.with(bytes) { playDocument($0) }
    case .stateWhole: InputFile.state.with(bytes) { startFromState($0) }
    }
  }

  private func readDatagram(_ bytes: [UInt8]) {
    guard let messages = try? OSCDatagram(bytes).messages else { return }
    let exchange = Target.exchange()
    for message in messages {
      for endpoint in (try? AddressSpace.endpoints(for: message, exchange)) ?? [] {
        let arguments = OSCArguments(name: endpoint.name, arguments: message.arguments)
        switch endpoint.action {
        case .set(let update), .order(let update):
          if (try? arguments.require(endpoint.counts, as: endpoint.types)) != nil {
            _ = try? update(arguments)
          }
        case .call(let update): _ = try? update(arguments)
        default: break
        }
      }
    }
  }

  /// Reads a practice log as reports and exports do, and writes into it.
  ///
  /// A file whose first page is not a log's is moved aside and replaced by a new log. This is always the same and costs several times as
  /// much as everything else: so only one in sixteen of these files is written into.
  private func readLog(_ path: String, number: UInt32) {
    let file = LogFile(path: path)
    defer {
      for name in ["", ".damaged", ".damaged-2"] {
        for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + name + ending) }
      }
    }
    var (page, export) = (TextBuffer(), TextBuffer())
    if let database = try? LogDatabase(file, for: .reading) {
      _ = try? ReportPage(zone: .utc, range: "all takes").write(database, LogFilter(), to: &page)
      _ = try? LogExport(.json, zone: .utc, hasHits: true).write(database, LogFilter(), to: &export)
      _ = try? LogExport(.csv, zone: .utc, hasHits: true).write(database, LogFilter(), to: &export)
    } else if number >> 8 & 15 != 0 {
      return
    }
    let logger = TakeLogger(file, isOn: true) { _ in }
    let take = LoggedTake(
      began: 0, seconds: 1, music: Music(), section: "", tempo: nil, sampleRate: 48_000, isCalibrated: true,
      hits: 1, mean: 0)
    let hits = [LoggedHit(frame: 0, milliseconds: 0, bar: 1, place: Place(beat: 1))]
    logger.keep(take, hits)
    let (kept, lost) = logger.finish(within: .seconds(10))
    guard lost > 0 else {
      precondition(kept.takes == 1)
      return
    }
    // A damaged file is moved aside. Only a file of another program or of a newer Tactus stays, and the take is refused.
    do {
      try LogDatabase(file, for: .keeping).keep(take, hits)
      preconditionFailure("a take was lost that can be kept")
    } catch {
      let kind = (error as? LogError)?.kind
      precondition(kind == .newer || kind == .unusable, "a take was lost: \(error)")
    }
  }

  /// An exchange for one datagram, whose errors are discarded.
  private static func exchange() -> OSCExchange {
    OSCExchange(with: .anonymous, owner: "", at: 0) { _, _, _ in }
  }

  // libFuzzer calls from one thread only.
  private nonisolated(unsafe) static let program = WholeProgram()

  private func handleDatagram(_ bytes: [UInt8]) {
    guard let messages = try? OSCDatagram(bytes).messages else { return }
    let program = Target.program
    let exchange = Target.exchange()
    let requests = messages.flatMap { message in
      ((try? AddressSpace.endpoints(for: message, exchange)) ?? []).compactMap { endpoint -> Request? in
        let arguments = OSCArguments(name: endpoint.name, arguments: message.arguments)
        let time = message.time.map { Instant(onWallClock: $0.unixNanoseconds) }
        switch endpoint.action {
        case .set(let update), .order(let update):
          guard (try? arguments.require(endpoint.counts, as: endpoint.types)) != nil,
            let update = try? update(arguments)
          else { return nil }
          return Request(.update(update), at: time)
        case .call(let update):
          return (try? update(arguments)).flatMap { $0 }.map { Request(.update($0), at: time) }
        case .trigger(let update): return Request(.update(update), at: time)
        case .list(let rows): return Request(.query { _ = rows($0, .now) })
        default: return Request(.query { snapshot in _ = endpoint.value?(snapshot) })
        }
      }
    }
    guard !requests.isEmpty else { return }
    let before = program.settings
    program.take(requests)
    program.take([])
    if program.settings != before { program.checkReload() }
    program.reset()
  }

  /// Plays the start of a document's first songs, steps through it, and renders it.
  private func playDocument(_ path: String) {
    guard let setlist = try? SessionLoader(sounds: ["sine"]).load(path) else { return }
    let last = SessionPlace(path: path, song: .max, section: .max, step: .max, bar: .max, lap: .max)
    let program = WholeProgram(session: (setlist, last))
    program.take(.start)
    program.render(periods: 8)
    program.take(.go(.section(1)), .hold(true), .speed(percent: 10))
    program.render(periods: 8)
    program.take(.hold(false), .loop(.mark), .loop(.mark), .go(.next), .speed(percent: 400))
    program.render(periods: 8)
    program.take(.go(.previousSong), .set(.role(.lead)), .locate(Position(bar: 1_000_000, beat: 1)))
    program.render(periods: 8)
    program.checkReload()
    for song in setlist.songs.prefix(2).map(\.song) {
      // Songs of more than 10 000 seconds are not written, to bound the time.
      if let seconds = song.seconds, seconds < 10_000 { _ = (try? TempoMapFile(song))?.bytes }
      let prepared = PreparedSong(
        song, sampleRate: WholeProgram.sampleRate, readSound: WholeProgram.readSound,
        speak: WholeProgram.speak)
      let score = prepared.score(gains: Gains())
      var renderer = OfflineRenderer(score, until: min(score.pointee.endFrame ?? .max, 48_000))
      while renderer.next() != nil {}
      withExtendedLifetime(prepared) {}
    }
  }

  /// Starts with a state file as `play` does, and ends as it does.
  private func startFromState(_ path: String) {
    let outcome = StateFile(path: path).read()
    switch outcome {
    case .none: break
    case .damaged(_, let aside): if let aside { unlink(aside) }
    case .settings(let settings, _), .partial(let settings, _, _):
      if case .partial(_, _, let copy?) = outcome { unlink(copy) }
      let program = WholeProgram(settings)
      program.take(.start)
      program.checkReload()
    }
  }

  /// Messages of one to three bytes, each a millisecond or more after the last.
  private func readMIDI(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    var clock = MIDIClockFollower(sampleRate: 48_000)
    var surface = ControlSurface()
    var now = Target.bound
    var (place, frame) = (0, Int64(0))
    while place < bytes.count {
      let count = min(1 + Int(bytes[place] & 3), bytes.count - place)
      frame += 48 + Int64(bytes[place] >> 2) * 100
      if let message = MIDIMessage(base + place, count: count) {
        clock.take(message, at: ClockFrame(frame))
        for move in surface.handle(message, at: Instant(nanoseconds: UInt64(frame) * 20_833), now) {
          if case .set(let setting) = move.update { try? now.settings.set(setting) }
        }
        precondition(clock.quarters(at: ClockFrame(frame)).isFinite && clock.framesPerQuarter > 0)
      }
      place += max(count, 1)
    }
  }
}

/// A file in memory for inputs.
struct InputFile {
  static let document = InputFile("yaml")
  static let map = InputFile("klick")
  /// A session or a klick map, as its first line says.
  static let either = InputFile("song")
  static let state = InputFile("state")
  static let audio = InputFile("wav")
  static let log = InputFile("sqlite")

  private let path: String

  private init(_ ending: String) { path = "/dev/shm/tactus-fuzz-\(getpid()).\(ending)" }

  func with(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (String) -> Void) {
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    precondition(file >= 0 && write(file, bytes.baseAddress, bytes.count) == bytes.count)
    close(file)
    body(path)
    unlink(path)
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  Target.chosen.read(UnsafeBufferPointer(start: bytes, count: count))
  return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The name that SwiftPM gives to an executable's `main`.
@_cdecl("Fuzz_main")
public func main(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  var (count, arguments) = (count, arguments)
  return runDriver(&count, &arguments, fuzz)
}
