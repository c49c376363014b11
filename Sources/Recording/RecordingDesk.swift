import Engine
import MusicTime
import Sound

/// Writes captured audio into files while the music plays. `Recorder` runs it on a thread of its own.
struct RecordingDesk {
  /// How much is recorded before the music starts and after it has stopped, in seconds.
  static let (before, after) = (0.5, 1.0)
  /// How many of the last files `Recorder.place` can find.
  private static let mostEntries = 16

  /// What other threads have asked to record.
  struct Request: Equatable, Sendable {
    /// The number of the music's start; nil if nothing is recorded. Another start begins a new file, because the desk may not
    /// have seen the pause between them.
    var start: Int?
    /// The title of the music. Another title begins a new file.
    var title = ""
    /// The calibration offsets of the inputs in milliseconds, by their indices.
    var offsets: [Int: Double] = [:]
  }

  /// A file and its frames on the common time axis (`TrackAligner`).
  struct Entry: Sendable {
    let path: String
    /// The frame of the file's start.
    let begin: ClockFrame
    let sampleRate: Int
    /// How many frames were written.
    var written = 0
    /// Frames without captured audio, from the file's start.
    var gaps: [Range<Int>] = []
    var isOpen = true
  }

  private struct Period {
    let block: Capture.Block
    let samples: [[Float]]
  }

  private let capture: UnsafePointer<Capture>
  private let folder: String
  private let channels: [String]
  /// Milliseconds since the Unix epoch.
  private let now: () -> Int64
  private(set) var entries: [Entry] = []
  private var request = Request()
  private var file: RecordingFile?
  private var aligner: TrackAligner?
  /// The clock frame at which the open file ends; nil while the music plays, and without a file.
  private var end: ClockFrame?
  /// The clock frame at which the desk looks again whether the open file still exists.
  private var nextCheck = ClockFrame(0)
  /// Whether this request's file has failed: the next attempt is with the next request.
  private var hasFailed = false
  /// The last periods, the oldest first.
  private var recent: [Period] = []
  /// The capture's count of lost frames at the last pass.
  private var lost: Int

  init(
    _ capture: UnsafePointer<Capture>, folder: String, inputs: [String], now: @escaping () -> Int64
  ) {
    (self.capture, self.folder, self.now) = (capture, folder, now)
    channels = ["click"] + inputs
    lost = capture.pointee.lostFrames.load(ordering: .relaxed)
  }

  /// How many files were begun, without those that somebody has deleted.
  private(set) var files = 0

  /// Processes everything that was captured since the last pass.
  /// - Returns: problems, as sentences for the user.
  mutating func pass(_ request: Request) -> [String] {
    var problems: [String] = []
    let isNew =
      request.start != nil && (request.start != self.request.start || request.title != self.request.title)
    let isOver = request.start == nil && self.request.start != nil
    self.request = request
    if isNew {
      close(&problems)
      hasFailed = false
    }
    while let block = capture.pointee.takeBlock() {
      var samples = [[Float]](repeating: [], count: channels.count)
      for track in channels.indices {
        // The click is the capture's last input and the file's first channel.
        let input = track == 0 ? channels.count - 1 : track - 1
        capture.pointee.read(block, input: input, into: &samples[track])
      }
      capture.pointee.release(block)
      take(Period(block: block, samples: samples), &problems)
    }
    // Without a file nothing ends: the end would cut the next take.
    if isOver, file != nil, let last = recent.last?.block {
      end = last.clock + Int64(RecordingDesk.after * Double(last.sampleRate))
    }
    if let last = recent.last?.block, last.clock >= nextCheck {
      nextCheck = last.clock + Int64(last.sampleRate)
      giveUpIfDeleted(&problems)
    }
    reportLosses(&problems)
    return problems
  }

  /// Completes the open file.
  /// - Returns: problems, as sentences for the user.
  mutating func finish() -> [String] {
    var problems: [String] = []
    close(&problems)
    return problems
  }

  private mutating func take(_ period: Period, _ problems: inout [String]) {
    if let aligner, !aligner.continues(period.block) { close(&problems) }
    recent.append(period)
    let kept = Int64(RecordingDesk.before * Double(period.block.sampleRate))
    while let first = recent.first, first.block.clock + Int64(first.block.count) < period.block.clock - kept {
      recent.removeFirst()
    }
    if let end, period.block.clock >= end { close(&problems) }
    if file == nil, request.start != nil, !hasFailed {
      open(&problems)
    } else {
      add(period)
    }
    write(&problems)
  }

  /// Begins a file with the last periods.
  private mutating func open(_ problems: inout [String]) {
    guard let last = recent.last?.block else { return }
    let together = recent.filter { $0.block.sampleRate == last.sampleRate }
    let begin = together[0].block.clock
    do {
      let passed = Int64(Double(last.clock - begin) / Double(last.sampleRate) * 1_000)
      let file = try RecordingFile(
        in: folder, named: RecordingFile.name(at: now() - passed, title: request.title),
        sampleRate: last.sampleRate, channels: channels, title: request.title)
      self.file = file
      aligner = TrackAligner(shifts: shifts(last.sampleRate), begin: begin, sampleRate: last.sampleRate)
      nextCheck = last.clock + Int64(last.sampleRate)
      files += 1
      entries.append(Entry(path: file.path, begin: begin, sampleRate: last.sampleRate))
      if entries.count > RecordingDesk.mostEntries { entries.removeFirst() }
      for period in together { add(period) }
    } catch {
      hasFailed = true
      problems.append("not recorded until the next take: \(error); the music goes on")
    }
  }

  private mutating func add(_ period: Period) {
    guard aligner != nil else { return }
    let shifts = shifts(period.block.sampleRate)
    aligner?.move(to: shifts)
    aligner?.add(period.block, period.samples)
  }

  /// The tracks' shifts in frames: the click later by the playback latency, inputs earlier by capture latency and calibration.
  private func shifts(_ sampleRate: Int) -> [Int] {
    let inputs = channels.count - 1
    return [capture.pointee.latency(of: inputs)]
      + (0..<inputs).map {
        let offset = (request.offsets[$0] ?? 0) / 1_000 * Double(sampleRate)
        return -capture.pointee.latency(of: $0) - Int(offset.rounded())
      }
  }

  private mutating func write(_ problems: inout [String], until last: Int? = nil) {
    guard let file, let frames = aligner?.take(until: last), !frames.isEmpty else { return }
    do {
      try file.write(frames)
      note()
    } catch {
      fail(error, &problems)
    }
  }

  private mutating func note(isOpen: Bool = true) {
    guard let aligner, let index = entries.indices.last else { return }
    entries[index].written = aligner.written
    entries[index].gaps = aligner.gaps
    entries[index].isOpen = isOpen
  }

  /// Ends the file after a failed write. Its content up to there stays.
  private mutating func fail(_ error: any Error, _ problems: inout [String]) {
    problems.append("the recording ends here: \(error); the music goes on")
    hasFailed = true
    try? file?.finish()
    if let index = entries.indices.last { entries[index].isOpen = false }
    (file, aligner, end) = (nil, nil, nil)
  }

  /// Gives the open file up if somebody has deleted it. If the music still plays, the next period begins another one.
  private mutating func giveUpIfDeleted(_ problems: inout [String]) {
    guard let file, file.isDeleted else { return }
    problems.append("\(file.path) was deleted or emptied: what it contained is lost")
    entries.removeLast()
    files -= 1
    (self.file, aligner, end) = (nil, nil, nil)
  }

  private mutating func close(_ problems: inout [String]) {
    giveUpIfDeleted(&problems)
    if let aligner {
      // All tracks end with the last captured frame.
      let last = recent.last { $0.block.clock >= aligner.begin }?.block
      write(&problems, until: last.map { Int($0.clock - aligner.begin) + $0.count } ?? aligner.written)
    }
    guard let file else { return }
    do {
      try file.finish()
      note(isOpen: false)
      (self.file, aligner, end) = (nil, nil, nil)
    } catch {
      fail(error, &problems)
    }
  }

  private mutating func reportLosses(_ problems: inout [String]) {
    let now = capture.pointee.lostFrames.load(ordering: .relaxed)
    defer { lost = now }
    guard now > lost, let file, let rate = recent.last?.block.sampleRate else { return }
    let tenths = (Double(now - lost) / Double(rate) * 10).rounded(.up) / 10
    problems.append("the disk was too slow: \(tenths) s are silent in \(file.path)")
  }
}
